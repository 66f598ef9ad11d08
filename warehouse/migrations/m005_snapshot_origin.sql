-- How a page came (status, the server's headers without cookies, the addresses that sent us on), and as which
-- charset its bytes were read, and why.
ALTER TABLE stored.snapshots ADD COLUMN http_status INTEGER DEFAULT 0;
ALTER TABLE stored.snapshots ADD COLUMN headers JSON DEFAULT '{}';
ALTER TABLE stored.snapshots ADD COLUMN redirects JSON DEFAULT '[]';
ALTER TABLE stored.snapshots ADD COLUMN encoding VARCHAR DEFAULT '';
ALTER TABLE stored.snapshots ADD COLUMN encoding_from VARCHAR DEFAULT '';
ALTER TABLE stored.snapshots ADD COLUMN encoding_notes VARCHAR[] DEFAULT [];
