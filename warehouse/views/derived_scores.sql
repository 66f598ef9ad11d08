CREATE OR REPLACE VIEW derived_scores AS
WITH latest AS (
    SELECT * FROM stored.rankings WHERE variant = 'derived'
    QUALIFY row_number() OVER (PARTITION BY scorecard ORDER BY ranking_id DESC) = 1
)
SELECT latest.scorecard, score.vendor, score.dimension, score.low, score.high, score.mean, latest.ranking_id
FROM latest
JOIN stored.derived_scores AS score USING (ranking_id)
ORDER BY latest.scorecard, score.vendor, score.dimension;

COMMENT ON VIEW derived_scores IS 'What each vendor''s claims are worth in each dimension, in the latest derived rankings.';
COMMENT ON COLUMN derived_scores.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN derived_scores.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN derived_scores.dimension IS 'The dimension of the scorecard.';
COMMENT ON COLUMN derived_scores.low IS 'The lowest score over the open readings, 0 to 5.';
COMMENT ON COLUMN derived_scores.high IS 'The highest score.';
COMMENT ON COLUMN derived_scores.mean IS 'The mean over equally likely readings; null where it was not computed.';
COMMENT ON COLUMN derived_scores.ranking_id IS 'The ranking that it belongs to.';
