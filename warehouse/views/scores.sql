CREATE OR REPLACE VIEW scores AS
WITH latest AS (
    SELECT scorecard, max(run_id) AS run_id FROM stored.scores GROUP BY scorecard
)
SELECT
    score.scorecard,
    score.vendor,
    score.dimension,
    score.score,
    if(score.status = 'standing', 'standing', 'stale') AS status,
    (SELECT coalesce(list(claim.claim_key ORDER BY claim.claim_key), [])
        FROM stored.score_claims AS claim WHERE claim.score_id = score.score_id) AS claim_keys,
    score.recorded_at AS scored_at,
    score.run_id,
    score.score_id
FROM stored.scores AS score
JOIN latest USING (scorecard, run_id)
ORDER BY score.scorecard, score.score_id;

COMMENT ON VIEW scores IS 'The scores of each scorecard''s last run, with the claims that each rests on.';
COMMENT ON COLUMN scores.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN scores.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN scores.dimension IS 'The dimension of the scorecard.';
COMMENT ON COLUMN scores.score IS 'The score.';
COMMENT ON COLUMN scores.status IS 'standing, or stale where a claim under it has changed since the score was given and nobody has confirmed it.';
COMMENT ON COLUMN scores.claim_keys IS 'The names of the claims that it rests on; empty where no page states any yet.';
COMMENT ON COLUMN scores.scored_at IS 'When it was stored (UTC).';
COMMENT ON COLUMN scores.run_id IS 'The run that stored it.';
COMMENT ON COLUMN scores.score_id IS 'The score''s number.';
