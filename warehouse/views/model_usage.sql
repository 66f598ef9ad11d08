CREATE OR REPLACE VIEW model_usage AS
SELECT
    run_id, source_id, model, prompt, blocks, sent,
    CASE WHEN blocks > 0 THEN round(sent / blocks, 4) END AS share_sent,
    calls, hits, input_tokens, output_tokens, cost, filled,
    len(undone) AS left_undone, why, recorded_at
FROM stored.asked;

COMMENT ON VIEW model_usage IS 'What a language model was asked about each page, run by run. Empty where none is ever asked.';
COMMENT ON COLUMN model_usage.run_id IS 'The run in which it was asked.';
COMMENT ON COLUMN model_usage.source_id IS 'The page.';
COMMENT ON COLUMN model_usage.model IS 'The provider and the model.';
COMMENT ON COLUMN model_usage.prompt IS 'The prompt with its version.';
COMMENT ON COLUMN model_usage.blocks IS 'How many blocks the page has, without its frame.';
COMMENT ON COLUMN model_usage.sent IS 'Of how many blocks something was asked.';
COMMENT ON COLUMN model_usage.share_sent IS 'sent / blocks.';
COMMENT ON COLUMN model_usage.calls IS 'Calls that were made, tries that failed included.';
COMMENT ON COLUMN model_usage.hits IS 'Replies that came from the cache; they are in no other figure.';
COMMENT ON COLUMN model_usage.input_tokens IS 'Tokens sent, as the provider counts them; reckoned from the length where it does not.';
COMMENT ON COLUMN model_usage.output_tokens IS 'Tokens received.';
COMMENT ON COLUMN model_usage.cost IS 'Money by the prices that were set; null where none were.';
COMMENT ON COLUMN model_usage.filled IS 'Claims that rest on an answer.';
COMMENT ON COLUMN model_usage.left_undone IS 'Passages that got no reply; the next run asks about them.';
COMMENT ON COLUMN model_usage.why IS 'Why they got none.';
COMMENT ON COLUMN model_usage.recorded_at IS 'When, in UTC.';
