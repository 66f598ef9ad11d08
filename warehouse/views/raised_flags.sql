CREATE OR REPLACE VIEW raised_flags AS
SELECT
    version.vendor,
    version.metric,
    version.text_value,
    flag.name AS flag,
    flag.question_en,
    flag.question_zh,
    flag.flag_id,
    flag.claim_key,
    flag.version,
    version.recorded_at,
    version.run_id
FROM stored.flags AS flag
JOIN stored.claim_versions AS version USING (claim_key, version)
ANTI JOIN stored.flags AS earlier ON earlier.claim_key = flag.claim_key AND earlier.name = flag.name
    AND earlier.version = flag.version - 1
ANTI JOIN (SELECT claim_key, run_id FROM stored.changes WHERE first_visit) AS first
    ON first.claim_key = flag.claim_key AND first.run_id = version.run_id
ORDER BY version.recorded_at, version.vendor, version.metric, flag.flag_id;

COMMENT ON VIEW raised_flags IS 'Questions that a claim raised anew after its page was first read: the version before did not raise them.';
COMMENT ON COLUMN raised_flags.vendor IS 'The claim''s vendor.';
COMMENT ON COLUMN raised_flags.metric IS 'What is measured.';
COMMENT ON COLUMN raised_flags.text_value IS 'The value as on its page.';
COMMENT ON COLUMN raised_flags.flag IS 'Which ambiguity it is.';
COMMENT ON COLUMN raised_flags.question_en IS 'What to ask, in English.';
COMMENT ON COLUMN raised_flags.question_zh IS 'What to ask, in Chinese.';
COMMENT ON COLUMN raised_flags.flag_id IS 'The name by which the flag is settled.';
COMMENT ON COLUMN raised_flags.claim_key IS 'The claim''s name.';
COMMENT ON COLUMN raised_flags.version IS 'The version of the claim that raised it.';
COMMENT ON COLUMN raised_flags.recorded_at IS 'When that version was recorded (UTC).';
COMMENT ON COLUMN raised_flags.run_id IS 'The run that recorded it.';
