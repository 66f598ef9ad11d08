-- What schema version 7 could hold besides: a person's word on a published score.
INSERT INTO stored.score_words VALUES
    (1, 3, 'network', 'alibaba-cloud', 'rdma', 4.3550, 4.3550, 4.6000, 2, 'Li', 'seen', '2026-05-03 09:00:00+00');
