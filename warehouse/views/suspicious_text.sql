CREATE OR REPLACE VIEW suspicious_text AS
SELECT run_id, source_id, kind, place, words, starts, ends, recorded_at FROM stored.suspicious_text;

COMMENT ON VIEW suspicious_text IS 'Words on pages that give orders to machines. Nothing is read from them, and claims beside them are flagged.';
COMMENT ON COLUMN suspicious_text.run_id IS 'The run that read the page.';
COMMENT ON COLUMN suspicious_text.source_id IS 'The page.';
COMMENT ON COLUMN suspicious_text.kind IS 'Which kind of order it is.';
COMMENT ON COLUMN suspicious_text.place IS 'Shown text, title, hidden text with its reason, comment, or attribute with its name.';
COMMENT ON COLUMN suspicious_text.words IS 'The words, cut where they are long.';
COMMENT ON COLUMN suspicious_text.starts IS 'Where they begin in the page''s shown text; 0 elsewhere.';
COMMENT ON COLUMN suspicious_text.ends IS 'Where they end; 0 elsewhere.';
COMMENT ON COLUMN suspicious_text.recorded_at IS 'When, in UTC.';
