CREATE OR REPLACE VIEW derived_ranking AS
WITH latest AS (
    SELECT * FROM stored.rankings WHERE variant = 'derived'
    QUALIFY row_number() OVER (PARTITION BY scorecard ORDER BY ranking_id DESC) = 1
)
SELECT
    latest.scorecard,
    place.place,
    place.best,
    place.worst,
    place.vendor,
    place.shown_low,
    place.shown_high,
    place.low,
    place.high,
    place.mean,
    place.exact,
    place.rank_shares,
    derived.open_flags,
    latest.weights,
    latest.recorded_at AS ranked_at,
    latest.run_id,
    latest.ranking_id
FROM latest
JOIN stored.derived_rankings AS derived USING (ranking_id)
JOIN stored.derived_places AS place USING (ranking_id)
ORDER BY latest.scorecard, place.place;

COMMENT ON VIEW derived_ranking IS 'The latest ranking that follows from the claims under each scorecard, as ranges over the readings that are open.';
COMMENT ON COLUMN derived_ranking.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN derived_ranking.place IS 'Where the vendor stands in the list: by best rank, worst rank, middle of the total, id.';
COMMENT ON COLUMN derived_ranking.best IS 'The best rank that it can take under some readings.';
COMMENT ON COLUMN derived_ranking.worst IS 'The worst rank that it can take.';
COMMENT ON COLUMN derived_ranking.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN derived_ranking.shown_low IS 'The lowest total, rounded half up once, as it is printed.';
COMMENT ON COLUMN derived_ranking.shown_high IS 'The highest total, as it is printed.';
COMMENT ON COLUMN derived_ranking.low IS 'The lowest total over all combinations of open readings, to twelve places.';
COMMENT ON COLUMN derived_ranking.high IS 'The highest total.';
COMMENT ON COLUMN derived_ranking.mean IS 'The mean total over equally likely readings; null where it was not computed.';
COMMENT ON COLUMN derived_ranking.exact IS 'Whether some combination reaches both ends; else there were too many to search, and the ends only hold.';
COMMENT ON COLUMN derived_ranking.rank_shares IS 'The share of readings that give each rank from best to worst, as fractions; null where not computed.';
COMMENT ON COLUMN derived_ranking.open_flags IS 'How many open flags the scorecard''s scores depend on.';
COMMENT ON COLUMN derived_ranking.weights IS 'The weight of each dimension.';
COMMENT ON COLUMN derived_ranking.ranked_at IS 'When it was computed (UTC).';
COMMENT ON COLUMN derived_ranking.run_id IS 'The run that computed it.';
COMMENT ON COLUMN derived_ranking.ranking_id IS 'The ranking''s number.';
