CREATE OR REPLACE VIEW decision_conflicts AS
WITH last AS (
    SELECT * FROM stored.decisions
    QUALIFY row_number() OVER (PARTITION BY claim_key, version, name, who ORDER BY decided_at DESC, decision_id DESC) = 1
),
latest AS (
    SELECT claim_key, max(version) AS version FROM stored.claim_versions
    WHERE claim_key IN (SELECT claim_key FROM stored.decisions) GROUP BY claim_key
)
SELECT
    last.flag_id, last.claim_key, last.version, last.name AS flag, last.who, last.kind, last.reading, last.corrections,
    last.note, last.decided_at, coalesce(answers.decision_id = last.decision_id, false) AS holds, last.decision_id
FROM last
SEMI JOIN latest ON latest.claim_key = last.claim_key AND latest.version = last.version
LEFT JOIN answers ON answers.claim_key = last.claim_key AND answers.version = last.version AND answers.flag = last.name
WHERE last.kind IN ('reading', 'corrected', 'rejected')
QUALIFY count(DISTINCT (last.kind, last.reading, last.corrections::VARCHAR))
    OVER (PARTITION BY last.claim_key, last.version, last.name) > 1
ORDER BY last.flag_id, last.decided_at;

COMMENT ON VIEW decision_conflicts IS 'Flags (or claims) of which two people say different things, one row a person. The last word holds; both are kept.';
COMMENT ON COLUMN decision_conflicts.flag_id IS 'The name by which the flag is settled.';
COMMENT ON COLUMN decision_conflicts.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN decision_conflicts.version IS 'The version of the claim.';
COMMENT ON COLUMN decision_conflicts.flag IS 'Which ambiguity it is; claim where the whole claim is meant.';
COMMENT ON COLUMN decision_conflicts.who IS 'Who says so.';
COMMENT ON COLUMN decision_conflicts.kind IS 'reading, corrected or rejected.';
COMMENT ON COLUMN decision_conflicts.reading IS 'The reading that this person chose.';
COMMENT ON COLUMN decision_conflicts.corrections IS 'By field, what this person put there.';
COMMENT ON COLUMN decision_conflicts.note IS 'Why, in their words.';
COMMENT ON COLUMN decision_conflicts.decided_at IS 'When they said it (UTC).';
COMMENT ON COLUMN decision_conflicts.holds IS 'True for the word that holds now.';
COMMENT ON COLUMN decision_conflicts.decision_id IS 'Its number in stored.decisions.';
