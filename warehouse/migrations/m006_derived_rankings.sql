-- Rankings that follow from claims: rows of stored.rankings with the variant `derived`. `inputs` is a digest of all that
-- such a ranking rests on; the same digest is the same ranking, which is not stored again.
CREATE TABLE stored.derived_rankings (
    ranking_id INTEGER PRIMARY KEY,
    inputs     VARCHAR NOT NULL,
    open_flags INTEGER NOT NULL CHECK (open_flags >= 0)
);

-- The ends over all combinations of open readings, and the ranks that a vendor can take. `rank_shares`: the share of
-- combinations that give each rank from best to worst, as fractions; null where that was not computed.
CREATE TABLE stored.derived_places (
    ranking_id  INTEGER NOT NULL,
    place       INTEGER NOT NULL CHECK (place >= 1),
    vendor      VARCHAR NOT NULL,
    best        INTEGER NOT NULL CHECK (best >= 1),
    worst       INTEGER NOT NULL CHECK (worst >= best),
    low         DECIMAL(18, 12) NOT NULL,
    high        DECIMAL(18, 12) NOT NULL CHECK (high >= low),
    mean        DECIMAL(18, 12),
    exact       BOOLEAN NOT NULL,
    shown_low   VARCHAR NOT NULL,
    shown_high  VARCHAR NOT NULL,
    rank_shares VARCHAR[],
    PRIMARY KEY (ranking_id, vendor)
);

CREATE TABLE stored.derived_scores (
    ranking_id INTEGER NOT NULL,
    vendor     VARCHAR NOT NULL,
    dimension  VARCHAR NOT NULL,
    low        DECIMAL(18, 12) NOT NULL,
    high       DECIMAL(18, 12) NOT NULL CHECK (high >= low),
    mean       DECIMAL(18, 12),
    PRIMARY KEY (ranking_id, vendor, dimension)
);

-- Pairs that readings can put in more than one order, or that are equal under all (`always_tied`). Shares are fractions.
CREATE TABLE stored.derived_pairs (
    ranking_id   INTEGER NOT NULL,
    first        VARCHAR NOT NULL,
    second       VARCHAR NOT NULL,
    first_ahead  VARCHAR,
    tied         VARCHAR,
    second_ahead VARCHAR,
    always_tied  BOOLEAN NOT NULL,
    PRIMARY KEY (ranking_id, first, second)
);

-- What a score rests on: each claim that counts for a criterion, with the scores that it can give.
CREATE TABLE stored.derived_claims (
    ranking_id INTEGER NOT NULL,
    vendor     VARCHAR NOT NULL,
    dimension  VARCHAR NOT NULL,
    criterion  VARCHAR NOT NULL,
    claim_key  VARCHAR NOT NULL,
    version    INTEGER NOT NULL,
    low        DECIMAL(18, 12) NOT NULL,
    high       DECIMAL(18, 12) NOT NULL CHECK (high >= low),
    flags      VARCHAR[] NOT NULL,
    PRIMARY KEY (ranking_id, vendor, dimension, criterion, claim_key)
);

CREATE TABLE stored.derived_left_out (
    ranking_id INTEGER NOT NULL,
    claim_key  VARCHAR NOT NULL,
    version    INTEGER NOT NULL,
    reason     VARCHAR NOT NULL,
    PRIMARY KEY (ranking_id, claim_key)
);

CREATE TABLE stored.derived_conversions (
    ranking_id INTEGER NOT NULL,
    claim_key  VARCHAR NOT NULL,
    dimension  VARCHAR NOT NULL,
    criterion  VARCHAR NOT NULL,
    given      VARCHAR NOT NULL,
    times      VARCHAR NOT NULL,
    becomes    VARCHAR NOT NULL,
    count_key  VARCHAR,
    why_en     VARCHAR NOT NULL,
    why_zh     VARCHAR NOT NULL
);
