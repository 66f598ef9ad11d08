-- A browser made the bytes by running the page's scripts. (For a while version 5 brought this column itself.)
ALTER TABLE stored.snapshots ADD COLUMN IF NOT EXISTS rendered BOOLEAN DEFAULT false;
