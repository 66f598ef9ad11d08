-- What a person said about a published score that rested on changed claims: it stands, or another one does. `change_id`
-- is the last event that was known then; a later change of a claim under the score asks again. Only ever added to.
CREATE TABLE stored.score_words (
    word_id   INTEGER PRIMARY KEY,
    run_id    INTEGER NOT NULL,
    scorecard VARCHAR NOT NULL,
    vendor    VARCHAR NOT NULL,
    dimension VARCHAR NOT NULL,
    published DECIMAL(9, 4) NOT NULL,
    standing  DECIMAL(9, 4) NOT NULL,
    score     DECIMAL(9, 4) NOT NULL,
    change_id INTEGER NOT NULL CHECK (change_id >= 0),
    who       VARCHAR NOT NULL CHECK (who <> ''),
    note      VARCHAR NOT NULL,
    said_at   TIMESTAMPTZ NOT NULL
);
