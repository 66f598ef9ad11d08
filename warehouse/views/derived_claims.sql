CREATE OR REPLACE VIEW derived_claims AS
WITH latest AS (
    SELECT * FROM stored.rankings WHERE variant = 'derived'
    QUALIFY row_number() OVER (PARTITION BY scorecard ORDER BY ranking_id DESC) = 1
)
SELECT
    latest.scorecard,
    used.vendor,
    used.dimension,
    used.criterion,
    claim.metric,
    claim.text_value,
    used.low,
    used.high,
    used.flags,
    claim.evidence_quote AS quote,
    page.url AS source_url,
    claim.snapshot_sha256,
    claim.valid_from,
    used.claim_key,
    used.version,
    latest.ranking_id
FROM latest
JOIN stored.derived_claims AS used USING (ranking_id)
JOIN stored.claim_versions AS claim ON claim.claim_key = used.claim_key AND claim.version = used.version
JOIN (
    SELECT source_id, arg_max(url, revision) AS url FROM stored.sources GROUP BY source_id
) AS page ON page.source_id = claim.source_id
ORDER BY latest.scorecard, used.vendor, used.dimension, used.criterion, used.claim_key;

COMMENT ON VIEW derived_claims IS 'The claims that the latest derived scores rest on, with the scores that each can give its criterion.';
COMMENT ON COLUMN derived_claims.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN derived_claims.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN derived_claims.dimension IS 'The dimension of the scorecard.';
COMMENT ON COLUMN derived_claims.criterion IS 'The criterion of the dimension that the claim answers.';
COMMENT ON COLUMN derived_claims.metric IS 'What is measured.';
COMMENT ON COLUMN derived_claims.text_value IS 'The value as it stands on the page.';
COMMENT ON COLUMN derived_claims.low IS 'The lowest score that the claim can give, 0 to 5.';
COMMENT ON COLUMN derived_claims.high IS 'The highest score that it can give.';
COMMENT ON COLUMN derived_claims.flags IS 'The open flags that decide between them.';
COMMENT ON COLUMN derived_claims.quote IS 'The words on the page that carry the claim.';
COMMENT ON COLUMN derived_claims.source_url IS 'The address of the page.';
COMMENT ON COLUMN derived_claims.snapshot_sha256 IS 'The page''s bytes in which they stand.';
COMMENT ON COLUMN derived_claims.valid_from IS 'When the page was first seen to say it (UTC).';
COMMENT ON COLUMN derived_claims.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN derived_claims.version IS 'The version that counts.';
COMMENT ON COLUMN derived_claims.ranking_id IS 'The ranking that it belongs to.';
