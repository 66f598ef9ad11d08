-- What one page says is asked for whenever it is read; without an index that looks through every version of all.
CREATE INDEX versions_by_source ON stored.claim_versions (source_id);
