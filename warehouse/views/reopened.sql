CREATE OR REPLACE VIEW reopened AS
WITH said AS (
    SELECT * FROM stored.decisions
    QUALIFY row_number() OVER (PARTITION BY claim_key, name ORDER BY version DESC, decided_at DESC, decision_id DESC) = 1
),
now AS (
    SELECT * FROM stored.claim_versions WHERE claim_key IN (SELECT claim_key FROM said)
    QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
),
compared AS (
    SELECT
        said.*, now.version AS version_now,
        past.evidence_quote AS quote_before, now.evidence_quote AS quote_now,
        past.evidence_path AS headers_before, now.evidence_path AS headers_now,
        past.condition AS condition_before, now.condition AS condition_now,
        past_flag.readings AS readings_before, now_flag.readings AS readings_now,
        said.name <> 'claim' AND now_flag.name IS NULL AS no_flag
    FROM said
    JOIN now ON now.claim_key = said.claim_key AND now.version > said.version
    JOIN stored.claim_versions AS past ON past.claim_key = said.claim_key AND past.version = said.version
    LEFT JOIN stored.flags AS past_flag
        ON past_flag.claim_key = said.claim_key AND past_flag.version = said.version AND past_flag.name = said.name
    LEFT JOIN stored.flags AS now_flag
        ON now_flag.claim_key = said.claim_key AND now_flag.version = now.version AND now_flag.name = said.name
    WHERE said.kind <> 'undone'
)
SELECT
    flag_id, claim_key, name AS flag, kind, reading, corrections, who, note, decided_at,
    list_filter([
        CASE WHEN quote_before <> quote_now THEN 'quote' END,
        CASE WHEN headers_before <> headers_now THEN 'headers' END,
        CASE WHEN condition_before <> condition_now THEN 'condition' END,
        CASE WHEN readings_before::VARCHAR IS DISTINCT FROM readings_now::VARCHAR THEN 'readings' END
    ], lambda changed: changed IS NOT NULL) AS changed,
    quote_before, quote_now, headers_before, headers_now, condition_before, condition_now,
    version AS version_before, version_now, decision_id
FROM compared
WHERE NOT no_flag
ORDER BY claim_key, flag;

COMMENT ON VIEW reopened IS 'Decisions that hold no longer because what they were about changed, with the words before and now.';
COMMENT ON COLUMN reopened.flag_id IS 'The name by which the flag is settled.';
COMMENT ON COLUMN reopened.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN reopened.flag IS 'Which ambiguity it is; claim where the whole claim is meant.';
COMMENT ON COLUMN reopened.kind IS 'What the old decision was: reading, corrected, rejected, unsure or ask_vendor.';
COMMENT ON COLUMN reopened.reading IS 'The reading that had been chosen.';
COMMENT ON COLUMN reopened.corrections IS 'By field, what a reviewer had put there.';
COMMENT ON COLUMN reopened.who IS 'Who had decided.';
COMMENT ON COLUMN reopened.note IS 'Why, in their words.';
COMMENT ON COLUMN reopened.decided_at IS 'When they had decided (UTC).';
COMMENT ON COLUMN reopened.changed IS 'What differs: quote, headers, condition (what stands beside the number or in its footnote), readings.';
COMMENT ON COLUMN reopened.quote_before IS 'The words that were decided on.';
COMMENT ON COLUMN reopened.quote_now IS 'The words now.';
COMMENT ON COLUMN reopened.headers_before IS 'What stood over the words that were decided on.';
COMMENT ON COLUMN reopened.headers_now IS 'What stands over them now.';
COMMENT ON COLUMN reopened.condition_before IS 'What was stated beside the number then.';
COMMENT ON COLUMN reopened.condition_now IS 'What is stated beside it now.';
COMMENT ON COLUMN reopened.version_before IS 'The version that was decided on.';
COMMENT ON COLUMN reopened.version_now IS 'The claim''s latest version.';
COMMENT ON COLUMN reopened.decision_id IS 'The old decision''s number in stored.decisions.';
