CREATE OR REPLACE VIEW waiting_decisions AS
SELECT
    content ->> 'claim_key' AS claim_key,
    content ->> 'flag' AS flag,
    content ->> 'kind' AS kind,
    content ->> 'reading' AS reading,
    content ->> 'who' AS who,
    why,
    recorded_at,
    origin
FROM stored.waiting_decisions AS waiting
ANTI JOIN stored.decisions AS decision ON decision.origin = waiting.origin
QUALIFY row_number() OVER (PARTITION BY waiting.origin ORDER BY waiting_id DESC) = 1
ORDER BY claim_key, flag;

COMMENT ON VIEW waiting_decisions IS 'Imported decisions that found no claim, flag or words to hold on. They are tried again after each refresh.';
COMMENT ON COLUMN waiting_decisions.claim_key IS 'The claim that they name.';
COMMENT ON COLUMN waiting_decisions.flag IS 'Which ambiguity they settle; claim where the whole claim is meant.';
COMMENT ON COLUMN waiting_decisions.kind IS 'What was said.';
COMMENT ON COLUMN waiting_decisions.reading IS 'The reading that was chosen.';
COMMENT ON COLUMN waiting_decisions.who IS 'Who said it.';
COMMENT ON COLUMN waiting_decisions.why IS 'Why it could not be applied when it came.';
COMMENT ON COLUMN waiting_decisions.recorded_at IS 'When it came (UTC).';
COMMENT ON COLUMN waiting_decisions.origin IS 'What the decision is called in the file that brought it.';
