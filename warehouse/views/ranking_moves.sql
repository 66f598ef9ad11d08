CREATE OR REPLACE VIEW ranking_moves AS
WITH step AS (
    SELECT ranking_id, scorecard, variant, run_id, recorded_at,
        lag(ranking_id) OVER (PARTITION BY scorecard, variant ORDER BY ranking_id) AS before
    FROM stored.rankings WHERE variant <> 'proposed'
    UNION ALL
    SELECT proposed.ranking_id, scorecard, 'proposed', run_id, proposed.recorded_at, standing.ranking_id
    FROM stored.rankings AS proposed JOIN stored.rankings AS standing USING (scorecard, run_id)
    WHERE proposed.variant = 'proposed' AND standing.variant = 'standing'
),
spot AS (
    SELECT ranking_id, vendor, best, worst, low, high, shown_low, shown_high FROM stored.derived_places
    UNION ALL
    SELECT ranking_id, vendor, rank, rank, total, total, shown, shown FROM stored.placements
),
pair AS (
    SELECT step.ranking_id, spot.vendor FROM step JOIN spot USING (ranking_id) WHERE step.before IS NOT NULL
    UNION
    SELECT step.ranking_id, spot.vendor FROM step JOIN spot ON spot.ranking_id = step.before
)
SELECT
    step.scorecard,
    step.variant,
    pair.vendor,
    past.best AS best_before,
    past.worst AS worst_before,
    now.best,
    now.worst,
    past.shown_low AS shown_low_before,
    past.shown_high AS shown_high_before,
    now.shown_low,
    now.shown_high,
    step.recorded_at AS ranked_at,
    step.run_id,
    step.ranking_id,
    step.before
FROM pair
JOIN step USING (ranking_id)
LEFT JOIN spot AS now ON now.ranking_id = step.ranking_id AND now.vendor = pair.vendor
LEFT JOIN spot AS past ON past.ranking_id = step.before AND past.vendor = pair.vendor
WHERE (now.best, now.worst, now.low, now.high) IS DISTINCT FROM (past.best, past.worst, past.low, past.high)
ORDER BY step.ranking_id, coalesce(now.best, past.best), coalesce(now.worst, past.worst), pair.vendor;

COMMENT ON VIEW ranking_moves IS 'Every vendor whose ranks or total differ from the ranking before, in each ranking that was kept; ranking_causes says why.';
COMMENT ON COLUMN ranking_moves.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN ranking_moves.variant IS 'standing (published scores), proposed (held against the standing ranking of its run) or derived (from claims).';
COMMENT ON COLUMN ranking_moves.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN ranking_moves.best_before IS 'The rank before, or the best that open readings allowed; null for a vendor that was not ranked.';
COMMENT ON COLUMN ranking_moves.worst_before IS 'The worst rank before.';
COMMENT ON COLUMN ranking_moves.best IS 'The rank now, or the best that open readings allow; null for a vendor that is ranked no more.';
COMMENT ON COLUMN ranking_moves.worst IS 'The worst rank now.';
COMMENT ON COLUMN ranking_moves.shown_low_before IS 'The total before, or the lowest, as printed.';
COMMENT ON COLUMN ranking_moves.shown_high_before IS 'The highest total before.';
COMMENT ON COLUMN ranking_moves.shown_low IS 'The total now, or the lowest, as printed.';
COMMENT ON COLUMN ranking_moves.shown_high IS 'The highest total now.';
COMMENT ON COLUMN ranking_moves.ranked_at IS 'When it was computed (UTC).';
COMMENT ON COLUMN ranking_moves.run_id IS 'The run that computed it.';
COMMENT ON COLUMN ranking_moves.ranking_id IS 'The ranking''s number.';
COMMENT ON COLUMN ranking_moves.before IS 'The number of the ranking before it.';
