CREATE OR REPLACE VIEW ranking_causes AS
WITH step AS (
    SELECT ranking_id, scorecard, variant, run_id, recorded_at,
        lag(ranking_id) OVER kept AS before, lag(recorded_at) OVER kept AS recorded_before
    FROM stored.rankings WHERE variant <> 'proposed'
    WINDOW kept AS (PARTITION BY scorecard, variant ORDER BY ranking_id)
    UNION ALL
    SELECT proposed.ranking_id, scorecard, 'proposed', run_id, proposed.recorded_at, standing.ranking_id,
        standing.recorded_at
    FROM stored.rankings AS proposed JOIN stored.rankings AS standing USING (scorecard, run_id)
    WHERE proposed.variant = 'proposed' AND standing.variant = 'standing'
),
counted AS (
    SELECT ranking_id, vendor, claim_key, any_value(version) AS version,
        list((dimension, criterion, low, high, flags) ORDER BY dimension, criterion) AS scored
    FROM stored.derived_claims GROUP BY ALL
),
told AS (
    -- Who is not sure, or has the vendor asked, moves nothing; and what is repeated on a later version was said before.
    SELECT said.claim_key, said.decided_at, said.decision_id,
        CASE
            WHEN said.kind = 'reading' THEN said.name || ' is ' || said.reading
            WHEN said.kind <> 'undone' THEN said.kind
            WHEN said.name = 'claim' THEN back.kind || ' is taken back'
            ELSE said.name || ' is open again'
        END || ', says ' || said.who AS words
    FROM stored.decisions AS said LEFT JOIN stored.decisions AS back ON back.decision_id = said.undoes
    WHERE coalesce(back.kind, said.kind) IN ('reading', 'corrected', 'rejected') AND said.carried_from IS NULL
),
moved AS (
    SELECT DISTINCT step.ranking_id, step.before, step.scorecard, step.variant,
        coalesce(now.vendor, past.vendor) AS vendor,
        coalesce(now.claim_key, past.claim_key) AS claim_key,
        past.version AS version_before, now.version AS version,
        CASE
            WHEN decided.words IS NOT NULL AND NOT coalesce(now.version <> past.version, false) THEN 'settled'
            WHEN past.version IS NULL THEN 'counts'
            WHEN now.version IS NULL THEN 'counts_no_more'
            WHEN now.version <> past.version THEN 'changed'
            ELSE 'scored_otherwise'
        END AS kind,
        concat_ws('; ', decided.words, left_out.reason) AS note
    FROM (
        SELECT ranking_id, unnest([ranking_id, before]) AS either FROM step
        WHERE variant = 'derived' AND before IS NOT NULL
    ) AS pair
    JOIN step USING (ranking_id)
    JOIN (SELECT DISTINCT ranking_id AS either, vendor, claim_key FROM counted) AS claim ON claim.either = pair.either
    LEFT JOIN counted AS now ON now.ranking_id = step.ranking_id AND now.vendor = claim.vendor AND now.claim_key = claim.claim_key
    LEFT JOIN counted AS past ON past.ranking_id = step.before AND past.vendor = claim.vendor AND past.claim_key = claim.claim_key
    LEFT JOIN stored.derived_left_out AS left_out
        ON left_out.ranking_id = step.ranking_id AND left_out.claim_key = claim.claim_key AND now.version IS NULL
    LEFT JOIN LATERAL (
        SELECT string_agg(words, '; ' ORDER BY decision_id) AS words FROM told
        WHERE told.claim_key = claim.claim_key
            AND decided_at > step.recorded_before AND decided_at <= step.recorded_at
    ) AS decided ON true
    WHERE now.version IS DISTINCT FROM past.version OR now.scored IS DISTINCT FROM past.scored
)
SELECT
    cause.scorecard,
    cause.variant,
    cause.vendor,
    cause.kind,
    coalesce(now.metric, past.metric) AS metric,
    coalesce(now.qualifiers['capability'], past.qualifiers['capability']) AS capability,
    past.text_value AS text_before,
    now.text_value AS text_after,
    cause.note,
    cause.claim_key,
    cause.version_before,
    cause.version,
    cause.ranking_id,
    cause.before
FROM (
    FROM moved
    UNION ALL BY NAME
    SELECT proposal.ranking_id, proposal.before, proposal.scorecard, proposal.variant, proposal.vendor,
        proposal.claim_key, NULL AS version_before,
        (SELECT max(version) FROM stored.claim_versions AS said
            WHERE said.claim_key = proposal.claim_key AND said.run_id <= proposal.run_id) AS version,
        'proposed' AS kind, proposal.dimension || if(by_peers, ', as peers state', ', by the rubric') AS note
    FROM (
        SELECT step.*, vendor, dimension, unnest(claim_keys) AS claim_key, by_peers
        FROM step JOIN (
            SELECT *, len(peers) > 0 AS by_peers,
                bool_or(len(peers) > 0) OVER (PARTITION BY scorecard, run_id) AS some_by_peers
            FROM stored.proposals
        ) AS offered USING (scorecard, run_id)
        WHERE step.variant = 'proposed' AND by_peers = some_by_peers
    ) AS proposal
    UNION ALL BY NAME
    SELECT step.ranking_id, step.before, step.scorecard, step.variant, word.vendor, NULL AS claim_key,
        NULL AS version_before, NULL AS version, 'confirmed' AS kind,
        word.dimension || ' by ' || word.who || if(word.note = '', '', ': ' || word.note) AS note
    FROM step JOIN stored.score_words AS word USING (scorecard, run_id)
    WHERE step.variant = 'standing' AND step.before IS NOT NULL
    UNION ALL BY NAME
    SELECT DISTINCT step.ranking_id, step.before, step.scorecard, step.variant, NULL AS vendor, NULL AS claim_key,
        NULL AS version_before, NULL AS version, 'scorecard' AS kind, 'its file changed' AS note
    FROM step JOIN stored.scorecards AS content USING (scorecard)
    WHERE step.before IS NOT NULL AND step.variant <> 'proposed'
        AND content.recorded_at > step.recorded_before AND content.recorded_at <= step.recorded_at
) AS cause
LEFT JOIN stored.claim_versions AS now ON now.claim_key = cause.claim_key AND now.version = cause.version
LEFT JOIN stored.claim_versions AS past ON past.claim_key = cause.claim_key AND past.version = cause.version_before
ORDER BY cause.ranking_id, cause.vendor, cause.kind, metric, cause.claim_key;

COMMENT ON VIEW ranking_causes IS 'Why a kept ranking differs from the one before it: claims under it that count otherwise, words of persons, the scorecard''s file.';
COMMENT ON COLUMN ranking_causes.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN ranking_causes.variant IS 'standing (published scores), proposed (held against the standing ranking of its run) or derived (from claims).';
COMMENT ON COLUMN ranking_causes.vendor IS 'The vendor whose score it moves; null where it may be all.';
COMMENT ON COLUMN ranking_causes.kind IS 'counts, counts_no_more, changed, settled (a person answered a question about it, or rejected it), scored_otherwise, proposed, confirmed (a person''s word on the score) or scorecard.';
COMMENT ON COLUMN ranking_causes.metric IS 'The claim''s metric; null where the cause is no claim.';
COMMENT ON COLUMN ranking_causes.capability IS 'Of a capability, which one.';
COMMENT ON COLUMN ranking_causes.text_before IS 'The value that counted before, as on its page.';
COMMENT ON COLUMN ranking_causes.text_after IS 'The value that counts now.';
COMMENT ON COLUMN ranking_causes.note IS 'Who said what, and why a claim counts no more.';
COMMENT ON COLUMN ranking_causes.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN ranking_causes.version_before IS 'Its version that counted before.';
COMMENT ON COLUMN ranking_causes.version IS 'Its version that counts now.';
COMMENT ON COLUMN ranking_causes.ranking_id IS 'The ranking''s number.';
COMMENT ON COLUMN ranking_causes.before IS 'The number of the ranking before it.';
