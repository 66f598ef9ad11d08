-- Two clocks: what the sources had said by one moment, as we know it now or as we knew it at another.
CREATE OR REPLACE MACRO claims_as_of
    (said_by) AS TABLE (
    SELECT
        version.vendor, version.product, version.metric, version.low, version.high, version.unit,
        version.text_value, version.bound, version.best_case, version.basis, version.direction,
        version.condition, version.baseline, version.qualifiers, version.flags,
        version.evidence_quote AS quote, version.evidence_path AS path, page.url AS source_url, page.tier,
        coalesce(sighting.not_seen, 0) = 0 AS seen, coalesce(sighting.not_seen, 0) AS not_seen,
        version.valid_from, version.recorded_at, version.version, version.cause, version.claim_key,
        version.source_id, version.snapshot_sha256, version.extractor
    FROM (
        SELECT * FROM stored.claim_versions
        WHERE valid_from <= moment(said_by)
        QUALIFY row_number() OVER (PARTITION BY source_id, claim_key ORDER BY version DESC) = 1
    ) AS version
    LEFT JOIN (
        SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings
        WHERE recorded_at <= moment(said_by) GROUP BY claim_key
    ) AS sighting USING (claim_key)
    LEFT JOIN (
        SELECT * FROM stored.sources
        QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
    ) AS page USING (source_id)),
    (said_by, believed_on) AS TABLE (
    SELECT
        version.vendor, version.product, version.metric, version.low, version.high, version.unit,
        version.text_value, version.bound, version.best_case, version.basis, version.direction,
        version.condition, version.baseline, version.qualifiers, version.flags,
        version.evidence_quote AS quote, version.evidence_path AS path, page.url AS source_url, page.tier,
        coalesce(sighting.not_seen, 0) = 0 AS seen, coalesce(sighting.not_seen, 0) AS not_seen,
        version.valid_from, version.recorded_at, version.version, version.cause, version.claim_key,
        version.source_id, version.snapshot_sha256, version.extractor
    FROM (
        SELECT * FROM stored.claim_versions
        WHERE valid_from <= moment(said_by) AND recorded_at <= moment(believed_on)
        QUALIFY row_number() OVER (PARTITION BY source_id, claim_key ORDER BY version DESC) = 1
    ) AS version
    LEFT JOIN (
        SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings
        WHERE recorded_at <= least(moment(said_by), moment(believed_on)) GROUP BY claim_key
    ) AS sighting USING (claim_key)
    LEFT JOIN (
        SELECT * FROM stored.sources
        QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
    ) AS page USING (source_id));
COMMENT ON MACRO TABLE claims_as_of IS 'claims_as_of(D): what sources had said by D, as we know it now. claims_as_of(D2, D): what we believed on D that they had said by D2. A date counts to its end, in UTC.';
