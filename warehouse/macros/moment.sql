-- A day stands for its last microsecond, so that "as of" a day includes what was read on it.
CREATE OR REPLACE MACRO moment(said) AS
    CASE WHEN regexp_full_match(trim(said::VARCHAR), '\d{4}-\d{2}-\d{2}')
        THEN ((trim(said::VARCHAR) || ' 23:59:59.999999+00')::TIMESTAMPTZ)
        ELSE said::VARCHAR::TIMESTAMPTZ END;
COMMENT ON MACRO moment IS 'The moment that a date or time names in an as-of question: of a date its end, in UTC.';
