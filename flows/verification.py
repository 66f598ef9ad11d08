"""Verifies what the ledger holds: only groups of claims that changed, or whose checks did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import cast
from urllib.parse import urlsplit

from extractors.checks import across, on_page, origins
from flows.sources import host_rule
from flows.summary import Verified
from schemas.check import Check, Verdict
from schemas.errors import KoujingError
from schemas.source import Snapshot, Source, Tier
from warehouse import snapshots
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.verification import Group, Member, Statements

_BATCH = 20_000
"""Claims that are held in memory at a time."""


def verify_ledger(ledger: Ledger, home: Home, at: datetime, *, every: bool = False) -> Verified:
    """Runs the checks that need several claims where anything they rest on changed; with `every`, all of them.

    Each batch is one transaction. What was verified with the same inputs and the same checks is left as it is; what
    could not run is tried again.
    Checks of the page are run again, from its bytes, where a check has another version.
    """
    replayed = _replay(ledger, home, at, every=every)
    originals = _originals(ledger, home)
    groups = ledger.unverified(
        across.topic_of, across.versions(), lambda source: originals.get(source, ("", ""))[0], every=every
    )
    claims = verdicts = 0
    for batch in _batches(groups):
        found = ledger.members(batch, across.topic_of)
        checks = {
            group: across.check_group([_standing(member, originals) for member in members])
            for group, members in found.items()
        }
        # A group of which a check could not run is not done: the next verification tries it again.
        done = [group for group in batch if not _failed(checks.get((group.vendor, group.topic), ()))]
        versions = {m.stored.claim.claim_key: m.stored.version for members in found.values() for m in members}
        verdicts += ledger.store_checks(done, list(chain.from_iterable(checks.values())), versions, at)
        claims += len(versions)
    return Verified(groups=len(groups), claims=claims, verdicts=verdicts + replayed)


def _failed(checks: Iterable[Check]) -> bool:
    return any(check.verdict is Verdict.CHECK_FAILED for check in checks)


def _replay(ledger: Ledger, home: Home, at: datetime, *, every: bool) -> int:
    """Runs the checks that need only the page again where they are of another version; gives how many are new."""
    new = 0
    for snapshot, stored in ledger.unread_by(on_page.versions(), every=every):
        claims = [s.claim for s in stored]
        try:
            if snapshot is None:
                raise KoujingError("the ledger knows of no snapshot that it was read from")
            body = snapshots.load(home, snapshot.sha256)
            checks = on_page.replay(claims, body, content_type=snapshot.content_type, name=snapshot.url)
        except KoujingError as error:
            checks = on_page.not_run(claims, str(error))
        new += ledger.store_checks((), checks, {s.claim.claim_key: s.version for s in stored}, at)
    ledger.keep_versions(on_page.versions(), at)
    return new


def _batches(groups: Iterable[Group]) -> Iterable[list[Group]]:
    batch: list[Group] = []
    size = 0
    for group in groups:
        if batch and size + group.claims > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(group)
        size += group.claims
    if batch:
        yield batch


def _standing(member: Member, originals: dict[str, tuple[str, str]]) -> across.Standing:
    stored = member.stored
    rule = host_rule(member.url)
    original, how = originals.get(stored.source_id, ("", ""))
    return across.Standing(
        claim=stored.claim,
        version=stored.version,
        page=origins.Page(
            source_id=stored.source_id,
            vendor=member.page_vendor,
            tier=cast(Tier, member.tier),
            url=member.url,
            language=member.language,
            host_vendor=rule.vendor if rule else None,
            host_tier=rule.tier if rule else None,
            original=original,
            how=how,
        ),
        not_seen=stored.not_seen,
        visited_since=member.visited_since,
    )


def _originals(ledger: Ledger, home: Home) -> dict[str, tuple[str, str]]:
    """By page the one that it repeats, and how that is known: by its link, its words, or its figures."""
    pages = ledger.known_sources()
    official = [page for page in pages if _is_official(page)]
    if len(official) == len(pages):
        return {}
    says = ledger.statements()
    last = ledger.last_snapshots()
    by_url = {_address(page.url): page.id for page in official}
    by_bytes = {last[page.id].sha256: page.id for page in official if page.id in last}
    result = {}
    for page in pages:
        if _is_official(page):
            continue
        body = _body(home, last.get(page.id))
        found = (
            _by_address(page, by_url)
            or _by_body(page, body, last.get(page.id), by_url, by_bytes)
            or _repeated(page, body, official, says)
        )
        if found is not None:
            result[page.id] = found
    return result


def _by_address(page: Source, by_url: Mapping[str, str]) -> tuple[str, str] | None:
    """The official page that a proxy's address names: one that is known, else, in its path, one of a vendor's host."""
    for url in (page.url, page.url.partition("?")[0]):
        behind = _address(origins.proxied(url))
        if "/" in behind and (named := by_url.get(behind)) is not None:
            return named, "its address names that page"
    behind = origins.proxied(page.url.partition("?")[0])
    if behind and host_rule(behind) is not None:
        return behind, "its address names that page"
    return None


def _by_body(
    page: Source,
    body: bytes,
    snapshot: Snapshot | None,
    by_url: Mapping[str, str],
    by_bytes: Mapping[str, str],
) -> tuple[str, str] | None:
    link = origins.canonical_link(body, page.url)
    if link and (named := by_url.get(_address(link))) is not None:
        return named, "its head names that address as the original"
    same = by_bytes.get(snapshot.sha256) if snapshot else None
    return (same, "its bytes are the same") if same else None


def _repeated(
    page: Source, body: bytes, official: Sequence[Source], says: Mapping[str, Statements]
) -> tuple[str, str] | None:
    own = says.get(page.id, Statements())
    for original in official:
        other = says.get(original.id, Statements())
        if origins.is_copy(own.quotes, other.quotes):
            return original.id, "its words are the same"
        if origins.says_no_more(own.quotes, other.quotes) and _address(original.url).encode() in body:
            return original.id, "it links there, and its words are the same"
        languages = {page.language.split("-")[0], original.language.split("-")[0]}
        if len(languages) == 2 and origins.is_translation(own.figures, other.figures):
            return original.id, "its figures are the same in another language"
    return None


def _is_official(page: Source) -> bool:
    rule = host_rule(page.url)
    if rule is not None:
        return rule.tier in ("T1", "T2") and (page.vendor is None or rule.vendor == page.vendor)
    return page.tier in ("T1", "T2")


def _address(url: str) -> str:
    parts = urlsplit(url)
    return f"{(parts.hostname or '').removeprefix('www.')}{parts.path.rstrip('/')}"


def _body(home: Home, snapshot: Snapshot | None) -> bytes:
    """The page's last bytes; nothing where they are no longer there."""
    if snapshot is None:
        return b""
    try:
        return snapshots.load(home, snapshot.sha256)
    except KoujingError:
        return b""
