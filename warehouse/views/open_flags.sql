CREATE OR REPLACE VIEW open_flags AS
SELECT
    flag.flag_id,
    claim.vendor,
    claim.product,
    claim.metric,
    flag.name AS flag,
    claim.text_value,
    claim.low,
    claim.high,
    claim.unit,
    flag.question_en,
    flag.question_zh,
    flag.readings,
    claim.quote,
    claim.source_url,
    claim.not_seen,
    claim.recorded_at AS raised_at,
    claim.claim_key,
    claim.version,
    answer.kind AS marked,
    answer.who AS marked_by,
    answer.note AS marked_why
FROM stored.flags AS flag
JOIN claims AS claim ON claim.claim_key = flag.claim_key AND claim.version = flag.version
LEFT JOIN answers AS answer
    ON answer.claim_key = flag.claim_key AND answer.version = flag.version AND answer.flag = flag.name
WHERE NOT coalesce(answer.settles, false)
ORDER BY claim.vendor, claim.metric, flag.flag_id;

COMMENT ON VIEW open_flags IS 'Ambiguities of the latest claims that nobody has settled yet. A decision holds while the words are the same.';
COMMENT ON COLUMN open_flags.flag_id IS 'The name by which the flag is settled.';
COMMENT ON COLUMN open_flags.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN open_flags.product IS 'The product''s id.';
COMMENT ON COLUMN open_flags.metric IS 'What is measured.';
COMMENT ON COLUMN open_flags.flag IS 'Which ambiguity it is.';
COMMENT ON COLUMN open_flags.text_value IS 'The value as it stands on the page.';
COMMENT ON COLUMN open_flags.low IS 'The number as read for now, in the metric''s unit.';
COMMENT ON COLUMN open_flags.high IS 'The upper end as read for now; null where there is none.';
COMMENT ON COLUMN open_flags.unit IS 'The metric''s canonical unit.';
COMMENT ON COLUMN open_flags.question_en IS 'What to ask the vendor, in English.';
COMMENT ON COLUMN open_flags.question_zh IS 'What to ask the vendor, in Chinese.';
COMMENT ON COLUMN open_flags.readings IS 'The admissible answers, each with the value under it.';
COMMENT ON COLUMN open_flags.quote IS 'The words on the page that carry the claim.';
COMMENT ON COLUMN open_flags.source_url IS 'The address of the page.';
COMMENT ON COLUMN open_flags.not_seen IS 'Visits in a row on which the claim was not there.';
COMMENT ON COLUMN open_flags.raised_at IS 'When the version that raises the question was written (UTC).';
COMMENT ON COLUMN open_flags.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN open_flags.version IS 'The version of the claim that raises the question.';
COMMENT ON COLUMN open_flags.marked IS 'unsure or ask_vendor where a reviewer looked at it and could not tell; else null.';
COMMENT ON COLUMN open_flags.marked_by IS 'Who marked it.';
COMMENT ON COLUMN open_flags.marked_why IS 'Why, in their words.';
