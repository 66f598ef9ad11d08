CREATE OR REPLACE VIEW unclear_matches AS
SELECT
    unclear.claim_key,
    version.vendor,
    version.metric,
    version.text_value,
    version.evidence_quote AS quote,
    unclear.candidates,
    unclear.source_id,
    unclear.recorded_at,
    unclear.run_id
FROM stored.unclear_matches AS unclear
JOIN stored.claim_versions AS version ON version.claim_key = unclear.claim_key AND version.version = 1
ORDER BY unclear.run_id, unclear.claim_key;

COMMENT ON VIEW unclear_matches IS 'Claims that could be one or the other of several known ones. They stand as new, and nothing was guessed.';
COMMENT ON COLUMN unclear_matches.claim_key IS 'The new claim''s name.';
COMMENT ON COLUMN unclear_matches.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN unclear_matches.metric IS 'What is measured.';
COMMENT ON COLUMN unclear_matches.text_value IS 'The value as it stood on the page.';
COMMENT ON COLUMN unclear_matches.quote IS 'The words on the page.';
COMMENT ON COLUMN unclear_matches.candidates IS 'The names of the known claims that it could be.';
COMMENT ON COLUMN unclear_matches.source_id IS 'The id of the page in the source list.';
COMMENT ON COLUMN unclear_matches.recorded_at IS 'When it was found (UTC).';
COMMENT ON COLUMN unclear_matches.run_id IS 'The run that found it.';
