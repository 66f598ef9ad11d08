-- What schema version 8 could hold besides: a page that a browser made.
INSERT INTO stored.visits VALUES
    (6, 3, 'wall', '2026-05-03 03:09:00+00', 'changed', 200, '', repeat('f', 64));
INSERT INTO stored.snapshots BY NAME
SELECT * REPLACE (6 AS visit_id, repeat('f', 64) AS sha256, true AS rendered) FROM stored.snapshots WHERE visit_id = 5;
