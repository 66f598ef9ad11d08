"""The one writer's view of the ledger: runs, pages, scores, publishing. Decisions are in `warehouse.decisions`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from types import TracebackType
from typing import Literal

from schemas.check import Check
from schemas.errors import LedgerError
from schemas.extraction import Extraction
from schemas.ledger import Hold, PageChanges, Release, StoredClaim
from schemas.ranking import DimensionScore, Proposal, Ranking, ScoreWord
from schemas.rubric import Fact
from schemas.scorecard import Scorecard
from schemas.source import Snapshot, Source, Visit
from schemas.uncertainty import Interval
from warehouse import derived as derived_rows
from warehouse import facts as claim_facts
from warehouse import holds, latest, pages, score_words, snapshots, standings, verification
from warehouse.asking import left_undone
from warehouse.database import Database
from warehouse.decisions import Decisions
from warehouse.derived import Derived
from warehouse.home import Home
from warehouse.keys import KeysInUse
from warehouse.lock import WriterLock
from warehouse.migrate import lay_views, migrate
from warehouse.page_writer import Page
from warehouse.publish import is_current, publish
from warehouse.restore import Restored, open_whole, restore
from warehouse.rows import OPEN_FLAGS, OpenFlag, open_flag, utc
from warehouse.shared import Shared, setting

RunStatus = Literal["done", "failed"]


class Ledger:
    """The ledger, open for writing by this process alone. Use it as a context manager.

    Each method that writes is one transaction: it stores everything or nothing, and then raises LedgerError.
    Times are passed in, in UTC. Nothing that is stored is ever overwritten, but the end of a run.
    """

    def __init__(
        self,
        home: Home,
        database: Database,
        lock: WriterLock,
        restored: Restored,
        shared: Shared | None = None,
    ) -> None:
        self.restored_from = restored.source
        self.set_aside = restored.set_aside
        self.why_restored = restored.why
        self._home = home
        self._database = database
        self._lock = lock
        self._shared = shared
        self._keys = KeysInUse(database)
        self._open = True

    @classmethod
    def open(cls, home: Home, *, wait_seconds: float = 0, for_team: bool = True) -> Ledger:
        """Makes this process the writer and brings the ledger to this version's form.

        A ledger that is missing, or lost what was published with the end of its log, is rebuilt from the
        published file, which `restored_from` then names, and `why_restored` says why; what could not be used
        lies under the names in `set_aside`. Where the home names a shared ledger, what others wrote there is taken
        over first, and with `for_team` nobody else writes to it meanwhile.
        Raises LedgerHeldError where another process writes and does not end within `wait_seconds`,
        SchemaTooNewError where the file is from a later Koujing, LedgerError where it cannot be opened.
        """
        lock = WriterLock.acquire(home, wait_seconds)
        try:
            missing = restore(home)
            rebuilds = home.published.exists()
            way_out = (
                f"move it away; the next run rebuilds it from {home.published.name}"
                if rebuilds
                else "move it away to begin a new one"
            )
            database, damaged = open_whole(home, way_out)
            restored = damaged if damaged.source or damaged.set_aside else missing
        except BaseException:
            lock.release()
            raise
        try:
            migrate(database)
            lay_views(database)
            shared = None
            if where := setting(home):
                shared = Shared.joined(database, where, writes=for_team, wait_seconds=wait_seconds)
        except BaseException:
            database.close()
            lock.release()
            raise
        return cls(home, database, lock, restored, shared)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets the next writer in. What was stored stays; a second call does nothing."""
        if self._open:
            self._open = False
            if self._shared:
                self._shared.close()
            self._database.close()
            self._lock.release()

    # Runs

    def begin_run(self, label: str, at: datetime) -> int:
        """Opens a run and gives its number. A run that was never ended is marked as abandoned."""
        with self._database.transaction("the run could not be begun"):
            self._database.execute("UPDATE stored.runs SET status = 'abandoned' WHERE status = 'running'")
            run_id = self._database.next_id("stored.runs", "run_id")
            run = {"run_id": run_id, "label": label, "started_at": utc(at), "status": "running"}
            self._database.insert("stored.runs", [run])
        return run_id

    def end_run(self, run_id: int, at: datetime, status: RunStatus) -> None:
        """Closes the run. Raises LedgerError where it is not open."""
        with self._database.transaction(f"run {run_id} could not be ended"):
            self._require_running(run_id)
            self._database.execute(
                "UPDATE stored.runs SET status = ?, ended_at = ? WHERE run_id = ?", [status, utc(at), run_id]
            )

    # Pages

    def put_source(self, source: Source, at: datetime) -> None:
        """Keeps what is known of the source; what was known before stays as an earlier revision."""
        with self._database.transaction(f"the source {source.id} could not be stored"):
            pages.put_sources(self._database, [(source, at)])

    def last_snapshot(self, source_id: str) -> Snapshot | None:
        """The newest snapshot that was read into the ledger; None before the first.

        None too where its body is no longer on disk, so that the next visit fetches the page whatever it was.
        """
        last = latest.last_snapshot(self._database, source_id)
        return last if last and snapshots.is_whole(self._home, last.sha256) else None

    def last_snapshots(self) -> dict[str, Snapshot]:
        """By source what `last_snapshot` gives; of the bodies only that they are there is looked at."""
        found = latest.last_snapshots(self._database)
        return {key: last for key, last in found.items() if snapshots.is_there(self._home, last.sha256)}

    def write_page(
        self,
        run_id: int,
        source: Source,
        visit: Visit,
        extraction: Extraction | None,
        word: Release | None = None,
    ) -> PageChanges:
        """Stores a visit and all that follows from it, and says what changed.

        A changed page is compared with the known claims. A failed visit and one without an extraction say
        nothing about them. A page that is gone, cannot be read or would lose more than half of its claims is
        held: nothing is taken from it until it comes well again, or a person's `word` accepts it as it is.
        What is past the limits is left out: `limits.within_limits`.
        """
        with self._database.transaction(f"the page {source.id} could not be stored"):
            self._require_running(run_id)
            changes = pages.write_visit(self._database, run_id, source, visit, extraction, self._keys, word)
        self._keys.add(source.id, (change.claim_key for change in changes.changes))
        return changes

    def write_unchanged(
        self, run_id: int, visited: Sequence[tuple[Source, Visit]]
    ) -> tuple[PageChanges, ...]:
        """Stores visits that brought the same bytes as before, in one transaction, and says what they end."""
        with self._database.transaction(f"{len(visited)} unchanged pages could not be stored"):
            self._require_running(run_id)
            return pages.write_unchanged(self._database, run_id, visited, self._keys)

    def reread_page(
        self, run_id: int, visit: Visit, extraction: Extraction, *, force: bool = False
    ) -> PageChanges:
        """Stores what another reader made of bytes that were read before. No event of it is the vendor's.

        A reader that would lose more than half of the page's claims is not trusted: then nothing is stored and
        `held` says how many, unless `force` is given. The visit names the snapshot and is not stored itself.
        """
        with self._database.transaction(f"the rereading of {visit.source_id} could not be stored"):
            self._require_running(run_id)
            page = Page(self._database, run_id, visit.source_id, visit, 0, self._keys)
            changes = page.reread(extraction, force=force)
        self._keys.add(visit.source_id, (change.claim_key for change in changes.changes))
        return changes

    def last_seen(self) -> dict[str, datetime]:
        """By source when its page last came, changed or not."""
        rows = self._database.rows(
            """
            SELECT source_id, max(visited_at) AS at FROM stored.visits
            WHERE status IN ('changed', 'unchanged') GROUP BY source_id
            """
        )
        return {row["source_id"]: row["at"] for row in rows}

    def last_readers(self) -> dict[str, tuple[str, str]]:
        """By source: the hash of the snapshot that was read last, and what read it."""
        rows = self._database.rows(
            """
            SELECT source_id, snapshot_sha256, extractor FROM stored.readings
            QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY reading_id DESC) = 1
            """
        )
        return {row["source_id"]: (row["snapshot_sha256"], row["extractor"]) for row in rows}

    def left_undone(self) -> frozenset[str]:
        """The sources of which a model was not asked all that it was to be asked, when they were read last."""
        return left_undone(self._database)

    def known_sources(self) -> tuple[Source, ...]:
        """What is known of every source that was ever visited, as last listed."""
        return latest.known_sources(self._database)

    def open_holds(self) -> tuple[Hold, ...]:
        """The pages that are held, oldest first."""
        return holds.open_holds(self._database)

    def held_snapshot(self, hold: Hold) -> Snapshot | None:
        """The page as it came last while it is held; None where it came no more."""
        return latest.newest_snapshot_unless_gone(self._database, hold.source_id)

    def keep_claims(self, run_id: int, hold: Hold, word: Release, at: datetime) -> None:
        """Ends a hold by a person's word that the claims stand; the same page is not held again."""
        with self._database.transaction(f"the hold on {hold.source_id} could not be ended"):
            self._require_running(run_id)
            visits = self._database.rows(
                "SELECT max(visit_id) AS last FROM stored.visits WHERE source_id = ?", [hold.source_id]
            )
            holds.end_hold(self._database, hold, run_id, visits[0]["last"], at, word)

    def current_claims(self, vendor: str | None = None) -> tuple[StoredClaim, ...]:
        """The latest version of every claim, those no longer seen included, in their pages' order."""
        return latest.latest_claims(self._database, vendor=vendor)

    def claims_on(self, vendors: Sequence[str], metrics: Sequence[str]) -> tuple[StoredClaim, ...]:
        """What `current_claims` gives, of these vendors and metrics alone."""
        return latest.latest_claims_on(self._database, vendors, metrics)

    # Verification

    def unverified(
        self,
        topic_of: verification.Topic,
        versions: str,
        of_source: Callable[[str], str],
        *,
        every: bool = False,
    ) -> tuple[verification.Group, ...]:
        """The groups of claims that differ from what was verified last: see `verification.unverified`."""
        return verification.unverified(self._database, topic_of, versions, of_source, every=every)

    def members(
        self, groups: Sequence[verification.Group], topic_of: verification.Topic
    ) -> dict[tuple[str, str], list[verification.Member]]:
        """By vendor and topic, the claims of the groups as they stand, with what is known of their pages."""
        return verification.members(self._database, groups, topic_of)

    def statements(self) -> dict[str, verification.Statements]:
        """By source, what the page says as a whole."""
        return verification.statements(self._database)

    def unread_by(
        self, versions: dict[str, str], *, every: bool = False
    ) -> list[tuple[Snapshot | None, list[StoredClaim]]]:
        """A snapshot at a time, the claims whose rows of these checks are missing or of another version."""
        found = verification.unread_by(self._database, versions, every=every)
        return [
            (verification.snapshot_of(self._database, source_id, sha256), claims)
            for (source_id, sha256), claims in found.items()
        ]

    def keep_versions(self, versions: dict[str, str], at: datetime) -> None:
        """Keeps that every claim has the checks of its page in these versions."""
        with self._database.transaction("the checks' versions could not be stored"):
            verification.put_versions(self._database, versions, at)

    def store_checks(
        self,
        groups: Sequence[verification.Group],
        checks: Sequence[Check],
        versions: dict[str, int],
        at: datetime,
    ) -> int:
        """Keeps the verdicts that are new and that the groups are verified; gives how many were new."""
        with self._database.transaction("the verdicts could not be stored"):
            return verification.put_checks(self._database, groups, checks, versions, at)

    def roll_ups(self, keys: Iterable[str] | None = None) -> dict[str, str]:
        """By claim key, where its latest version stands after all checks; of every claim where `keys` is None."""
        return latest.roll_ups(self._database, keys)

    # Flags

    def open_flags(self, vendor: str | None = None) -> tuple[OpenFlag, ...]:
        """The flags of the latest versions that no reading has settled, in their pages' order."""
        claims = {claim.claim.claim_key: claim for claim in self.current_claims(vendor)}
        by_claim: dict[str, list[OpenFlag]] = {key: [] for key in claims}
        for row in self._database.rows(OPEN_FLAGS):
            claim = claims.get(row["claim_key"])
            if claim and claim.version == row["version"]:
                by_claim[row["claim_key"]].append(open_flag(row, claim))
        return tuple(flag for flags in by_claim.values() for flag in flags)

    @property
    def decisions(self) -> Decisions:
        """What people said of claims. Whoever adds to it publishes afterwards."""
        return Decisions(self._database)

    # Rankings

    def put_scorecard(self, scorecard: Scorecard, at: datetime) -> bool:
        """Keeps the scorecard's content, each content once; tells whether it is new."""
        with self._database.transaction(f"the scorecard {scorecard.id} could not be stored"):
            return standings.put_scorecard(self._database, scorecard, at)

    def store_scores(
        self, run_id: int, scorecard_id: str, scores: tuple[DimensionScore, ...], at: datetime
    ) -> None:
        """Keeps the scores of a run, each with the claims it rests on."""
        with self._database.transaction(f"the scores of {scorecard_id} could not be stored"):
            self._require_running(run_id)
            standings.store_scores(self._database, run_id, scorecard_id, scores, at)

    def store_ranking(self, run_id: int, ranking: Ranking, at: datetime) -> None:
        """Keeps the ranking. The latest `standing` one of a scorecard is what the view `ranking` shows."""
        with self._database.transaction(f"the ranking of {ranking.scorecard} could not be stored"):
            self._require_running(run_id)
            standings.store_ranking(self._database, run_id, ranking, at)

    def has_ranking(self, scorecard_id: str) -> bool:
        """Whether a standing ranking of the scorecard was ever stored."""
        return standings.has_ranking(self._database, scorecard_id)

    def facts(self) -> tuple[Fact, ...]:
        """The latest version of every claim as the rubric takes it."""
        rows = self._database.rows
        return claim_facts.facts(self.current_claims(), rows(claim_facts.FLAGS), rows(claim_facts.STANDING))

    def last_inputs(self, scorecard_id: str) -> str | None:
        """The digest of what the scorecard's latest derived ranking rests on; None before the first."""
        return derived_rows.last_inputs(self._database, scorecard_id)

    def store_derived(self, run_id: int, derived: Derived, note: str, at: datetime) -> None:
        """Keeps a derived ranking with all it rests on."""
        with self._database.transaction(f"the derived ranking of {derived.card.id} could not be stored"):
            self._require_running(run_id)
            derived_rows.put_derived(self._database, run_id, derived, note, at)

    def derived_scores(self, scorecard_id: str) -> dict[tuple[str, str], Interval]:
        """The scores of the scorecard's latest derived ranking by vendor and dimension; none before the first."""
        return derived_rows.last_scores(self._database, scorecard_id)

    def score_words(self) -> tuple[ScoreWord, ...]:
        """The last word that a person said on each score."""
        return tuple(map(score_words.word_of, self._database.rows(score_words.WORDS)))

    def changed_keys(self) -> frozenset[str]:
        """The keys of claims that vendors stated anew or differently since their pages were first read."""
        return score_words.changed_keys(self._database)

    def known_changes(self, card: Scorecard) -> dict[tuple[str, str], frozenset[str]]:
        """See `score_words.known_changes`."""
        return score_words.known_changes(self._database, card)

    def last_change(self) -> int:
        """The number of the last event that is stored; 0 before the first."""
        return score_words.last_change(self._database)

    def keep_word(self, run_id: int, word: ScoreWord) -> None:
        """Keeps what a person said about a score; it holds from the next ranking on."""
        with self._database.transaction(f"the word on {word.vendor} in {word.dimension} could not be stored"):
            self._require_running(run_id)
            score_words.put_word(self._database, run_id, word)

    def store_proposal(self, run_id: int, proposal: Proposal, at: datetime) -> None:
        """Keeps the proposal for a person to accept or not."""
        what = f"the proposal for {proposal.vendor} in {proposal.dimension}"
        with self._database.transaction(f"{what} could not be stored"):
            self._require_running(run_id)
            standings.store_proposal(self._database, run_id, proposal, at)

    def publish(self) -> None:
        """Puts a checked copy of the ledger in the place where readers find it. See `warehouse.publish`.

        What the team shares follows, where the home names such a ledger.
        """
        publish(self._database, self._home)
        if self._shared and self._shared.turn:
            self._shared.push()

    def publish_if_behind(self) -> None:
        """Publishes where readers do not have all that is stored: after a run that was killed, say."""
        if not is_current(self._database, self._home):
            self.publish()

    def _require_running(self, run_id: int) -> None:
        rows = self._database.rows("SELECT status FROM stored.runs WHERE run_id = ?", [run_id])
        if not rows or rows[0]["status"] != "running":
            state = rows[0]["status"] if rows else "unknown"
            raise LedgerError(f"run {run_id} is {state}; begin a run before writing to it")
