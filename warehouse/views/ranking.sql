CREATE OR REPLACE VIEW ranking AS
WITH latest AS (
    SELECT * FROM stored.rankings WHERE variant = 'standing'
    QUALIFY row_number() OVER (PARTITION BY scorecard ORDER BY ranking_id DESC) = 1
)
SELECT
    latest.scorecard,
    placement.rank,
    placement.vendor,
    placement.shown,
    placement.total,
    latest.weights,
    latest.note,
    latest.recorded_at AS ranked_at,
    latest.run_id
FROM latest
JOIN stored.placements AS placement USING (ranking_id)
ORDER BY latest.scorecard, placement.rank, placement.vendor;

COMMENT ON VIEW ranking IS 'The latest standing order of the vendors under each scorecard.';
COMMENT ON COLUMN ranking.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN ranking.rank IS 'The vendor''s place, counting from 1; equal totals share a place.';
COMMENT ON COLUMN ranking.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN ranking.shown IS 'The total, rounded half up once, as it is printed.';
COMMENT ON COLUMN ranking.total IS 'The weighted sum of the scores before rounding.';
COMMENT ON COLUMN ranking.weights IS 'The weight of each dimension.';
COMMENT ON COLUMN ranking.note IS 'What was done to the weights, if anything.';
COMMENT ON COLUMN ranking.ranked_at IS 'When it was computed (UTC).';
COMMENT ON COLUMN ranking.run_id IS 'The run that computed it.';
