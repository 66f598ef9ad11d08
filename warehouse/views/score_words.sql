CREATE OR REPLACE VIEW score_words AS
SELECT
    scorecard,
    vendor,
    dimension,
    standing,
    score,
    who,
    note,
    said_at,
    published,
    change_id,
    run_id,
    word_id
FROM stored.score_words
ORDER BY word_id;

COMMENT ON VIEW score_words IS 'What persons said about published scores whose claims had changed; the last word on a score holds.';
COMMENT ON COLUMN score_words.scorecard IS 'The scorecard''s id.';
COMMENT ON COLUMN score_words.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN score_words.dimension IS 'The scorecard''s dimension.';
COMMENT ON COLUMN score_words.standing IS 'The score that stood until then.';
COMMENT ON COLUMN score_words.score IS 'The score that stands since; the same where it was kept.';
COMMENT ON COLUMN score_words.who IS 'Who said so.';
COMMENT ON COLUMN score_words.note IS 'Why.';
COMMENT ON COLUMN score_words.said_at IS 'When (UTC).';
COMMENT ON COLUMN score_words.published IS 'The score in the scorecard''s file. Where the file gives another one later, the word counts no more.';
COMMENT ON COLUMN score_words.change_id IS 'The last change that was known then; a later one asks again.';
COMMENT ON COLUMN score_words.run_id IS 'The run in which it was said.';
COMMENT ON COLUMN score_words.word_id IS 'The word''s number.';
