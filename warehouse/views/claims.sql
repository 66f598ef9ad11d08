CREATE OR REPLACE VIEW claims AS
WITH latest AS (
    SELECT * FROM stored.claim_versions
    QUALIFY row_number() OVER (PARTITION BY source_id, claim_key ORDER BY version DESC) = 1
),
sighting AS (
    SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings GROUP BY claim_key
),
held AS (
    SELECT DISTINCT source_id FROM stored.holds ANTI JOIN stored.releases USING (hold_id)
),
page AS (
    SELECT * FROM stored.sources
    QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
)
SELECT
    latest.vendor,
    latest.product,
    latest.metric,
    latest.low,
    latest.high,
    latest.unit,
    latest.text_value,
    latest.bound,
    latest.best_case,
    latest.basis,
    latest.direction,
    latest.condition,
    latest.baseline,
    latest.qualifiers,
    latest.flags,
    latest.evidence_quote AS quote,
    latest.evidence_path AS path,
    page.url AS source_url,
    page.tier,
    coalesce(sighting.not_seen, 0) = 0 AS seen,
    coalesce(sighting.not_seen, 0) AS not_seen,
    held.source_id IS NOT NULL AS held,
    judged.roll_up,
    judged.reading,
    judged.why,
    latest.valid_from,
    latest.recorded_at,
    latest.version,
    latest.claim_key,
    latest.source_id,
    latest.snapshot_sha256,
    latest.extractor
FROM latest
LEFT JOIN sighting USING (claim_key)
LEFT JOIN page USING (source_id)
LEFT JOIN held USING (source_id)
LEFT JOIN claim_standing AS judged ON judged.claim_key = latest.claim_key
ORDER BY latest.vendor, latest.metric, latest.claim_key;

COMMENT ON VIEW claims IS 'What the sources say now: the latest version of every claim, those no longer seen included.';
COMMENT ON COLUMN claims.vendor IS 'The vendor''s id; null where the page does not say.';
COMMENT ON COLUMN claims.product IS 'The product''s id; null where the page does not say.';
COMMENT ON COLUMN claims.metric IS 'What is measured.';
COMMENT ON COLUMN claims.low IS 'The number in the metric''s unit; of a range its lower end. Null where only a cap is known.';
COMMENT ON COLUMN claims.high IS 'The upper end of a range or order of magnitude, or the cap of a formula; else null.';
COMMENT ON COLUMN claims.unit IS 'The metric''s canonical unit.';
COMMENT ON COLUMN claims.text_value IS 'The value as it stands on the page.';
COMMENT ON COLUMN claims.bound IS 'How the number limits the quantity: exact, at_least, at_most, range, approx, order_of_magnitude or formula.';
COMMENT ON COLUMN claims.best_case IS 'True where the page words it as the best attainable.';
COMMENT ON COLUMN claims.basis IS 'What the number is a number of, such as per_machine or per_cluster.';
COMMENT ON COLUMN claims.direction IS 'Of a bandwidth: unidirectional, bidirectional or unspecified.';
COMMENT ON COLUMN claims.condition IS 'What is stated of how it was measured; read one with condition[''access''].';
COMMENT ON COLUMN claims.baseline IS 'What a relative claim compares with; null where it does not say.';
COMMENT ON COLUMN claims.qualifiers IS 'What separates the claim from its neighbours on the page, such as tier or model.';
COMMENT ON COLUMN claims.flags IS 'Names of the ambiguities that were raised; the unsettled ones are in open_flags.';
COMMENT ON COLUMN claims.quote IS 'The words on the page that carry the claim.';
COMMENT ON COLUMN claims.path IS 'What stands over the words: headings, or the table''s row and column headers.';
COMMENT ON COLUMN claims.source_url IS 'The address of the page.';
COMMENT ON COLUMN claims.tier IS 'How close the source is: T1 product page, T2 official docs or paper, T3 third party that measured, T4 repetition.';
COMMENT ON COLUMN claims.seen IS 'True where the page said it on the last visit that could tell.';
COMMENT ON COLUMN claims.not_seen IS 'Visits in a row on which it was not there; 0 where it is there. Never a retraction.';
COMMENT ON COLUMN claims.held IS 'True where the page is held (see holds), so that the claim stands as it was before.';
COMMENT ON COLUMN claims.roll_up IS 'Where it stands after all checks: VERIFIED, QUALIFIED, AMBIGUOUS, CONFLICTING, IMPLAUSIBLE, UNSUPPORTED or STALE.';
COMMENT ON COLUMN claims.reading IS 'For a buyer: officially_stated, sources_differ or test_yourself; null where it is not to be used.';
COMMENT ON COLUMN claims.why IS 'What decided the roll-up; empty where nothing stands against it.';
COMMENT ON COLUMN claims.valid_from IS 'When the source was first seen to say this version (UTC).';
COMMENT ON COLUMN claims.recorded_at IS 'When this version was written into the ledger (UTC).';
COMMENT ON COLUMN claims.version IS 'How many times the claim has been stated differently, counting from 1.';
COMMENT ON COLUMN claims.claim_key IS 'The claim''s name, the same across all its versions.';
COMMENT ON COLUMN claims.source_id IS 'The id of the page in the source list.';
COMMENT ON COLUMN claims.snapshot_sha256 IS 'The hash of the page''s bytes from which this version was read.';
COMMENT ON COLUMN claims.extractor IS 'What read it, with its version.';
