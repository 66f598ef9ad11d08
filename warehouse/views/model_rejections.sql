CREATE OR REPLACE VIEW model_rejections AS
SELECT asked.run_id, asked.source_id, asked.model, asked.prompt, said.* EXCLUDE (asked_id, rejection_id)
FROM stored.rejections AS said JOIN stored.asked AS asked USING (asked_id);

COMMENT ON VIEW model_rejections IS 'What a language model said and was not believed, with the reason.';
COMMENT ON COLUMN model_rejections.run_id IS 'The run in which it was asked.';
COMMENT ON COLUMN model_rejections.source_id IS 'The page.';
COMMENT ON COLUMN model_rejections.model IS 'The provider and the model.';
COMMENT ON COLUMN model_rejections.prompt IS 'The prompt with its version.';
COMMENT ON COLUMN model_rejections.passage IS 'The digest of what was asked.';
COMMENT ON COLUMN model_rejections.mention IS 'The figure''s words; empty where the whole reply was refused.';
COMMENT ON COLUMN model_rejections.field IS 'What the answer was about.';
COMMENT ON COLUMN model_rejections.said IS 'What was answered, cut where it is long.';
COMMENT ON COLUMN model_rejections.reason IS 'Why it was not believed.';
COMMENT ON COLUMN model_rejections.attempt IS '1, or 2 where it was asked again with the reasons.';
