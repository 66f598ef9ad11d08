CREATE OR REPLACE VIEW claim_standing AS
WITH latest AS (
    SELECT * FROM stored.claim_versions
    QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
),
sighting AS (
    SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings GROUP BY claim_key
),
last AS (
    SELECT claim_key, version, name, arg_max(verdict, recorded_at) AS verdict, arg_max(reason, recorded_at) AS reason
    FROM stored.checks GROUP BY claim_key, version, name
),
verdicts AS (
    SELECT
        claim_key, version,
        any_value(verdict) FILTER (name = 'grounding') AS grounding,
        any_value(verdict) FILTER (name = 'entailment.value') AS entailed,
        any_value(verdict) FILTER (name = 'authority') AS authority,
        any_value(verdict) FILTER (name = 'agreement') AS agreement,
        any_value(verdict) FILTER (name = 'arithmetic') AS arithmetic,
        any_value(verdict) FILTER (name = 'arithmetic.sentence') AS sentence,
        any_value(verdict) FILTER (name = 'plausibility') AS plausibility,
        any_value(verdict) FILTER (name = 'condition') AS condition,
        any_value(reason) FILTER (name = 'grounding') AS grounding_reason,
        any_value(reason) FILTER (name = 'entailment.value') AS entailed_reason,
        any_value(reason) FILTER (name = 'authority') AS authority_reason,
        any_value(reason) FILTER (name = 'agreement') AS agreement_reason,
        any_value(reason) FILTER (name = 'arithmetic') AS arithmetic_reason,
        any_value(reason) FILTER (name = 'arithmetic.sentence') AS sentence_reason,
        any_value(reason) FILTER (name = 'plausibility') AS plausibility_reason,
        any_value(reason) FILTER (name = 'condition') AS condition_reason,
        list(name || ' (' || reason || ')' ORDER BY name) FILTER (verdict = 'CHECK_FAILED') AS failed,
        list(replace(name, 'entailment.', '') || ': ' || reason ORDER BY name)
            FILTER (verdict = 'CONTRADICTED') AS contradicted,
        -- A check that was not run yet is no pass either.
        list_filter(
            ['grounding', 'entailment.value', 'entailment.unit', 'entailment.subject', 'entailment.metric',
             'entailment.basis', 'entailment.bound', 'condition', 'arithmetic.sentence', 'plausibility',
             'authority', 'agreement', 'arithmetic', 'staleness'],
            lambda wanted: NOT list_contains(list(name), wanted)) AS missing
    FROM last GROUP BY claim_key, version
),
open AS (
    -- A flag of the first list asks for a condition and leaves the number as it is; the others leave readings open.
    SELECT
        flag.claim_key, flag.version,
        list(flag.name ORDER BY flag.name) FILTER (flag.name IN (
            'peak_without_load', 'no_test_condition', 'fault_class_unspecified', 'sla_terms_unspecified',
            'on_request_only', 'no_baseline', 'capacity_formula', 'not_disclosed')) AS to_test,
        list(flag.name ORDER BY flag.name) FILTER (flag.name NOT IN (
            'peak_without_load', 'no_test_condition', 'fault_class_unspecified', 'sla_terms_unspecified',
            'on_request_only', 'no_baseline', 'capacity_formula', 'not_disclosed')) AS to_settle
    FROM stored.flags AS flag
    ANTI JOIN (FROM answers WHERE settles) AS answer
        ON answer.claim_key = flag.claim_key AND answer.version = flag.version AND answer.flag = flag.name
    GROUP BY flag.claim_key, flag.version
),
said AS (
    -- A reviewer's word on the whole claim.
    SELECT claim_key, version, kind, who, note FROM answers WHERE flag = 'claim' AND kind IN ('rejected', 'corrected')
),
judged AS (
    SELECT
        latest.claim_key,
        latest.version,
        latest.vendor,
        CASE
            WHEN said.kind = 'rejected' THEN 'UNSUPPORTED'
            WHEN coalesce(sighting.not_seen, 0) > 0 THEN 'STALE'
            WHEN v.claim_key IS NULL OR v.failed IS NOT NULL OR len(v.missing) > 0 THEN 'UNSUPPORTED'
            WHEN v.grounding NOT IN ('EXACT', 'NORMALISED') THEN 'UNSUPPORTED'
            WHEN said.kind IS NULL AND (v.contradicted IS NOT NULL OR v.entailed NOT IN ('STATED', 'DERIVED'))
                THEN 'UNSUPPORTED'
            WHEN v.authority = 'T4' THEN 'UNSUPPORTED'
            WHEN v.plausibility = 'ABOVE_BOUND' THEN 'IMPLAUSIBLE'
            WHEN v.agreement = 'CONFLICT' OR 'FAIL' IN (v.arithmetic, v.sentence) THEN 'CONFLICTING'
            WHEN open.to_settle IS NOT NULL THEN 'AMBIGUOUS'
            WHEN open.to_test IS NOT NULL OR v.condition = 'NOT_STATED' OR latest.bound <> 'exact' OR latest.best_case
                OR cardinality(latest.condition) > 0 OR v.authority = 'T3' OR said.kind IS NOT NULL THEN 'QUALIFIED'
            ELSE 'VERIFIED'
        END AS roll_up,
        v.condition = 'NOT_STATED' OR open.to_test IS NOT NULL AS needs_test,
        open.to_settle,
        open.to_test,
        sighting.not_seen,
        latest.bound,
        latest.best_case,
        latest.condition AS stated_of,
        said.kind AS said,
        said.who AS said_by,
        said.note AS said_why,
        v.* EXCLUDE (claim_key, version)
    FROM latest
    LEFT JOIN verdicts AS v ON v.claim_key = latest.claim_key AND v.version = latest.version
    LEFT JOIN open ON open.claim_key = latest.claim_key AND open.version = latest.version
    LEFT JOIN sighting ON sighting.claim_key = latest.claim_key
    LEFT JOIN said ON said.claim_key = latest.claim_key AND said.version = latest.version
)
SELECT
    claim_key,
    version,
    vendor,
    roll_up,
    CASE
        WHEN roll_up IN ('AMBIGUOUS', 'CONFLICTING') THEN 'sources_differ'
        WHEN roll_up IN ('VERIFIED', 'QUALIFIED') AND needs_test THEN 'test_yourself'
        WHEN roll_up IN ('VERIFIED', 'QUALIFIED') THEN 'officially_stated'
    END AS reading,
    CASE roll_up
        WHEN 'STALE' THEN 'not on its page for ' || not_seen || if(not_seen = 1, ' visit', ' visits')
        WHEN 'UNSUPPORTED' THEN CASE
            WHEN said = 'rejected' THEN 'a reviewer rejected it: ' || concat_ws(': ', said_by, nullif(said_why, ''))
            WHEN failed IS NOT NULL THEN 'a check could not run: ' || array_to_string(failed, '; ')
            WHEN missing IS NULL THEN 'never verified'
            WHEN len(missing) > 0 THEN 'not verified yet: ' || array_to_string(missing, ', ')
            WHEN grounding NOT IN ('EXACT', 'NORMALISED') THEN 'grounding: ' || grounding_reason
            WHEN contradicted IS NOT NULL THEN array_to_string(contradicted, '; ')
            WHEN entailed NOT IN ('STATED', 'DERIVED') THEN 'value: ' || entailed_reason
            ELSE 'authority: ' || authority_reason
        END
        WHEN 'IMPLAUSIBLE' THEN plausibility_reason
        WHEN 'CONFLICTING' THEN CASE
            WHEN agreement = 'CONFLICT' THEN agreement_reason
            WHEN arithmetic = 'FAIL' THEN arithmetic_reason
            ELSE sentence_reason
        END
        WHEN 'AMBIGUOUS' THEN 'open: ' || array_to_string(to_settle, ', ')
        WHEN 'QUALIFIED' THEN concat_ws('; ', CASE WHEN condition = 'NOT_STATED' THEN condition_reason END,
            'open: ' || array_to_string(to_test, ', '),
            CASE WHEN bound <> 'exact' THEN 'stated as ' || replace(bound, '_', ' ') END,
            CASE WHEN best_case THEN 'the best case' END,
            'stated of ' || nullif(array_to_string(
                list_transform(map_entries(stated_of), lambda entry: entry.key || ' ' || entry.value), ', '), ''),
            CASE WHEN authority = 'T3' THEN 'a third party says it' END,
            CASE WHEN said = 'corrected' THEN 'a reviewer corrected it: ' || concat_ws(': ', said_by, nullif(said_why, '')) END)
        ELSE ''
    END AS why,
    roll_up IN ('VERIFIED', 'QUALIFIED', 'AMBIGUOUS') AS may_rank,
    grounding,
    entailed,
    authority,
    agreement,
    arithmetic,
    plausibility,
    condition
FROM judged;

COMMENT ON VIEW claim_standing IS 'Where each claim stands after all checks: its roll-up, its reading for a buyer, and why.';
COMMENT ON COLUMN claim_standing.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN claim_standing.version IS 'Its latest version, which is judged.';
COMMENT ON COLUMN claim_standing.vendor IS 'The vendor''s id; null where the page does not say.';
COMMENT ON COLUMN claim_standing.roll_up IS 'VERIFIED, QUALIFIED (true with a condition or bound), AMBIGUOUS (a flag leaves readings open), CONFLICTING, IMPLAUSIBLE, UNSUPPORTED or STALE.';
COMMENT ON COLUMN claim_standing.reading IS 'officially_stated, sources_differ (in basis, or outright) or test_yourself (only a test of your own can tell); null where it is not to be used.';
COMMENT ON COLUMN claim_standing.why IS 'What decided the roll-up; empty where nothing stands against it.';
COMMENT ON COLUMN claim_standing.may_rank IS 'True where it may support a score: verified, qualified, or under one of its open readings.';
COMMENT ON COLUMN claim_standing.grounding IS 'Whether the quote stands on the page.';
COMMENT ON COLUMN claim_standing.entailed IS 'Whether the figure follows from the quote.';
COMMENT ON COLUMN claim_standing.authority IS 'T1 to T4: how close the page is to what it says, repetitions recognised.';
COMMENT ON COLUMN claim_standing.agreement IS 'SINGLE, AGREE (with another origin) or CONFLICT.';
COMMENT ON COLUMN claim_standing.arithmetic IS 'Whether calculations with other claims of the product hold.';
COMMENT ON COLUMN claim_standing.plausibility IS 'Whether the figure is within what hardware can do.';
COMMENT ON COLUMN claim_standing.condition IS 'Whether what the number needs beside it is stated.';
