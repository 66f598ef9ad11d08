-- What people say of claims: more than one kind of word, told apart and never edited.
-- `kind`: what was said. Only `reading` settles a flag; `undone` takes back the decision that `undoes` names; `unsure`
-- and `ask_vendor` leave it open; `corrected` and `rejected` speak of the whole claim and bear the name `claim`.
-- `corrections`: by field, what the reviewer put there; `source`: where a value of the reviewer's own is from.
-- `words`: a digest of the quote, its headers and its conditions as they were; it holds while they are the same.
-- `carried_from`: the decision that this row repeats on a later version. `origin`: what an imported one is called.
ALTER TABLE stored.decisions ADD COLUMN kind VARCHAR DEFAULT 'reading';
ALTER TABLE stored.decisions ADD COLUMN corrections JSON DEFAULT '{}';
ALTER TABLE stored.decisions ADD COLUMN source VARCHAR DEFAULT '';
ALTER TABLE stored.decisions ADD COLUMN words VARCHAR DEFAULT '';
ALTER TABLE stored.decisions ADD COLUMN undoes INTEGER;
ALTER TABLE stored.decisions ADD COLUMN carried_from INTEGER;
ALTER TABLE stored.decisions ADD COLUMN origin VARCHAR DEFAULT '';

-- Imported decisions whose claim, flag or words are not here. They are tried again after each refresh.
CREATE TABLE stored.waiting_decisions (
    waiting_id  INTEGER PRIMARY KEY,
    origin      VARCHAR NOT NULL CHECK (origin <> ''),
    content     JSON NOT NULL,
    why         VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);
