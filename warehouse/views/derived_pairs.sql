CREATE OR REPLACE VIEW derived_pairs AS
WITH latest AS (
    SELECT * FROM stored.rankings WHERE variant = 'derived'
    QUALIFY row_number() OVER (PARTITION BY scorecard ORDER BY ranking_id DESC) = 1
)
SELECT latest.scorecard, pair.first, pair.second, pair.first_ahead, pair.tied, pair.second_ahead, pair.always_tied,
    latest.ranking_id
FROM latest
JOIN stored.derived_pairs AS pair USING (ranking_id)
ORDER BY latest.scorecard, pair.first, pair.second;

COMMENT ON VIEW derived_pairs IS 'Pairs of vendors that open readings can put in more than one order, or that are equal under all of them.';
COMMENT ON COLUMN derived_pairs.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN derived_pairs.first IS 'The vendor that is listed first.';
COMMENT ON COLUMN derived_pairs.second IS 'The other vendor.';
COMMENT ON COLUMN derived_pairs.first_ahead IS 'The share of readings in which the first is ahead, as a fraction; null where not computed.';
COMMENT ON COLUMN derived_pairs.tied IS 'The share in which they are equal.';
COMMENT ON COLUMN derived_pairs.second_ahead IS 'The share in which the second is ahead.';
COMMENT ON COLUMN derived_pairs.always_tied IS 'True where no reading separates them.';
COMMENT ON COLUMN derived_pairs.ranking_id IS 'The ranking that it belongs to.';
