CREATE OR REPLACE VIEW proposals AS
SELECT
    scorecard,
    vendor,
    dimension,
    standing,
    proposed,
    peers,
    claim_keys,
    reason,
    recorded_at AS proposed_at,
    run_id,
    proposal_id
FROM stored.proposals
ORDER BY proposal_id;

COMMENT ON VIEW proposals IS 'Scores that changed claims would now support, for a person to accept or not.';
COMMENT ON COLUMN proposals.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN proposals.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN proposals.dimension IS 'The scorecard''s dimension.';
COMMENT ON COLUMN proposals.standing IS 'The published score.';
COMMENT ON COLUMN proposals.proposed IS 'The score that the changed claims would support.';
COMMENT ON COLUMN proposals.peers IS 'The vendors whose comparable claims the changed ones now equal.';
COMMENT ON COLUMN proposals.claim_keys IS 'The changed claims.';
COMMENT ON COLUMN proposals.reason IS 'Why, in one sentence.';
COMMENT ON COLUMN proposals.proposed_at IS 'When it was computed (UTC).';
COMMENT ON COLUMN proposals.run_id IS 'The run that computed it.';
COMMENT ON COLUMN proposals.proposal_id IS 'The proposal''s number.';
