CREATE OR REPLACE VIEW standing_by_vendor AS
SELECT
    vendor,
    roll_up,
    count(*)::INTEGER AS claims,
    round(count(*) / sum(count(*)) OVER (PARTITION BY vendor), 4)::DECIMAL(5, 4) AS share,
    (count(*) FILTER (reading = 'officially_stated'))::INTEGER AS officially_stated,
    (count(*) FILTER (reading = 'sources_differ'))::INTEGER AS sources_differ,
    (count(*) FILTER (reading = 'test_yourself'))::INTEGER AS test_yourself
FROM claim_standing
GROUP BY vendor, roll_up
ORDER BY vendor, claims DESC, roll_up;

COMMENT ON VIEW standing_by_vendor IS 'Of each vendor''s claims, how many and which share stand how.';
COMMENT ON COLUMN standing_by_vendor.vendor IS 'The vendor''s id; null for claims of nobody known.';
COMMENT ON COLUMN standing_by_vendor.roll_up IS 'Where the claims stand: see claim_standing.';
COMMENT ON COLUMN standing_by_vendor.claims IS 'How many of the vendor''s claims stand so.';
COMMENT ON COLUMN standing_by_vendor.share IS 'Their share of all the vendor''s claims, 0 to 1.';
COMMENT ON COLUMN standing_by_vendor.officially_stated IS 'Of these, how many are stated with all they need.';
COMMENT ON COLUMN standing_by_vendor.sources_differ IS 'Of these, how many stand on different bases or against each other.';
COMMENT ON COLUMN standing_by_vendor.test_yourself IS 'Of these, how many only a test of your own can settle.';
