-- What a ledger of schema version 1 held: two readings of one page, a change, a decision, a page that went away.
INSERT INTO stored.sources VALUES
    ('page', 1, 'alibaba-cloud', NULL, 'https://vendor.example/page', 'zh', 'T1', '', '2026-05-01 03:00:00+00');
INSERT INTO stored.runs VALUES
    (1, 'first', '2026-05-01 03:00:00+00', '2026-05-01 03:10:00+00', 'done'),
    (2, 'second', '2026-05-02 03:00:00+00', '2026-05-02 03:10:00+00', 'done'),
    (3, 'third', '2026-05-03 03:00:00+00', '2026-05-03 03:10:00+00', 'done');
INSERT INTO stored.visits VALUES
    (1, 1, 'page', '2026-05-01 03:00:00+00', 'changed', 200, '', repeat('a', 64)),
    (2, 2, 'page', '2026-05-02 03:00:00+00', 'changed', 200, '', repeat('b', 64)),
    (3, 3, 'page', '2026-05-03 03:00:00+00', 'gone', 404, 'the page is gone', NULL);
INSERT INTO stored.snapshots VALUES
    (1, repeat('a', 64), 'page', 'https://vendor.example/page', '2026-05-01 03:00:00+00', 'text/html', 9, '', '', true, ''),
    (2, repeat('b', 64), 'page', 'https://vendor.example/page', '2026-05-02 03:00:00+00', 'text/html', 9, '', '', true, '');
INSERT INTO stored.claim_versions
SELECT 'k', n, 'page', repeat(CASE n WHEN 1 THEN 'a' ELSE 'b' END, 64), n,
    ('2026-05-0' || n || ' 03:00:00+00')::TIMESTAMPTZ, ('2026-05-0' || n || ' 03:00:00+00')::TIMESTAMPTZ,
    'page', 'alibaba-cloud', NULL, 'rdma_bandwidth', n * 1600000000000, NULL, 'bit/s', n || '', 'Tbps', 'exact',
    false, 'per_machine', 'unspecified', MAP {}, NULL, MAP {}, 'RDMA ' || n, 0, 6, [], ['unit_truncated'],
    'grammar@1', MAP {}
FROM range(1, 3) AS r(n);
INSERT INTO stored.flags VALUES
    ('k', 1, 'unit_truncated', 'k:unit_truncated', 'Which unit?', '什么单位？', '[]'),
    ('k', 2, 'unit_truncated', 'k:unit_truncated', 'Which unit?', '什么单位？', '[]');
INSERT INTO stored.decisions VALUES
    (1, 'k:unit_truncated', 'k', 1, 'unit_truncated', 'as_usual', 'Li', '', '2026-05-01 09:00:00+00');
INSERT INTO stored.changes VALUES
    (1, 1, 'page', 'k', 'new', [], NULL, 1, true, 'page', '2026-05-01 03:00:00+00'),
    (2, 2, 'page', 'k', 'changed', ['low'], 1, 2, false, 'page', '2026-05-02 03:00:00+00'),
    (3, 3, 'page', 'k', 'not_seen', [], 2, NULL, false, 'page', '2026-05-03 03:00:00+00');
INSERT INTO stored.sightings VALUES (1, 'k', 3, '2026-05-03 03:00:00+00', 1, 'gone');
INSERT INTO stored.checks VALUES
    ('k', 1, 'grounding', '1', 'EXACT', 'the words stand on the page', '2026-05-01 03:00:00+00'),
    ('k', 2, 'value', '1', 'STATED', 'the quote says it', '2026-05-02 03:00:00+00');
INSERT INTO stored.scorecards VALUES
    ('network', repeat('c', 64), 'Network', '网络', '{"weights": {"rdma": "1"}}', '2026-05-01 03:00:00+00');
INSERT INTO stored.scores VALUES
    (1, 1, 'network', 'alibaba-cloud', 'rdma', 4.3550, 'standing', '2026-05-01 03:00:00+00'),
    (2, 2, 'network', 'alibaba-cloud', 'rdma', 4.3550, 'rests_on_changed_claim', '2026-05-02 03:00:00+00');
INSERT INTO stored.score_claims VALUES (1, 'k'), (2, 'k');
INSERT INTO stored.rankings VALUES
    (1, 2, 'network', 'standing', '{"rdma": "1"}', '', '2026-05-02 03:00:00+00');
INSERT INTO stored.placements VALUES (1, 'alibaba-cloud', 4.35500000, '4.36', 1);
INSERT INTO stored.proposals VALUES
    (1, 2, 'network', 'alibaba-cloud', 'rdma', 4.3550, 4.6000, [], ['k'], 'twice as much', '2026-05-02 03:00:00+00');
