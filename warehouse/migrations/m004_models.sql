-- What language models were asked about pages, what of their answers was refused, and words that speak to machines.

-- One row a reading in which a model was to be asked. `hits`: replies from the cache, which cost nothing and are in
-- no other figure. `undone`: the digests of passages that got no reply, and `why`; they are asked about another night.
CREATE TABLE stored.asked (
    asked_id        INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL,
    source_id       VARCHAR NOT NULL,
    snapshot_sha256 VARCHAR NOT NULL,
    model           VARCHAR NOT NULL,
    prompt          VARCHAR NOT NULL,
    schema_version  VARCHAR NOT NULL,
    blocks          INTEGER NOT NULL CHECK (blocks >= 0),
    sent            INTEGER NOT NULL CHECK (sent >= 0),
    calls           INTEGER NOT NULL CHECK (calls >= 0),
    hits            INTEGER NOT NULL CHECK (hits >= 0),
    input_tokens    BIGINT NOT NULL CHECK (input_tokens >= 0),
    output_tokens   BIGINT NOT NULL CHECK (output_tokens >= 0),
    cost            DECIMAL(18, 8),
    filled          INTEGER NOT NULL CHECK (filled >= 0),
    undone          VARCHAR[] NOT NULL,
    why             VARCHAR NOT NULL,
    recorded_at     TIMESTAMPTZ NOT NULL
);

-- What a model said and was not believed, with the reason. It was told the reason once (`attempt` 2), and no more.
CREATE TABLE stored.rejections (
    rejection_id INTEGER PRIMARY KEY,
    asked_id     INTEGER NOT NULL,
    passage      VARCHAR NOT NULL,
    mention      VARCHAR NOT NULL,
    field        VARCHAR NOT NULL,
    said         VARCHAR NOT NULL,
    reason       VARCHAR NOT NULL CHECK (reason <> ''),
    attempt      INTEGER NOT NULL CHECK (attempt IN (1, 2))
);

-- Words on a page that give orders to machines; nothing is read from them. `starts` and `ends` are offsets in the
-- page's shown text, both 0 for words in the title, in hidden text, in a comment or in an attribute.
CREATE TABLE stored.suspicious_text (
    suspicion_id    INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL,
    source_id       VARCHAR NOT NULL,
    snapshot_sha256 VARCHAR NOT NULL,
    kind            VARCHAR NOT NULL,
    place           VARCHAR NOT NULL,
    words           VARCHAR NOT NULL,
    starts          INTEGER NOT NULL CHECK (starts >= 0),
    ends            INTEGER NOT NULL CHECK (ends >= starts),
    recorded_at     TIMESTAMPTZ NOT NULL
);
