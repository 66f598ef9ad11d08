CREATE OR REPLACE VIEW runs AS
WITH visit AS (
    SELECT
        run_id,
        count(*)::INTEGER AS pages,
        count(*) FILTER (status = 'changed')::INTEGER AS changed,
        count(*) FILTER (status = 'unchanged')::INTEGER AS unchanged,
        count(*) FILTER (status = 'gone')::INTEGER AS gone,
        count(*) FILTER (status = 'failed')::INTEGER AS failed
    FROM stored.visits GROUP BY run_id
)
SELECT
    run.run_id,
    run.label,
    run.status,
    run.started_at,
    run.ended_at,
    coalesce(visit.pages, 0) AS pages,
    coalesce(visit.changed, 0) AS changed,
    coalesce(visit.unchanged, 0) AS unchanged,
    coalesce(visit.gone, 0) AS gone,
    coalesce(visit.failed, 0) AS failed
FROM stored.runs AS run LEFT JOIN visit USING (run_id)
ORDER BY run.run_id;

COMMENT ON VIEW runs IS 'Every run, and what its visits brought.';
COMMENT ON COLUMN runs.run_id IS 'The run''s number.';
COMMENT ON COLUMN runs.label IS 'The name it was given.';
COMMENT ON COLUMN runs.status IS 'running, done, failed, or abandoned where the process ended first.';
COMMENT ON COLUMN runs.started_at IS 'When it began (UTC).';
COMMENT ON COLUMN runs.ended_at IS 'When it ended; null where it did not (UTC).';
COMMENT ON COLUMN runs.pages IS 'How many pages it visited.';
COMMENT ON COLUMN runs.changed IS 'Visits that brought new bytes.';
COMMENT ON COLUMN runs.unchanged IS 'Visits that brought the same bytes.';
COMMENT ON COLUMN runs.gone IS 'Visits that found no page.';
COMMENT ON COLUMN runs.failed IS 'Visits that failed.';
