-- The ledger's tables. Everything but the end of a run is only ever added to. Times are UTC.
-- Claims refer to each other by key, not by foreign key: DuckDB cannot update a referenced parent.

CREATE TABLE stored.sources (
    source_id   VARCHAR NOT NULL,
    revision    INTEGER NOT NULL CHECK (revision >= 1),
    vendor      VARCHAR,
    product     VARCHAR,
    url         VARCHAR NOT NULL,
    language    VARCHAR NOT NULL,
    tier        VARCHAR NOT NULL CHECK (tier IN ('T1', 'T2', 'T3', 'T4')),
    title       VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (source_id, revision)
);

CREATE TABLE stored.runs (
    run_id     INTEGER PRIMARY KEY,
    label      VARCHAR NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    ended_at   TIMESTAMPTZ,
    status     VARCHAR NOT NULL CHECK (status IN ('running', 'done', 'failed', 'abandoned'))
);

CREATE TABLE stored.visits (
    visit_id        INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL,
    source_id       VARCHAR NOT NULL,
    visited_at      TIMESTAMPTZ NOT NULL,
    status          VARCHAR NOT NULL CHECK (status IN ('changed', 'unchanged', 'gone', 'failed')),
    http_status     INTEGER,
    reason          VARCHAR NOT NULL,
    snapshot_sha256 VARCHAR
);

-- `written`: the page was read into the ledger (or found unreadable, with the reason), so that the same bytes
-- need not be read again.
CREATE TABLE stored.snapshots (
    visit_id      INTEGER PRIMARY KEY,
    sha256        VARCHAR NOT NULL CHECK (length(sha256) = 64),
    source_id     VARCHAR NOT NULL,
    url           VARCHAR NOT NULL,
    fetched_at    TIMESTAMPTZ NOT NULL,
    content_type  VARCHAR NOT NULL,
    size          BIGINT NOT NULL CHECK (size >= 0),
    etag          VARCHAR NOT NULL,
    last_modified VARCHAR NOT NULL,
    written       BOOLEAN NOT NULL,
    reason        VARCHAR NOT NULL
);

CREATE TABLE stored.claim_versions (
    claim_key       VARCHAR NOT NULL,
    version         INTEGER NOT NULL CHECK (version >= 1),
    source_id       VARCHAR NOT NULL,
    snapshot_sha256 VARCHAR NOT NULL,
    run_id          INTEGER NOT NULL,
    valid_from      TIMESTAMPTZ NOT NULL,
    recorded_at     TIMESTAMPTZ NOT NULL,
    source          VARCHAR NOT NULL,
    vendor          VARCHAR,
    product         VARCHAR,
    metric          VARCHAR NOT NULL,
    low             DECIMAL(38, 12),
    high            DECIMAL(38, 12),
    unit            VARCHAR NOT NULL,
    text_value      VARCHAR,
    unit_as_written VARCHAR NOT NULL,
    bound           VARCHAR NOT NULL,
    best_case       BOOLEAN NOT NULL,
    basis           VARCHAR NOT NULL,
    direction       VARCHAR NOT NULL,
    condition       MAP(VARCHAR, VARCHAR) NOT NULL,
    baseline        VARCHAR,
    qualifiers      MAP(VARCHAR, VARCHAR) NOT NULL,
    evidence_quote  VARCHAR NOT NULL CHECK (evidence_quote <> ''),
    evidence_start  INTEGER NOT NULL CHECK (evidence_start >= 0),
    evidence_end    INTEGER NOT NULL CHECK (evidence_end > evidence_start),
    evidence_path   VARCHAR[] NOT NULL,
    flags           VARCHAR[] NOT NULL,
    extractor       VARCHAR NOT NULL,
    rules           MAP(VARCHAR, VARCHAR) NOT NULL,
    PRIMARY KEY (claim_key, version),
    CHECK (low IS NOT NULL OR high IS NOT NULL)
);

-- One row a visit on which a claim was not on its page (`gone`: there was no page; `absent`: the page no longer
-- says it), and one, with 0, when it was there again. The last row of a claim tells where it stands.
CREATE TABLE stored.sightings (
    sighting_id INTEGER PRIMARY KEY,
    claim_key   VARCHAR NOT NULL,
    run_id      INTEGER NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    not_seen    INTEGER NOT NULL CHECK (not_seen >= 0),
    why         VARCHAR NOT NULL CHECK (why IN ('gone', 'absent', 'back'))
);

CREATE TABLE stored.flags (
    claim_key   VARCHAR NOT NULL,
    version     INTEGER NOT NULL,
    name        VARCHAR NOT NULL,
    flag_id     VARCHAR NOT NULL,
    question_en VARCHAR NOT NULL,
    question_zh VARCHAR NOT NULL,
    readings    JSON NOT NULL,
    PRIMARY KEY (claim_key, version, name)
);

-- A decision settles a flag of one version: where the claim changes, the question is open again.
CREATE TABLE stored.decisions (
    decision_id INTEGER PRIMARY KEY,
    flag_id     VARCHAR NOT NULL,
    claim_key   VARCHAR NOT NULL,
    version     INTEGER NOT NULL,
    name        VARCHAR NOT NULL,
    reading     VARCHAR NOT NULL,
    who         VARCHAR NOT NULL CHECK (who <> ''),
    note        VARCHAR NOT NULL,
    decided_at  TIMESTAMPTZ NOT NULL
);

CREATE TABLE stored.checks (
    claim_key     VARCHAR NOT NULL,
    version       INTEGER NOT NULL,
    name          VARCHAR NOT NULL,
    check_version VARCHAR NOT NULL,
    verdict       VARCHAR NOT NULL,
    reason        VARCHAR NOT NULL,
    recorded_at   TIMESTAMPTZ NOT NULL
);

-- `cause`: what differs from the last reading of the page: its bytes (`page`), the extractor that read the same
-- bytes (`extractor`), or both, in which case the change need not be the vendor's.
CREATE TABLE stored.changes (
    change_id      INTEGER PRIMARY KEY,
    run_id         INTEGER NOT NULL,
    source_id      VARCHAR NOT NULL,
    claim_key      VARCHAR NOT NULL,
    kind           VARCHAR NOT NULL CHECK (kind IN ('new', 'changed', 'not_seen', 'seen_again')),
    fields         VARCHAR[] NOT NULL,
    version_before INTEGER,
    version_after  INTEGER,
    first_visit    BOOLEAN NOT NULL,
    cause          VARCHAR NOT NULL CHECK (cause IN ('page', 'extractor', 'both')),
    recorded_at    TIMESTAMPTZ NOT NULL
);

CREATE TABLE stored.scorecards (
    scorecard   VARCHAR NOT NULL,
    sha256      VARCHAR NOT NULL,
    name_en     VARCHAR NOT NULL,
    name_zh     VARCHAR NOT NULL,
    content     JSON NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (scorecard, sha256)
);

CREATE TABLE stored.scores (
    score_id    INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL,
    scorecard   VARCHAR NOT NULL,
    vendor      VARCHAR NOT NULL,
    dimension   VARCHAR NOT NULL,
    score       DECIMAL(9, 4) NOT NULL,
    status      VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE stored.score_claims (
    score_id  INTEGER NOT NULL,
    claim_key VARCHAR NOT NULL,
    PRIMARY KEY (score_id, claim_key)
);

CREATE TABLE stored.rankings (
    ranking_id  INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL,
    scorecard   VARCHAR NOT NULL,
    variant     VARCHAR NOT NULL,
    weights     JSON NOT NULL,
    note        VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE stored.placements (
    ranking_id INTEGER NOT NULL,
    vendor     VARCHAR NOT NULL,
    total      DECIMAL(18, 8) NOT NULL,
    shown      VARCHAR NOT NULL,
    rank       INTEGER NOT NULL,
    PRIMARY KEY (ranking_id, vendor)
);

CREATE TABLE stored.proposals (
    proposal_id INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL,
    scorecard   VARCHAR NOT NULL,
    vendor      VARCHAR NOT NULL,
    dimension   VARCHAR NOT NULL,
    standing    DECIMAL(9, 4) NOT NULL,
    proposed    DECIMAL(9, 4) NOT NULL,
    peers       VARCHAR[] NOT NULL,
    claim_keys  VARCHAR[] NOT NULL,
    reason      VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);
