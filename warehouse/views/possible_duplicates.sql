CREATE OR REPLACE VIEW possible_duplicates AS
SELECT
    one.vendor,
    one.metric,
    one.low,
    one.unit,
    one.claim_key AS one_key,
    other.claim_key AS other_key,
    one.basis AS one_basis,
    other.basis AS other_basis,
    one.quote AS one_quote,
    other.quote AS other_quote,
    one.source_id AS one_source,
    other.source_id AS other_source,
    one.basis = other.basis AS same_basis
FROM claims AS one
JOIN claims AS other ON other.vendor = one.vendor AND other.metric = one.metric AND other.low = one.low
    AND other.unit = one.unit AND other.source_id > one.source_id
WHERE one.seen AND other.seen AND one.metric <> 'capability'
ORDER BY one.vendor, one.metric, one_key, other_key;

COMMENT ON VIEW possible_duplicates IS 'Claims of two pages of one vendor with the same metric, number and unit. They are linked, never merged: a person decides.';
COMMENT ON COLUMN possible_duplicates.vendor IS 'The vendor''s id.';
COMMENT ON COLUMN possible_duplicates.metric IS 'What is measured.';
COMMENT ON COLUMN possible_duplicates.low IS 'The number that both state, in the metric''s unit.';
COMMENT ON COLUMN possible_duplicates.unit IS 'The metric''s canonical unit.';
COMMENT ON COLUMN possible_duplicates.one_key IS 'The first claim''s name.';
COMMENT ON COLUMN possible_duplicates.other_key IS 'The second claim''s name.';
COMMENT ON COLUMN possible_duplicates.one_basis IS 'What the first is a number of.';
COMMENT ON COLUMN possible_duplicates.other_basis IS 'What the second is a number of.';
COMMENT ON COLUMN possible_duplicates.one_quote IS 'The words of the first.';
COMMENT ON COLUMN possible_duplicates.other_quote IS 'The words of the second.';
COMMENT ON COLUMN possible_duplicates.one_source IS 'The page of the first.';
COMMENT ON COLUMN possible_duplicates.other_source IS 'The page of the second.';
COMMENT ON COLUMN possible_duplicates.same_basis IS 'False where the two count by different bases, so that they need not be one fact.';
