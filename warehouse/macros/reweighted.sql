-- Weights and scores are whole numbers here (of a millionth and of 10^-12), because a quotient of decimals would be a
-- binary float. A factor is a weight over 1000000 times the sum of the weights that are left to scale.
CREATE OR REPLACE MACRO reweighted(card, given) AS TABLE
    WITH weighed AS (
        SELECT
            entry.key AS dimension,
            ((entry.value->>'$')::DECIMAL(18, 6) * 1000000)::HUGEINT AS own,
            (given[entry.key]::DECIMAL(18, 6) * 1000000)::HUGEINT AS named
        FROM (
            SELECT weights FROM stored.rankings WHERE scorecard = card AND variant <> 'proposed'
            ORDER BY ranking_id DESC LIMIT 1
        ), json_each(weights) AS entry
    ),
    whole AS (
        SELECT
            coalesce(sum(named), 0)::HUGEINT AS named,
            coalesce(sum(own) FILTER (named IS NULL), 0)::HUGEINT AS rest,
            count(named) < cardinality(given) AS strange,
            coalesce(min(named), 0) < 0 AS negative,
            string_agg(dimension, ', ' ORDER BY dimension) AS known
        FROM weighed
    ),
    factors AS (
        SELECT
            dimension,
            CASE
                WHEN strange THEN error(card || ' has no such dimension; it has ' || known)
                WHEN negative OR whole.named > 1000000 OR (whole.rest = 0 AND whole.named <> 1000000)
                    THEN error('weights are from 0 to 1 and sum to at most 1, or to 1 where all are given')
                WHEN whole.rest = 0 THEN weighed.named
                WHEN weighed.named IS NULL THEN own * (1000000 - whole.named)
                ELSE weighed.named * whole.rest
            END::HUGEINT AS factor,
            greatest(whole.rest, 1) * 1000000 AS unit
        FROM weighed, whole
    ),
    summed AS (
        SELECT
            variant, vendor, unit,
            sum(factor * (low * 1000000000000)::HUGEINT)::HUGEINT AS low,
            sum(factor * (high * 1000000000000)::HUGEINT)::HUGEINT AS high
        FROM (
            SELECT 'standing' AS variant, vendor, dimension, score::DECIMAL(24, 12) AS low,
                score::DECIMAL(24, 12) AS high
            FROM stored.scores WHERE scorecard = card AND run_id = (
                SELECT max(run_id) FROM stored.scores WHERE scorecard = card)
            UNION ALL
            SELECT 'derived', vendor, dimension, low::DECIMAL(24, 12), high::DECIMAL(24, 12)
            FROM stored.derived_scores WHERE ranking_id = (
                SELECT max(ranking_id) FROM stored.rankings WHERE scorecard = card AND variant = 'derived')
        )
        JOIN factors USING (dimension)
        GROUP BY ALL
    )
    SELECT
        variant,
        (SELECT 1 + count(*) FROM summed AS other
            WHERE other.variant = own.variant AND other.low > own.high)::INTEGER AS best,
        (SELECT 1 + count(*) FROM summed AS other WHERE other.variant = own.variant
            AND other.vendor <> own.vendor AND other.high > own.low)::INTEGER AS worst,
        vendor,
        (((2 * low + unit) // (2 * unit))::DECIMAL(20, 0) * 0.000000000001::DECIMAL(13, 12))::DECIMAL(18, 12) AS low,
        (((2 * high + unit) // (2 * unit))::DECIMAL(20, 0) * 0.000000000001::DECIMAL(13, 12))::DECIMAL(18, 12) AS high
    FROM summed AS own
    ORDER BY variant DESC, best, worst, vendor;
COMMENT ON MACRO TABLE reweighted IS 'reweighted(CARD, MAP {''storage_io'': 0.25}): the latest scores of a scorecard under weights of your own, the others scaled to sum to 1. Derived totals lie within low and high; the ends are reached where no flag moves two dimensions.';
