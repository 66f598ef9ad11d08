"""The checks that need other claims too: authority, agreement, arithmetic across a product, staleness.

Claims come in groups that can bear on each other: those of one vendor and one topic (`topic_of`). Agreement is
between origins: a vendor's pages are one origin, and repetitions are none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from extractors.checks import arithmetic, comparing, equations, origins, staleness
from extractors.checks.comparing import Compared, Relation, compare
from extractors.checks.origins import Page
from extractors.checks.running import Found, digest, run_check
from extractors.checks.said import Said, said
from schemas.check import Check, Verdict
from schemas.claim import Claim
from schemas.program import Program

VERSION = "2"
"""Of how groups are made and compared; the version of what is stored is that of all the modules together."""

NEAREST = 48
"""With how many other figures one is compared at most: those nearest to it. A page of thousands stays linear."""

_TOPICS = {
    "throughput_per_capacity": "fs_throughput",
    "fs_capacity_max": "fs_throughput",
    "iops_per_capacity": "fs_throughput",
    "fs_iops": "fs_throughput",
    "accelerator_count": "machine",
    "rdma_bandwidth": "machine",
    "interconnect_bandwidth": "machine",
    "price_per_accelerator_hour": "machine",
    "price_per_instance_hour": "machine",
}


def versions() -> str:
    """The versions of everything that these checks rest on; with another one they are run again."""
    modules = (
        VERSION,
        arithmetic.VERSION,
        comparing.VERSION,
        equations.VERSION,
        origins.VERSION,
        staleness.VERSION,
    )
    return ".".join(modules)


def topic_of(metric: str, of: str = "") -> str:
    """Which other metrics a metric is checked with. `of`: what a capability `not_disclosed` is silent about."""
    name = of if metric == "capability" and of else metric
    return _TOPICS.get(name, name)


@dataclass(frozen=True, slots=True)
class Standing:
    """A claim as it stands in the ledger. `visited_since`: its page was read again after it was first said."""

    claim: Claim
    version: int
    page: Page
    not_seen: int = 0
    visited_since: bool = False


def check_group(members: Sequence[Standing]) -> list[Check]:
    """One row a claim and check of `schemas.check.ACROSS`, for claims of one vendor and topic.

    The order of `members` does not matter. A check that cannot run gives CHECK_FAILED, never a pass.
    """
    members = sorted(members, key=lambda m: m.claim.claim_key)
    out: list[Check] = []
    verdicts: dict[str, Verdict] = {}
    for member in members:
        key, vendor = member.claim.claim_key, member.claim.vendor
        row = _row(
            key, "authority", digest(member.page, vendor), partial(origins.authority, member.page, vendor)
        )
        verdicts[key] = row.verdict
        out.append(row)
        out.append(_row(key, "staleness", digest(*_age(member)), partial(staleness.check, *_age(member))))
    standing = [m for m in members if not m.not_seen]
    programs: dict[str, list[Program]] = {}
    broken: Exception | None = None
    try:
        of_vendor = {key for key, verdict in verdicts.items() if verdict in (Verdict.T1, Verdict.T2)}
        programs = equations.product_programs((m.claim for m in standing), of_vendor)
    except Exception as error:  # noqa: BLE001 - one row a claim says so, and the other checks still run
        broken = error
    table = _Table(standing, verdicts)
    for member in members:
        key = member.claim.claim_key
        own = programs.get(key, [])
        run = partial(_arithmetic, own) if broken is None else partial(_fail, broken)
        out.append(_row(key, "arithmetic", digest(*own), run))
        try:
            out.append(table.agreement(member))
        except Exception as error:  # noqa: BLE001 - as above
            out.append(_row(key, "agreement", digest(error), partial(_fail, error)))
    return out


def _fail(error: Exception) -> Found:
    raise error


def _age(member: Standing) -> tuple[int, int, bool]:
    return member.version, member.not_seen, member.visited_since


def _row(key: str, name: str, inputs: str, run: Callable[[], Found]) -> Check:
    return run_check(key, name, versions(), inputs, run)


def _arithmetic(programs: Sequence[Program]) -> Found:
    if not programs:
        return Found(Verdict.NOT_APPLICABLE, "no other claim of the product makes a calculation with it")
    return equations.judged(programs)


@dataclass(slots=True)
class _Statement:
    """One thing said in the same way by one page or more: it is compared once."""

    said: Said
    members: list[Standing]
    pages: set[str]


class _Table:
    """The claims of a group by what they can be compared with."""

    def __init__(self, members: Sequence[Standing], verdicts: dict[str, Verdict]) -> None:
        self.verdicts = verdicts
        self.failed: dict[str, str] = {}
        self.of_claim: dict[str, _Statement] = {}
        self.shelves: dict[tuple[str, str], list[_Statement]] = defaultdict(list)
        self.results: dict[tuple[int, int], Compared] = {}
        known: dict[object, _Statement] = {}
        for member in members:
            try:
                one = _read(member.claim)
            except Exception as error:  # noqa: BLE001 - its row says that it cannot be compared
                self.failed[member.claim.claim_key] = str(error)
                continue
            name = _signature(one)
            if name not in known:
                known[name] = _Statement(one, [], set())
                self.shelves[one.product, one.metric].append(known[name])
            known[name].members.append(member)
            known[name].pages.add(member.page.source_id)
            self.of_claim[member.claim.claim_key] = known[name]
        for shelf in self.shelves.values():
            shelf.sort(key=lambda s: s.said.figure or Fraction(0))

    def agreement(self, member: Standing) -> Check:
        """The claim's row: with whom it agrees, or by whom it is contradicted."""
        key = member.claim.claim_key
        statement = self.of_claim.get(key)
        if not member.claim.vendor and statement is not None:
            # Two pages that do not say whose figures they have may speak of two vendors.
            found = Found(Verdict.SINGLE, "it does not say whose it is: nothing is compared with it")
            return _row(key, "agreement", digest("nobody"), lambda: found)
        if statement is None:
            reason = self.failed.get(key)
            found = Found(Verdict.SINGLE, "not on its page any more: nothing is compared with it")
            if reason is not None:
                found = Found(Verdict.CHECK_FAILED, f"it cannot be compared: {reason}")
            return _row(key, "agreement", digest(reason), lambda: found)
        page = member.page.source_id
        others = [
            (other, result)
            for near in self._near(statement)
            # What only this page says is its rows and tiers: it neither supports nor contradicts.
            if near.pages != {page}
            if (result := self._compared(statement, near)).relation is not Relation.NOT_COMPARABLE
            for other in near.members
            if other.page.source_id != page
        ]
        inputs = digest(
            _signature(statement.said),
            *sorted({(o.claim.claim_key, o.version, r.relation.value) for o, r in others}),
        )
        return _row(key, "agreement", inputs, lambda: self._judge(member, others))

    def _judge(self, member: Standing, others: list[tuple[Standing, Compared]]) -> Found:
        """By page: one that has any figure which fits does not contradict, nor by what another row of ours says."""
        own = self._origin(member)
        by_page: dict[str, list[tuple[Standing, Compared]]] = defaultdict(list)
        for other, result in others:
            if self._verdict(other) is not Verdict.T4:
                by_page[other.page.source_id].append((other, result))
        against = [
            found
            for page in by_page.values()
            if all(result.relation is Relation.CONFLICT for _, result in page)
            for found in [one for one in page if not self._is_of_another_row(one[0], member)][:1]
        ]
        if against:
            other, result = min(
                against, key=lambda found: (self._origin(found[0]) != own, found[0].claim.claim_key)
            )
            within = "inside the vendor: " if self._origin(other) == own else ""
            return Found(
                Verdict.CONFLICT,
                f"{within}{result.reason} ({other.page.source_id})",
                {
                    "quote": member.claim.evidence.quote,
                    "other_quote": other.claim.evidence.quote,
                    "other": other.claim.claim_key,
                    "other_source": other.page.source_id,
                    "other_language": other.page.language,
                    "language": member.page.language,
                },
            )
        same = [o for page in by_page.values() for o, result in page if result.relation is Relation.AGREE]
        origins_of_same = {self._origin(other) for other in same} - {own}
        if origins_of_same and self._verdict(member) is not Verdict.T4:
            names = ", ".join(sorted({o.page.source_id for o in same if self._origin(o) != own})[:3])
            return Found(Verdict.AGREE, f"another origin says the same: {names}")
        if same:
            return Found(
                Verdict.SINGLE, f"one origin says it, on {len({o.page.source_id for o in same}) + 1} pages"
            )
        return Found(Verdict.SINGLE, "one page says it")

    def _is_of_another_row(self, other: Standing, member: Standing) -> bool:
        """Whether the member's own page says elsewhere what the other says: two tiers, of which the other has one."""
        own = member.page.source_id
        statement = self.of_claim[other.claim.claim_key]
        return any(
            own in near.pages and self._compared(statement, near).relation is Relation.AGREE
            for near in self._near(statement)
        )

    def _verdict(self, member: Standing) -> Verdict:
        return self.verdicts[member.claim.claim_key]

    def _origin(self, member: Standing) -> str:
        return origins.origin(member.page, self._verdict(member), member.claim.vendor)

    def _compared(self, one: _Statement, other: _Statement) -> Compared:
        pair = (id(one), id(other)) if id(one) <= id(other) else (id(other), id(one))
        if pair not in self.results:
            self.results[pair] = compare(one.said, other.said)
        return self.results[pair]

    def _near(self, statement: _Statement) -> Iterable[_Statement]:
        """What it may be compared with: of its own product and metric the nearest, and what a slope belongs to."""
        one = statement.said
        shelf = self.shelves[one.product, one.metric]
        yield from _nearest(shelf, statement)
        for (product, metric), others in self.shelves.items():
            silent = "capability" in (metric, one.metric) and (
                not product or not one.product or product == one.product
            )
            if (
                metric != one.metric
                and (product == one.product or silent)
                and comparing.may_compare(one.metric, metric)
            ):
                yield from others[:NEAREST]


def _nearest(shelf: list[_Statement], statement: _Statement) -> list[_Statement]:
    if len(shelf) <= NEAREST:
        return shelf
    at = shelf.index(statement) if len(shelf) < 4 * NEAREST else _place(shelf, statement)
    start = max(0, min(at - NEAREST // 2, len(shelf) - NEAREST))
    return shelf[start : start + NEAREST]


def _place(shelf: list[_Statement], statement: _Statement) -> int:
    return bisect_left(
        shelf, statement.said.figure or Fraction(0), key=lambda s: s.said.figure or Fraction(0)
    )


def _read(claim: Claim) -> Said:
    return said(
        {
            "vendor": claim.vendor,
            "product": claim.product,
            "metric": claim.metric,
            "low": claim.low,
            "high": claim.high,
            "unit": claim.unit,
            "text_value": claim.text_value,
            "bound": claim.bound,
            "best_case": claim.best_case,
            "basis": claim.basis,
            "direction": claim.direction,
            "condition": claim.condition,
            "baseline": claim.baseline,
            "qualifiers": claim.qualifiers,
            "flags": claim.flags,
        }
    )


def _signature(one: Said) -> tuple[object, ...]:
    return (
        one.product,
        one.metric,
        one.low,
        one.high,
        one.unit,
        one.bound,
        one.best_case,
        one.basis,
        one.direction,
        one.baseline,
        one.step,
        tuple(sorted(one.condition.items())),
        tuple(sorted(one.qualifiers.items())),
    )


__all__ = ["Standing", "check_group", "topic_of", "versions"]
