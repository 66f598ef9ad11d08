CREATE OR REPLACE VIEW rereadings AS
SELECT
    event.recorded_at AS reread_at,
    coalesce(after.vendor, before.vendor) AS vendor,
    coalesce(after.metric, before.metric) AS metric,
    event.kind,
    event.fields,
    before.text_value AS text_before,
    after.text_value AS text_after,
    before.low AS low_before,
    after.low AS low_after,
    before.basis AS basis_before,
    after.basis AS basis_after,
    before.evidence_quote AS quote_before,
    after.evidence_quote AS quote_after,
    before.extractor AS extractor_before,
    after.extractor AS extractor_after,
    event.claim_key,
    event.source_id,
    event.run_id,
    event.change_id
FROM stored.changes AS event
LEFT JOIN stored.claim_versions AS before
    ON before.claim_key = event.claim_key AND before.version = event.version_before
LEFT JOIN stored.claim_versions AS after
    ON after.claim_key = event.claim_key AND after.version = event.version_after
WHERE event.cause = 'extractor'
ORDER BY event.change_id;

COMMENT ON VIEW rereadings IS 'What we read otherwise on pages whose bytes were the same: our corrections, and no vendor''s change.';
COMMENT ON COLUMN rereadings.reread_at IS 'When the same bytes were read anew (UTC).';
COMMENT ON COLUMN rereadings.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN rereadings.metric IS 'What is measured.';
COMMENT ON COLUMN rereadings.kind IS 'new (not read before), changed, not_seen (read no more) or seen_again.';
COMMENT ON COLUMN rereadings.fields IS 'Of a changed claim: the fields that differ; flags and quote among them.';
COMMENT ON COLUMN rereadings.text_before IS 'The value as we had read it.';
COMMENT ON COLUMN rereadings.text_after IS 'The value as we read it since.';
COMMENT ON COLUMN rereadings.low_before IS 'The number before, in the metric''s unit.';
COMMENT ON COLUMN rereadings.low_after IS 'The number since, in the metric''s unit.';
COMMENT ON COLUMN rereadings.basis_before IS 'What the number was taken for a number of before.';
COMMENT ON COLUMN rereadings.basis_after IS 'What it is taken for since.';
COMMENT ON COLUMN rereadings.quote_before IS 'The words that carried it before.';
COMMENT ON COLUMN rereadings.quote_after IS 'The words that carry it since.';
COMMENT ON COLUMN rereadings.extractor_before IS 'What had read it, with its version.';
COMMENT ON COLUMN rereadings.extractor_after IS 'What read it anew, with its version.';
COMMENT ON COLUMN rereadings.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN rereadings.source_id IS 'The id of the page in the source list.';
COMMENT ON COLUMN rereadings.run_id IS 'The run that read anew.';
COMMENT ON COLUMN rereadings.change_id IS 'The event''s number, in one row with those of changes.';
