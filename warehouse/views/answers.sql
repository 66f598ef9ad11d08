CREATE OR REPLACE VIEW answers AS
SELECT
    flag_id, claim_key, version, name AS flag, kind, kind = 'reading' AS settles, reading, corrections, source,
    who, note, decided_at, decision_id, carried_from
FROM (
    SELECT * FROM stored.decisions
    QUALIFY row_number() OVER (PARTITION BY claim_key, version, name ORDER BY decided_at DESC, decision_id DESC) = 1
)
WHERE kind <> 'undone';

COMMENT ON VIEW answers IS 'What people last said of each flag of each version (or of the whole claim), and did not take back. Only a reading settles a flag.';
COMMENT ON COLUMN answers.flag_id IS 'The name by which the flag is settled; it ends in :claim where the whole claim is meant.';
COMMENT ON COLUMN answers.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN answers.version IS 'The version of the claim on which it holds.';
COMMENT ON COLUMN answers.flag IS 'Which ambiguity it is; claim where the whole claim is meant.';
COMMENT ON COLUMN answers.kind IS 'reading, corrected, rejected, unsure or ask_vendor.';
COMMENT ON COLUMN answers.settles IS 'True where the flag is closed by it.';
COMMENT ON COLUMN answers.reading IS 'The reading that was chosen; empty where none was.';
COMMENT ON COLUMN answers.corrections IS 'By field, what a reviewer put there.';
COMMENT ON COLUMN answers.source IS 'Where a value that is not in the quote is from.';
COMMENT ON COLUMN answers.who IS 'Who said it.';
COMMENT ON COLUMN answers.note IS 'Why, in their words.';
COMMENT ON COLUMN answers.decided_at IS 'When they said it (UTC).';
COMMENT ON COLUMN answers.decision_id IS 'Its number in stored.decisions.';
COMMENT ON COLUMN answers.carried_from IS 'The decision that it repeats, where the claim was written anew with the same words; else null.';
