CREATE OR REPLACE VIEW left_out AS
WITH latest AS (
    SELECT * FROM stored.rankings WHERE variant = 'derived'
    QUALIFY row_number() OVER (PARTITION BY scorecard ORDER BY ranking_id DESC) = 1
)
SELECT latest.scorecard, claim.vendor, claim.metric, claim.text_value, entry.reason, claim.evidence_quote AS quote,
    entry.claim_key, entry.version, latest.ranking_id
FROM latest
JOIN stored.derived_left_out AS entry USING (ranking_id)
JOIN stored.claim_versions AS claim ON claim.claim_key = entry.claim_key AND claim.version = entry.version
ORDER BY latest.scorecard, claim.vendor, entry.claim_key;

COMMENT ON VIEW left_out IS 'The claims that a scorecard asks for and that count for nothing in its latest derived ranking, and why.';
COMMENT ON COLUMN left_out.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN left_out.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN left_out.metric IS 'What is measured.';
COMMENT ON COLUMN left_out.text_value IS 'The value as it stands on the page.';
COMMENT ON COLUMN left_out.reason IS 'Why it counts for nothing.';
COMMENT ON COLUMN left_out.quote IS 'The words on the page that carry the claim.';
COMMENT ON COLUMN left_out.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN left_out.version IS 'Its version.';
COMMENT ON COLUMN left_out.ranking_id IS 'The ranking that it is left out of.';
