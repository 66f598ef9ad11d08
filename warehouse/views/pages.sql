CREATE OR REPLACE VIEW pages AS
WITH page AS (
    SELECT * FROM stored.sources
    QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
),
visit AS (
    SELECT
        source_id,
        max(visited_at) AS visited_at,
        arg_max(status, visit_id) AS status,
        max(visited_at) FILTER (status IN ('changed', 'unchanged')) AS there_at,
        max(visited_at) FILTER (status = 'changed') AS changed_at,
        count(*)::INTEGER AS visits
    FROM stored.visits GROUP BY source_id
),
stated AS (
    SELECT source_id, count(DISTINCT claim_key)::INTEGER AS claims FROM stored.claim_versions GROUP BY source_id
),
reading AS (
    SELECT source_id, arg_max(extractor, reading_id) AS extractor FROM stored.readings GROUP BY source_id
),
held AS (
    SELECT DISTINCT source_id FROM stored.holds ANTI JOIN stored.releases USING (hold_id)
)
SELECT
    page.source_id,
    page.vendor,
    page.product,
    page.tier,
    page.tier IN ('T1', 'T2') AS first_hand,
    page.url AS source_url,
    page.language,
    visit.visited_at,
    visit.status,
    visit.there_at,
    visit.changed_at,
    visit.visits,
    coalesce(stated.claims, 0) AS claims,
    held.source_id IS NOT NULL AS held,
    reading.extractor
FROM page
LEFT JOIN visit USING (source_id)
LEFT JOIN stated USING (source_id)
LEFT JOIN reading USING (source_id)
LEFT JOIN held USING (source_id)
ORDER BY page.source_id;

COMMENT ON VIEW pages IS 'Every page that is or was watched, and when it was last there.';
COMMENT ON COLUMN pages.source_id IS 'The page''s id in the source list.';
COMMENT ON COLUMN pages.vendor IS 'Whose page it is; null where it is no vendor''s.';
COMMENT ON COLUMN pages.product IS 'What it is about.';
COMMENT ON COLUMN pages.tier IS 'T1 official page, T2 official docs or paper, T3 third party that measured, T4 repetition.';
COMMENT ON COLUMN pages.first_hand IS 'True for T1 and T2.';
COMMENT ON COLUMN pages.source_url IS 'The address of the page.';
COMMENT ON COLUMN pages.language IS 'The page''s language.';
COMMENT ON COLUMN pages.visited_at IS 'When it was last asked for (UTC).';
COMMENT ON COLUMN pages.status IS 'What the last visit brought: changed, unchanged, gone or failed.';
COMMENT ON COLUMN pages.there_at IS 'When it last came whole (UTC).';
COMMENT ON COLUMN pages.changed_at IS 'When its bytes last differed (UTC).';
COMMENT ON COLUMN pages.visits IS 'How often it was asked for.';
COMMENT ON COLUMN pages.claims IS 'How many claims it ever stated.';
COMMENT ON COLUMN pages.held IS 'True while it is held (see holds).';
COMMENT ON COLUMN pages.extractor IS 'What read it last, with its version.';
