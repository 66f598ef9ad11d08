-- What schema version 9 could hold besides: kinds of decisions, and imported ones that hold on nothing here yet.
INSERT INTO stored.decisions BY NAME
SELECT 9001 AS decision_id, 'k:claim' AS flag_id, 'k' AS claim_key, 2 AS version, 'claim' AS name, '' AS reading,
       'Li' AS who, 'as the data sheet says' AS note, '2026-05-03 10:00:00+00'::TIMESTAMPTZ AS decided_at,
       'corrected' AS kind, '{"qualifier": "up_to"}' AS corrections, 'https://vendor.example/sheet' AS source,
       repeat('d', 64) AS words, NULL AS undoes, NULL AS carried_from, '' AS origin
UNION ALL BY NAME
SELECT 9002 AS decision_id, 'k:claim' AS flag_id, 'k' AS claim_key, 2 AS version, 'claim' AS name, '' AS reading,
       'Li' AS who, 'was the other model' AS note, '2026-05-03 10:05:00+00'::TIMESTAMPTZ AS decided_at,
       'undone' AS kind, '{}' AS corrections, '' AS source, repeat('d', 64) AS words, 9001 AS undoes,
       NULL AS carried_from, repeat('e', 64) AS origin;
INSERT INTO stored.waiting_decisions VALUES
    (1, repeat('c', 64), '{"claim_key": "elsewhere"}', 'no such claim', '2026-05-03 11:00:00+00');
