-- What schema version 6 could hold besides: a ranking that follows from claims, with all that it rests on.
INSERT INTO stored.rankings VALUES
    (2, 3, 'network', 'derived', '{"rdma": "1"}', 'from claims', '2026-05-03 03:08:00+00');
INSERT INTO stored.derived_rankings VALUES (2, repeat('4', 64), 1);
INSERT INTO stored.derived_places VALUES
    (2, 1, 'alibaba-cloud', 1, 2, 4.100000000001, 4.6, 4.35, true, '4.10', '4.60', ['1/2', '1/2']),
    (2, 2, 'huawei-cloud', 1, 2, 3.9, 4.5, NULL, false, '3.90', '4.50', NULL);
INSERT INTO stored.derived_scores VALUES (2, 'alibaba-cloud', 'rdma', 4.100000000001, 4.6, 4.35);
INSERT INTO stored.derived_pairs VALUES (2, 'alibaba-cloud', 'huawei-cloud', '1/2', '0', '1/2', false);
INSERT INTO stored.derived_claims VALUES
    (2, 'alibaba-cloud', 'rdma', 'per_machine', 'k', 2, 4.1, 4.6, ['unit_truncated']);
INSERT INTO stored.derived_left_out VALUES (2, 'w', 2, 'another basis');
INSERT INTO stored.derived_conversions VALUES
    (2, 'k', 'rdma', 'per_machine', '1.6 Tbps', '8', '12.8 Tbps', NULL, 'eight in a machine', '每机八卡');
