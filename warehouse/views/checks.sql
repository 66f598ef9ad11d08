CREATE OR REPLACE VIEW checks AS
WITH last AS (
    SELECT
        claim_key, version, name,
        arg_max(verdict, recorded_at) AS verdict,
        arg_max(reason, recorded_at) AS reason,
        arg_max(detail, recorded_at) AS detail,
        arg_max(check_version, recorded_at) AS check_version,
        arg_max(inputs, recorded_at) AS inputs,
        max(recorded_at) AS recorded_at
    FROM stored.checks GROUP BY claim_key, version, name
),
latest AS (
    SELECT * FROM stored.claim_versions
    QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
)
SELECT
    latest.vendor,
    latest.product,
    latest.metric,
    latest.text_value,
    last.name,
    last.verdict,
    last.reason,
    nullif(last.detail, '')::JSON AS detail,
    latest.evidence_quote AS quote,
    last.check_version,
    last.inputs,
    last.recorded_at,
    last.claim_key,
    last.version
FROM last JOIN latest USING (claim_key, version)
ORDER BY latest.vendor, latest.metric, last.claim_key, last.name;

COMMENT ON VIEW checks IS 'What was verified of the latest version of every claim: one row a check, its last verdict.';
COMMENT ON COLUMN checks.vendor IS 'The vendor''s id; null where the page does not say.';
COMMENT ON COLUMN checks.product IS 'The product''s id; null where the page does not say.';
COMMENT ON COLUMN checks.metric IS 'What is measured.';
COMMENT ON COLUMN checks.text_value IS 'The value as it stands on the page.';
COMMENT ON COLUMN checks.name IS 'The check: grounding, entailment.<field>, authority, agreement, arithmetic, arithmetic.sentence, plausibility, condition or staleness.';
COMMENT ON COLUMN checks.verdict IS 'What it found. CHECK_FAILED: it could not run, which is never a pass.';
COMMENT ON COLUMN checks.reason IS 'Why, in a sentence.';
COMMENT ON COLUMN checks.detail IS 'For who follows the reason: both readings of a slip, the other claim and both quotes, the programs that were run.';
COMMENT ON COLUMN checks.quote IS 'The words on the page that carry the claim.';
COMMENT ON COLUMN checks.check_version IS 'The version of the check.';
COMMENT ON COLUMN checks.inputs IS 'A digest of what the verdict rests on: while it stays the same the check is not run again.';
COMMENT ON COLUMN checks.recorded_at IS 'When the verdict was found (UTC).';
COMMENT ON COLUMN checks.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN checks.version IS 'The claim''s version.';
