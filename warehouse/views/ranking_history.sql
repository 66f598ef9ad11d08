CREATE OR REPLACE VIEW ranking_history AS
SELECT
    ranking.ranking_id,
    ranking.scorecard,
    ranking.variant,
    coalesce(place.best, placement.rank) AS best,
    coalesce(place.worst, placement.rank) AS worst,
    coalesce(place.vendor, placement.vendor) AS vendor,
    coalesce(place.shown_low, placement.shown) AS shown_low,
    coalesce(place.shown_high, placement.shown) AS shown_high,
    coalesce(place.place, row_number() OVER (
        PARTITION BY ranking.ranking_id ORDER BY placement.rank, placement.vendor)) AS place,
    ranking.note,
    ranking.recorded_at AS ranked_at,
    ranking.run_id
FROM stored.rankings AS ranking
LEFT JOIN stored.derived_places AS place ON place.ranking_id = ranking.ranking_id
LEFT JOIN stored.placements AS placement ON placement.ranking_id = ranking.ranking_id
ORDER BY ranking.ranking_id, place;

COMMENT ON VIEW ranking_history IS 'Every ranking that was ever kept, published and derived, with the ranges that each vendor stood in.';
COMMENT ON COLUMN ranking_history.ranking_id IS 'The ranking''s number; later ones are larger.';
COMMENT ON COLUMN ranking_history.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN ranking_history.variant IS 'standing (published scores), proposed (under the proposals) or derived (from claims).';
COMMENT ON COLUMN ranking_history.best IS 'The rank, or the best that open readings allow.';
COMMENT ON COLUMN ranking_history.worst IS 'The worst rank; the same where the rank is certain.';
COMMENT ON COLUMN ranking_history.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN ranking_history.shown_low IS 'The total, or the lowest that open readings allow, as printed.';
COMMENT ON COLUMN ranking_history.shown_high IS 'The highest total, as printed.';
COMMENT ON COLUMN ranking_history.place IS 'Where the vendor stands in the list.';
COMMENT ON COLUMN ranking_history.note IS 'What was done to the weights or scores, if anything.';
COMMENT ON COLUMN ranking_history.ranked_at IS 'When it was computed (UTC).';
COMMENT ON COLUMN ranking_history.run_id IS 'The run that computed it.';
