-- What a verdict rests on (`inputs`, a digest: with the same one it is not found again), and what a reader who
-- follows its reason wants (`detail`, JSON: both readings, the other claim's words, the program that was run).
ALTER TABLE stored.checks ADD COLUMN inputs VARCHAR DEFAULT '';
ALTER TABLE stored.checks ADD COLUMN detail VARCHAR DEFAULT '';

-- A check of entailment is one a field since its version 2.
UPDATE stored.checks SET name = 'entailment.value' WHERE name = 'value';

-- Of each group of claims that bear on each other, which state of it was verified last. A group whose claims
-- differ from that is verified again; the last row of a group counts.
CREATE TABLE stored.verified (
    verified_id INTEGER PRIMARY KEY,
    vendor      VARCHAR NOT NULL,
    topic       VARCHAR NOT NULL,
    state       VARCHAR NOT NULL,
    claims      INTEGER NOT NULL CHECK (claims >= 0),
    recorded_at TIMESTAMPTZ NOT NULL
);
