CREATE OR REPLACE VIEW conversions AS
WITH latest AS (
    SELECT * FROM stored.rankings WHERE variant = 'derived'
    QUALIFY row_number() OVER (PARTITION BY scorecard ORDER BY ranking_id DESC) = 1
)
SELECT latest.scorecard, claim.vendor, claim.metric, used.dimension, used.criterion, used.given, used.times, used.becomes,
    used.count_key, used.why_en, used.why_zh, used.claim_key, latest.ranking_id
FROM latest
JOIN stored.derived_conversions AS used USING (ranking_id)
JOIN (
    SELECT claim_key, any_value(vendor) AS vendor, any_value(metric) AS metric FROM stored.claim_versions GROUP BY claim_key
) AS claim USING (claim_key)
ORDER BY latest.scorecard, used.claim_key, used.dimension, used.criterion, used.given;

COMMENT ON VIEW conversions IS 'Figures that count in the latest derived rankings only because a stated conversion was applied.';
COMMENT ON COLUMN conversions.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN conversions.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN conversions.metric IS 'What is measured.';
COMMENT ON COLUMN conversions.dimension IS 'The dimension of the scorecard.';
COMMENT ON COLUMN conversions.criterion IS 'The criterion of the dimension.';
COMMENT ON COLUMN conversions.given IS 'The figure as it is stated.';
COMMENT ON COLUMN conversions.times IS 'What it was multiplied by.';
COMMENT ON COLUMN conversions.becomes IS 'The figure that was scored.';
COMMENT ON COLUMN conversions.count_key IS 'The claim that states the count of accelerators; null for a fixed factor.';
COMMENT ON COLUMN conversions.why_en IS 'Why the conversion holds, in English.';
COMMENT ON COLUMN conversions.why_zh IS 'Why the conversion holds, in Chinese.';
COMMENT ON COLUMN conversions.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN conversions.ranking_id IS 'The ranking that it belongs to.';
