CREATE OR REPLACE VIEW changes AS
WITH page AS (
    SELECT * FROM stored.sources
    QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
)
SELECT
    event.recorded_at AS changed_at,
    coalesce(after.vendor, before.vendor) AS vendor,
    coalesce(after.product, before.product) AS product,
    coalesce(after.metric, before.metric) AS metric,
    event.kind,
    event.fields,
    before.text_value AS text_before,
    after.text_value AS text_after,
    before.low AS low_before,
    after.low AS low_after,
    before.high AS high_before,
    after.high AS high_after,
    coalesce(after.unit, before.unit) AS unit,
    before.basis AS basis_before,
    after.basis AS basis_after,
    before.evidence_quote AS quote_before,
    after.evidence_quote AS quote_after,
    page.url AS source_url,
    event.first_visit,
    event.cause,
    event.claim_key,
    event.version_before,
    event.version_after,
    event.source_id,
    event.run_id,
    event.change_id
FROM stored.changes AS event
LEFT JOIN stored.claim_versions AS before
    ON before.claim_key = event.claim_key AND before.version = event.version_before
LEFT JOIN stored.claim_versions AS after
    ON after.claim_key = event.claim_key AND after.version = event.version_after
LEFT JOIN page ON page.source_id = event.source_id
WHERE event.cause <> 'extractor'
ORDER BY event.change_id;

COMMENT ON VIEW changes IS 'What sources did to their claims, in the order in which it was found. What we only read otherwise stands in rereadings.';
COMMENT ON COLUMN changes.changed_at IS 'When the visit found it (UTC).';
COMMENT ON COLUMN changes.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN changes.product IS 'The product''s id.';
COMMENT ON COLUMN changes.metric IS 'What is measured.';
COMMENT ON COLUMN changes.kind IS 'new, changed, not_seen (the page no longer says it, or is gone) or seen_again.';
COMMENT ON COLUMN changes.fields IS 'Of a changed claim: the fields that differ.';
COMMENT ON COLUMN changes.text_before IS 'The value as it stood on the page before.';
COMMENT ON COLUMN changes.text_after IS 'The value as it stands on the page since; null where it is not seen.';
COMMENT ON COLUMN changes.low_before IS 'The number before, in the metric''s unit.';
COMMENT ON COLUMN changes.low_after IS 'The number since, in the metric''s unit.';
COMMENT ON COLUMN changes.high_before IS 'The upper end before.';
COMMENT ON COLUMN changes.high_after IS 'The upper end since.';
COMMENT ON COLUMN changes.unit IS 'The metric''s canonical unit.';
COMMENT ON COLUMN changes.basis_before IS 'What the number was a number of before.';
COMMENT ON COLUMN changes.basis_after IS 'What the number is a number of since.';
COMMENT ON COLUMN changes.quote_before IS 'The words on the page before.';
COMMENT ON COLUMN changes.quote_after IS 'The words on the page since.';
COMMENT ON COLUMN changes.source_url IS 'The address of the page.';
COMMENT ON COLUMN changes.first_visit IS 'True where the page was read for the first time, so that nothing is news.';
COMMENT ON COLUMN changes.cause IS 'page, or both where another version of the reader read the page before, so that the change may be ours.';
COMMENT ON COLUMN changes.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN changes.version_before IS 'The version before; null for a new claim.';
COMMENT ON COLUMN changes.version_after IS 'The version since; null where it is not seen.';
COMMENT ON COLUMN changes.source_id IS 'The id of the page in the source list.';
COMMENT ON COLUMN changes.run_id IS 'The run that found it.';
COMMENT ON COLUMN changes.change_id IS 'The event''s number.';
