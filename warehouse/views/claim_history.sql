CREATE OR REPLACE VIEW claim_history AS
SELECT
    claim_key,
    version,
    vendor,
    product,
    metric,
    low,
    high,
    unit,
    text_value,
    bound,
    best_case,
    basis,
    direction,
    condition,
    baseline,
    qualifiers,
    flags,
    evidence_quote AS quote,
    evidence_path AS path,
    valid_from,
    lead(valid_from) OVER (PARTITION BY source_id, claim_key ORDER BY version) AS valid_to,
    recorded_at,
    CASE WHEN lead(cause) OVER (PARTITION BY source_id, claim_key ORDER BY version) IN ('rereading', 'review')
        THEN lead(recorded_at) OVER (PARTITION BY source_id, claim_key ORDER BY version) END AS corrected_at,
    cause,
    run_id,
    source_id,
    snapshot_sha256,
    extractor
FROM stored.claim_versions
ORDER BY claim_key, version;

COMMENT ON VIEW claim_history IS 'Every version of every claim, each with the time in which the source was known to say it.';
COMMENT ON COLUMN claim_history.claim_key IS 'The claim''s name, the same across all its versions.';
COMMENT ON COLUMN claim_history.version IS 'The version''s number, counting from 1.';
COMMENT ON COLUMN claim_history.vendor IS 'The vendor''s id; null where the page does not say.';
COMMENT ON COLUMN claim_history.product IS 'The product''s id; null where the page does not say.';
COMMENT ON COLUMN claim_history.metric IS 'What is measured.';
COMMENT ON COLUMN claim_history.low IS 'The number in the metric''s unit; of a range its lower end.';
COMMENT ON COLUMN claim_history.high IS 'The upper end of a range or order of magnitude, or the cap of a formula; else null.';
COMMENT ON COLUMN claim_history.unit IS 'The metric''s canonical unit.';
COMMENT ON COLUMN claim_history.text_value IS 'The value as it stood on the page.';
COMMENT ON COLUMN claim_history.bound IS 'How the number limits the quantity.';
COMMENT ON COLUMN claim_history.best_case IS 'True where the page worded it as the best attainable.';
COMMENT ON COLUMN claim_history.basis IS 'What the number is a number of.';
COMMENT ON COLUMN claim_history.direction IS 'Of a bandwidth: unidirectional, bidirectional or unspecified.';
COMMENT ON COLUMN claim_history.condition IS 'What was stated of how it was measured.';
COMMENT ON COLUMN claim_history.baseline IS 'What a relative claim compared with.';
COMMENT ON COLUMN claim_history.qualifiers IS 'What separated the claim from its neighbours on the page.';
COMMENT ON COLUMN claim_history.flags IS 'Names of the ambiguities that were raised on this version.';
COMMENT ON COLUMN claim_history.quote IS 'The words on the page that carried this version.';
COMMENT ON COLUMN claim_history.path IS 'What stood over the words: headings, or row and column headers.';
COMMENT ON COLUMN claim_history.valid_from IS 'When the source was first seen to say this version (UTC).';
COMMENT ON COLUMN claim_history.valid_to IS 'When the source was first seen to say the next version; null for the latest. Equal to valid_from where it was corrected.';
COMMENT ON COLUMN claim_history.recorded_at IS 'When this version was written into the ledger (UTC).';
COMMENT ON COLUMN claim_history.corrected_at IS 'When we or a reviewer read the same words otherwise, so that the next version takes this one''s place from its start; else null (UTC).';
COMMENT ON COLUMN claim_history.cause IS 'page: the source said something new. rereading: another version of the reader read words that were there before. review: a person corrected it, or took that back.';
COMMENT ON COLUMN claim_history.run_id IS 'The run that wrote it.';
COMMENT ON COLUMN claim_history.source_id IS 'The id of the page in the source list.';
COMMENT ON COLUMN claim_history.snapshot_sha256 IS 'The hash of the page''s bytes from which this version was read.';
COMMENT ON COLUMN claim_history.extractor IS 'What read it, with its version.';
