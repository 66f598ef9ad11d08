-- Pages that are held, readings of one page by different readers, and matches that stayed open.

-- One row a page that came (or failed to come) in a form that would lose most of its claims. While it is open
-- nothing is taken from the page. `snapshot_sha256` is null where there was no page.
CREATE TABLE stored.holds (
    hold_id         INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL,
    source_id       VARCHAR NOT NULL,
    visit_id        INTEGER NOT NULL,
    snapshot_sha256 VARCHAR,
    reason          VARCHAR NOT NULL,
    claims_before   INTEGER NOT NULL CHECK (claims_before >= 0),
    claims_lost     INTEGER NOT NULL CHECK (claims_lost >= 0),
    held_at         TIMESTAMPTZ NOT NULL
);

-- How a hold ended: the page came well again (`good_crawl`), or a person took the page as it is (`accepted`) or
-- let the claims stand (`kept`); `visit_id` is the source's latest visit then.
CREATE TABLE stored.releases (
    hold_id     INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL,
    visit_id    INTEGER NOT NULL,
    how         VARCHAR NOT NULL CHECK (how IN ('good_crawl', 'accepted', 'kept')),
    who         VARCHAR NOT NULL,
    note        VARCHAR NOT NULL,
    released_at TIMESTAMPTZ NOT NULL
);

-- One row each time a reader read a snapshot into the ledger, whether or not it found anything new in it.
CREATE TABLE stored.readings (
    reading_id      INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL,
    source_id       VARCHAR NOT NULL,
    snapshot_sha256 VARCHAR NOT NULL,
    extractor       VARCHAR NOT NULL,
    claims          INTEGER NOT NULL CHECK (claims >= 0),
    read_at         TIMESTAMPTZ NOT NULL
);

-- A claim that fitted several known ones equally well. It stands as a new one, and the others as not seen.
CREATE TABLE stored.unclear_matches (
    claim_key   VARCHAR NOT NULL,
    run_id      INTEGER NOT NULL,
    source_id   VARCHAR NOT NULL,
    candidates  VARCHAR[] NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (claim_key, run_id)
);

-- Why a version was written: the source said something new (`page`), or we read the same words anew (`rereading`).
ALTER TABLE stored.claim_versions ADD COLUMN cause VARCHAR DEFAULT 'page';
UPDATE stored.claim_versions SET cause = 'rereading' WHERE (claim_key, version) IN (
    SELECT (claim_key, version_after) FROM stored.changes WHERE cause = 'extractor' AND kind = 'changed');

-- What earlier versions knew of their readings: the reader that last wrote something from the source.
INSERT INTO stored.readings
SELECT
    row_number() OVER (ORDER BY snapshot.visit_id),
    visit.run_id,
    snapshot.source_id,
    snapshot.sha256,
    coalesce((
        SELECT arg_max(version.extractor, version.recorded_at) FROM stored.claim_versions AS version
        WHERE version.source_id = snapshot.source_id AND version.recorded_at <= visit.visited_at), ''),
    (SELECT count(*) FROM stored.claim_versions AS version
        WHERE version.source_id = snapshot.source_id AND version.snapshot_sha256 = snapshot.sha256),
    visit.visited_at
FROM stored.snapshots AS snapshot JOIN stored.visits AS visit USING (visit_id)
WHERE snapshot.written;

CREATE INDEX claim_versions_by_source ON stored.claim_versions (source_id);
CREATE INDEX claim_versions_by_key ON stored.claim_versions (claim_key);
CREATE INDEX visits_by_source ON stored.visits (source_id);
CREATE INDEX snapshots_by_source ON stored.snapshots (source_id);
CREATE INDEX sightings_by_key ON stored.sightings (claim_key);
