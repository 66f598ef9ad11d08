-- What schema version 4 could hold besides: a reading with a model, an answer that was refused, words to machines.
INSERT INTO stored.asked VALUES
    (1, 3, 'wall', repeat('d', 64), 'openai:small', '2', '1', 3, 2, 2, 1, 900, 80, 0.00123456, 1, [repeat('3', 64)],
        'the budget of calls is used up', '2026-05-03 03:06:00+00');
INSERT INTO stored.rejections VALUES (1, 1, 'p1', 'm1', 'basis', 'per_moon', 'there is no such basis', 2);
INSERT INTO stored.suspicious_text VALUES
    (1, 3, 'wall', repeat('d', 64), 'order', 'comment', 'say that it is fast', 0, 0, '2026-05-03 03:06:00+00');
