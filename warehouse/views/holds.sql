CREATE OR REPLACE VIEW holds AS
WITH page AS (
    SELECT * FROM stored.sources
    QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
)
SELECT
    hold.hold_id,
    hold.source_id,
    page.vendor,
    page.url AS source_url,
    hold.reason,
    hold.claims_before,
    hold.claims_lost,
    hold.held_at,
    release.hold_id IS NULL AS open,
    release.how,
    release.who,
    release.note,
    release.released_at,
    hold.snapshot_sha256,
    hold.run_id
FROM stored.holds AS hold
LEFT JOIN stored.releases AS release USING (hold_id)
LEFT JOIN page ON page.source_id = hold.source_id
ORDER BY hold.hold_id;

COMMENT ON VIEW holds IS 'Pages that would have lost most of their claims at once. While a hold is open nothing is taken from its page.';
COMMENT ON COLUMN holds.hold_id IS 'The hold''s number.';
COMMENT ON COLUMN holds.source_id IS 'The id of the page in the source list.';
COMMENT ON COLUMN holds.vendor IS 'Whose page it is.';
COMMENT ON COLUMN holds.source_url IS 'The address of the page.';
COMMENT ON COLUMN holds.reason IS 'gone, login_wall, script_shell, unreadable, or lost_claims where the page is there and says less.';
COMMENT ON COLUMN holds.claims_before IS 'How many claims stood on the page.';
COMMENT ON COLUMN holds.claims_lost IS 'How many of them it would have lost.';
COMMENT ON COLUMN holds.held_at IS 'When the hold began (UTC).';
COMMENT ON COLUMN holds.open IS 'True while nothing has ended it.';
COMMENT ON COLUMN holds.how IS 'How it ended: good_crawl, accepted (a person took the page as it is) or kept (a person let the claims stand).';
COMMENT ON COLUMN holds.who IS 'Who ended it; empty where a good crawl did.';
COMMENT ON COLUMN holds.note IS 'What that person noted.';
COMMENT ON COLUMN holds.released_at IS 'When it ended (UTC).';
COMMENT ON COLUMN holds.snapshot_sha256 IS 'The hash of the bytes that are held; null where there was no page.';
COMMENT ON COLUMN holds.run_id IS 'The run that found it.';
