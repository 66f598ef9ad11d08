-- What schema version 2 could hold besides: two pages that were held, of which one is still, a reading that found
-- nothing new, a version that is our correction, and a claim that fitted two known ones.
INSERT INTO stored.sources VALUES
    ('wall', 1, 'huawei-cloud', 'sfs-turbo', 'https://vendor.example/wall', 'en', 'T2', 'A page', '2026-05-01 03:00:00+00');
INSERT INTO stored.visits VALUES
    (4, 3, 'wall', '2026-05-03 03:01:00+00', 'changed', 200, '', repeat('d', 64));
INSERT INTO stored.snapshots VALUES
    (4, repeat('d', 64), 'wall', 'https://vendor.example/wall', '2026-05-03 03:01:00+00', 'text/html', 9, '"e"', '', true, '');
INSERT INTO stored.readings VALUES (11, 3, 'wall', repeat('d', 64), 'grammar@2', 2, '2026-05-03 03:01:00+00');
INSERT INTO stored.claim_versions BY NAME
SELECT * REPLACE ('w' AS claim_key, 'wall' AS source_id, repeat('d', 64) AS snapshot_sha256, 3 AS run_id,
    '2026-05-03 03:01:00+00'::TIMESTAMPTZ AS valid_from,
    ('2026-05-03 03:0' || version || ':00+00')::TIMESTAMPTZ AS recorded_at,
    'huawei-cloud' AS vendor, 0.000000000001 AS low, 12345678901234567890123456.5 AS high, 'range' AS bound,
    MAP {'load': 'empty'} AS condition, MAP {'tier': '旗舰版'} AS qualifiers, 'grammar@' || version AS extractor,
    CASE version WHEN 1 THEN 'page' ELSE 'rereading' END AS cause)
FROM stored.claim_versions WHERE claim_key = 'k';
INSERT INTO stored.changes VALUES
    (4, 3, 'wall', 'w', 'new', [], NULL, 1, true, 'page', '2026-05-03 03:01:00+00'),
    (5, 3, 'wall', 'w', 'changed', ['bound', 'low'], 1, 2, false, 'extractor', '2026-05-03 03:02:00+00');
INSERT INTO stored.holds VALUES
    (1, 2, 'wall', 4, repeat('d', 64), 'login_wall', 4, 3, '2026-05-02 03:00:00+00'),
    (2, 3, 'wall', 4, NULL, 'gone', 4, 4, '2026-05-03 03:00:00+00');
INSERT INTO stored.releases VALUES (1, 3, 4, 'kept', 'Wang', 'a wall', '2026-05-02 09:00:00+00');
INSERT INTO stored.unclear_matches VALUES ('w', 3, 'wall', ['k', 'x'], '2026-05-03 03:01:00+00');
