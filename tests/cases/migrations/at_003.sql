-- What schema version 3 could hold besides: a verdict with what it rests on, and a group that was verified.
INSERT INTO stored.checks VALUES
    ('w', 2, 'agreement', '3', 'CONFLICT', 'another page says less', '2026-05-03 03:05:00+00', repeat('1', 64),
        '{"other": "k"}');
INSERT INTO stored.verified VALUES
    (1, 'huawei-cloud', 'rdma', repeat('2', 64), 1, '2026-05-03 03:05:00+00');
