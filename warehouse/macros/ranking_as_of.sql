-- What each scorecard's rankings were at a moment: the last of each variant that was kept by then. A ranking under
-- proposals belongs to the standing one of its run, and goes with it.
CREATE OR REPLACE MACRO ranking_as_of(said) AS TABLE
    WITH last AS (
        SELECT ranking_id, scorecard, variant, run_id FROM stored.rankings WHERE recorded_at <= moment(said)
        QUALIFY row_number() OVER (PARTITION BY scorecard, variant ORDER BY ranking_id DESC) = 1
    )
    SELECT
        ranking.scorecard, ranking.variant, coalesce(place.best, placement.rank) AS best,
        coalesce(place.worst, placement.rank) AS worst, coalesce(place.vendor, placement.vendor) AS vendor,
        coalesce(place.shown_low, placement.shown) AS shown_low,
        coalesce(place.shown_high, placement.shown) AS shown_high, place.rank_shares, ranking.weights,
        ranking.recorded_at AS ranked_at, ranking.run_id, ranking.ranking_id
    FROM last
    JOIN stored.rankings AS ranking USING (ranking_id)
    LEFT JOIN stored.derived_places AS place USING (ranking_id)
    LEFT JOIN stored.placements AS placement ON placement.ranking_id = ranking.ranking_id
    WHERE last.variant <> 'proposed' OR last.run_id = (
        SELECT run_id FROM last AS standing
        WHERE standing.scorecard = last.scorecard AND standing.variant = 'standing')
    ORDER BY ranking.scorecard, ranking.variant, place.place, best, vendor;
COMMENT ON MACRO TABLE ranking_as_of IS 'ranking_as_of(D): the rankings of every scorecard as they were kept by D; a date counts to its end, in UTC.';
