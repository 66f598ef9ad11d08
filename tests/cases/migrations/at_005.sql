-- What schema version 5 could hold besides: how a page came, and as which charset it was read.
INSERT INTO stored.visits VALUES
    (5, 3, 'wall', '2026-05-03 03:07:00+00', 'changed', 200, '', repeat('e', 64));
INSERT INTO stored.snapshots VALUES
    (5, repeat('e', 64), 'wall', 'https://vendor.example/wall', '2026-05-03 03:07:00+00', 'text/html', 9, '"e"', '',
        false, 'held: gone', 200, '{"server": "x"}', '["https://vendor.example/old"]', 'gb18030', 'meta',
        ['declared gb2312']);
