"""The ledger is verified after a run, and again only where something changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from extractors.checks import across, on_page
from extractors.extract import extract
from flows.releasing import release
from flows.rereading import reextract
from flows.verification import verify_ledger
from review.deciding import decide
from schemas.check import AXES, Check
from schemas.decision import Decision, DecisionKind
from schemas.ledger import Release
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger

DAY = datetime(2026, 5, 1, tzinfo=UTC)
EN = Source(
    id="vepfs-en",
    vendor="volcengine",
    product="vepfs",
    url="https://www.volcengine.com/docs/en/vepfs",
    language="en",
    tier="T2",
)
ZH = Source(
    id="vepfs-zh",
    vendor="volcengine",
    product="vepfs",
    url="https://www.volcengine.com/docs/zh/vepfs",
    language="zh",
    tier="T2",
)
BLOG = Source(
    id="blog",
    vendor="volcengine",
    product="vepfs",
    url="https://blog.example/vepfs",
    language="zh",
    tier="T3",
)
ENGLISH = (
    "<html lang=en><title>vePFS</title><h1>vePFS</h1><p>A single file system serves 1,000,000 read IOPS.</p>"
)
CHINESE = "<html lang=zh><title>vePFS</title><h1>vePFS</h1><p>单文件系统读 IOPS 为 400 万。</p>"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def write(ledger: Ledger, home: Home, source: Source, page: str, at: datetime) -> None:
    body = page.encode()
    run_id = ledger.begin_run("", at)
    shot = Snapshot(
        sha256=snapshots.keep(home, body), source_id=source.id, url=source.url, fetched_at=at, size=len(body)
    )
    visit = Visit(source_id=source.id, at=at, status=FetchStatus.CHANGED, snapshot=shot)
    got = extract(
        body,
        source=source.id,
        name="p.html",
        vendor=source.vendor,
        product=source.product,
        language=source.language,
        tier=source.tier,
    )
    ledger.write_page(run_id, source, visit, got)
    ledger.end_run(run_id, at, "done")


def verdict(ledger: Ledger, source: str, name: str) -> tuple[str, str]:
    (row,) = ledger._database.rows(
        "SELECT verdict, reason FROM checks WHERE name = ? AND claim_key IN "
        "(SELECT claim_key FROM stored.claim_versions WHERE source_id = ?)",
        [name, source],
    )
    return row["verdict"], row["reason"]


def test_only_what_changed_is_verified_again(home):
    with Ledger.open(home) as ledger:
        write(ledger, home, EN, ENGLISH, DAY)
        first = verify_ledger(ledger, home, DAY)
        assert (first.groups, first.claims, first.verdicts) == (1, 1, 4)
        assert verify_ledger(ledger, home, DAY).groups == 0
        write(ledger, home, ZH, CHINESE, DAY + timedelta(days=1))
        second = verify_ledger(ledger, home, DAY + timedelta(days=1))
        assert (second.groups, second.claims) == (1, 2)
        assert second.verdicts == 4 + 1  # the new claim's, and the agreement of the old one
        assert verdict(ledger, EN.id, "agreement")[0] == "CONFLICT"
        assert verdict(ledger, EN.id, "agreement")[1].startswith("inside the vendor: two values of one thing")
        assert ledger.roll_ups() == dict.fromkeys(ledger.roll_ups(), "CONFLICTING")
        every = verify_ledger(ledger, home, DAY, every=True)
        assert (every.claims, every.verdicts) == (2, 0)


def test_a_corrected_page_ends_the_conflict(home):
    with Ledger.open(home) as ledger:
        write(ledger, home, EN, ENGLISH, DAY)
        write(ledger, home, ZH, CHINESE, DAY)
        verify_ledger(ledger, home, DAY)
        write(ledger, home, EN, ENGLISH.replace("1,000,000", "4,000,000"), DAY + timedelta(days=1))
        verify_ledger(ledger, home, DAY + timedelta(days=1))
        assert verdict(ledger, EN.id, "agreement") == ("SINGLE", "one origin says it, on 2 pages")
        assert verdict(ledger, EN.id, "staleness")[0] == "CHANGED"
        assert set(ledger.roll_ups().values()) == {"QUALIFIED"}


def test_a_page_that_names_its_original_is_a_repetition(home):
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE, DAY)
        write(ledger, home, BLOG, CHINESE.replace("<h1>", f'<link rel=canonical href="{ZH.url}"><h1>'), DAY)
        verify_ledger(ledger, home, DAY)
        assert verdict(ledger, BLOG.id, "authority") == (
            "T4",
            "repeats vepfs-zh: its head names that address as the original",
        )
        assert verdict(ledger, ZH.id, "agreement") == ("SINGLE", "one page says it")
        assert sorted(ledger.roll_ups().values()) == ["QUALIFIED", "UNSUPPORTED"]


def test_a_claim_that_was_never_verified_supports_nothing(home):
    with Ledger.open(home) as ledger:
        write(ledger, home, EN, ENGLISH, DAY)
        ledger._database.execute("DELETE FROM stored.checks")
        (row,) = ledger._database.rows("SELECT roll_up, reading, why, may_rank FROM claim_standing")
        assert row == {"roll_up": "UNSUPPORTED", "reading": None, "why": "never verified", "may_rank": False}


@pytest.mark.parametrize(
    ("name", "verdict_", "roll_up", "reading"),
    [
        ("grounding", "ABSENT", "UNSUPPORTED", None),
        ("entailment.value", "CONTRADICTED", "UNSUPPORTED", None),
        ("entailment.bound", "CONTRADICTED", "UNSUPPORTED", None),
        ("entailment.basis", "CONTRADICTED", "UNSUPPORTED", None),
        ("authority", "T4", "UNSUPPORTED", None),
        ("plausibility", "CHECK_FAILED", "UNSUPPORTED", None),
        ("plausibility", "ABOVE_BOUND", "IMPLAUSIBLE", None),
        ("agreement", "CONFLICT", "CONFLICTING", "sources_differ"),
        ("arithmetic", "FAIL", "CONFLICTING", "sources_differ"),
        ("arithmetic.sentence", "FAIL", "CONFLICTING", "sources_differ"),
        ("condition", "NOT_STATED", "QUALIFIED", "test_yourself"),
        ("authority", "T3", "QUALIFIED", "officially_stated"),
        ("grounding", "NORMALISED", "QUALIFIED", "officially_stated"),
    ],
)
def test_roll_up(home, name, verdict_, roll_up, reading):
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE, DAY)
        verify_ledger(ledger, home, DAY)
        ledger._database.execute("UPDATE stored.checks SET verdict = ? WHERE name = ?", [verdict_, name])
        (row,) = ledger._database.rows("SELECT roll_up, reading FROM claims")
        assert row == {"roll_up": roll_up, "reading": reading}
        (share,) = ledger._database.rows("SELECT vendor, roll_up, claims, share FROM standing_by_vendor")
        assert (share["vendor"], share["roll_up"], share["claims"], share["share"]) == (
            "volcengine",
            roll_up,
            1,
            1,
        )


@pytest.mark.parametrize("name", AXES)
def test_a_check_that_could_not_run_or_was_not_run_is_no_pass(home, name):
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE, DAY)
        verify_ledger(ledger, home, DAY)
        ledger._database.execute(
            "UPDATE stored.checks SET verdict = 'CHECK_FAILED', reason = 'RuntimeError: out of luck' WHERE name = ?",
            [name],
        )
        (row,) = ledger._database.rows("SELECT roll_up, reading, why, may_rank FROM claim_standing")
        why = f"a check could not run: {name} (RuntimeError: out of luck)"
        assert row == {"roll_up": "UNSUPPORTED", "reading": None, "why": why, "may_rank": False}
        ledger._database.execute("DELETE FROM stored.checks WHERE name = ?", [name])
        (row,) = ledger._database.rows("SELECT roll_up, reading, why, may_rank FROM claim_standing")
        why = f"not verified yet: {name}"
        assert row == {"roll_up": "UNSUPPORTED", "reading": None, "why": why, "may_rank": False}


def test_a_page_that_was_written_and_not_verified_yet_supports_nothing(home):
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE, DAY)
        (row,) = ledger._database.rows("SELECT roll_up, why FROM claim_standing")
        assert row == {
            "roll_up": "UNSUPPORTED",
            "why": "not verified yet: authority, agreement, arithmetic, staleness",
        }


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        ("condition.check", "condition"),
        ("plausibility.check", "plausibility"),
        ("grounding.ground", "grounding"),
        ("entailment.basis", "entailment.basis"),
        ("equations.check_sentence", "arithmetic.sentence"),
        ("origins.authority", "authority"),
        ("staleness.check", "staleness"),
        ("equations.product_programs", "arithmetic"),
        ("across._nearest", "agreement"),
        ("across._read", "agreement"),
    ],
)
def test_a_check_that_breaks_is_a_row_and_is_run_again_until_it_does_not_break(
    home, monkeypatch, broken, name
):
    def breaks(*args: object, **more: object) -> object:
        raise RuntimeError("out of luck")

    with Ledger.open(home) as ledger:
        with monkeypatch.context() as patched:
            patched.setattr(f"extractors.checks.{broken}", breaks)
            write(ledger, home, ZH, CHINESE, DAY)
            verify_ledger(ledger, home, DAY)
            failed = ledger._database.rows("SELECT name, reason FROM checks WHERE verdict = 'CHECK_FAILED'")
            assert [row["name"] for row in failed] == [name]
            assert "out of luck" in failed[0]["reason"]
            assert set(ledger.roll_ups().values()) == {"UNSUPPORTED"}
            assert verify_ledger(ledger, home, DAY).verdicts == 0
        assert verify_ledger(ledger, home, DAY).verdicts == 1
        assert set(ledger.roll_ups().values()) == {"QUALIFIED"}
        again = verify_ledger(ledger, home, DAY)
        assert (again.groups, again.verdicts) == (0, 0)


def test_the_last_verdict_counts_also_where_the_clock_was_set_back(home):
    with Ledger.open(home) as ledger:
        write(ledger, home, EN, ENGLISH, DAY)
        verify_ledger(ledger, home, DAY + timedelta(days=30))
        write(ledger, home, ZH, CHINESE, DAY + timedelta(days=1))
        verify_ledger(ledger, home, DAY + timedelta(days=1))
        assert verdict(ledger, EN.id, "agreement")[0] == "CONFLICT"
        assert set(ledger.roll_ups().values()) == {"CONFLICTING"}
        assert verify_ledger(ledger, home, DAY + timedelta(days=1), every=True).verdicts == 0


def unverified(ledger: Ledger) -> list[str]:
    rows = ledger._database.rows(
        "SELECT why FROM claim_standing WHERE why LIKE '%verified%' OR why LIKE '%run%'"
    )
    return [row["why"] for row in rows]


def test_what_a_rereading_corrects_is_verified_before_it_is_published(home, monkeypatch):
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE, DAY)
        verify_ledger(ledger, home, DAY)
        ledger._database.execute("UPDATE stored.claim_versions SET low = 3, extractor = 'grammar@0'")
    done = reextract(home, lambda: DAY + timedelta(days=1), cards=(), every=True)
    assert len(done.changes) == 1
    with Ledger.open(home) as ledger:
        assert [c.version for c in ledger.current_claims()] == [2]
        assert unverified(ledger) == []
        assert set(ledger.roll_ups().values()) == {"QUALIFIED"}


def test_a_page_that_a_person_released_is_verified_before_it_is_published(home):
    said = [f"<p>单机 RDMA 带宽 {n}00Gbps，端到端时延 {n} 微秒。</p>" for n in range(1, 7)]
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE + "".join(said), DAY)
        verify_ledger(ledger, home, DAY)
        write(ledger, home, ZH, "<title>vePFS</title><h1>vePFS</h1><p>单机 RDMA 带宽 6.4Tbps。</p>", DAY)
        (hold,) = ledger.open_holds()
    release(home, hold.source_id, Release(who="ann", accept=True), lambda: DAY, cards=())
    with Ledger.open(home) as ledger:
        assert unverified(ledger) == []
        kept = [c.claim.text_value for c in ledger.current_claims() if not c.not_seen]
        assert kept == ["6.4Tbps"]


@pytest.mark.parametrize(
    ("sentence", "roll_up", "why"),
    [
        ("单文件系统读 IOPS 为 400 万", "QUALIFIED", "stated of access read"),
        ("单文件系统读 IOPS 不少于 400 万", "QUALIFIED", "stated as at least; stated of access read"),
        ("单机 RDMA 带宽 3.2Tbps", "VERIFIED", ""),
        (
            "单文件系统读 IOPS 最高 400 万",
            "QUALIFIED",
            (
                "a peak without the load that it was reached under; open: peak_without_load; stated as at most; "
                "the best case; stated of access read"
            ),
        ),
    ],
)
def test_a_qualified_claim_says_what_qualifies_it(home, sentence, roll_up, why):
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE.replace("单文件系统读 IOPS 为 400 万", sentence), DAY)
        verify_ledger(ledger, home, DAY)
        rows = ledger._database.rows("SELECT roll_up, why FROM claim_standing")
        assert rows == [{"roll_up": roll_up, "why": why}]


def test_an_open_flag_makes_it_ambiguous_and_a_decision_settles_it(home):
    page = "<html lang=zh><title>RDMA</title><h1>GPU 云服务器</h1><p>RDMA 带宽 3.2Tbps。</p>"
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, page, DAY)
        verify_ledger(ledger, home, DAY)
        assert set(ledger.roll_ups().values()) == {"AMBIGUOUS"}
        (open_flag,) = ledger.open_flags()
        decision = Decision(
            claim_key=open_flag.flag.claim_key,
            flag=open_flag.flag.name,
            kind=DecisionKind.READING,
            reading="per_machine",
            who="ann",
        )
        decide(ledger, 1, decision, DAY)
        assert set(ledger.roll_ups().values()) == {"VERIFIED"}


def test_another_version_of_a_page_check_is_run_again_from_the_bytes(home, monkeypatch):
    with Ledger.open(home) as ledger:
        write(ledger, home, EN, ENGLISH, DAY)
        verify_ledger(ledger, home, DAY)
        monkeypatch.setattr("extractors.checks.grounding.VERSION", "next")
        again = verify_ledger(ledger, home, DAY + timedelta(days=1))
        assert again.verdicts == 1
        (row,) = ledger._database.rows("SELECT verdict, check_version FROM checks WHERE name = 'grounding'")
        assert row == {"verdict": "EXACT", "check_version": "next"}
        assert verify_ledger(ledger, home, DAY + timedelta(days=1)).verdicts == 0


@pytest.mark.parametrize("lost", ["bytes", "row"])
def test_a_check_whose_page_is_gone_from_the_snapshots_is_no_pass_until_it_is_back(home, lost):
    with Ledger.open(home) as ledger:
        write(ledger, home, EN, ENGLISH, DAY)
        verify_ledger(ledger, home, DAY)
        before = ledger.roll_ups()
        kept = ledger._database.rows("FROM stored.snapshots")
        if lost == "bytes":
            home.snapshots.rename(home.root / "away")
        else:
            ledger._database.execute("DELETE FROM stored.snapshots")
        verify_ledger(ledger, home, DAY + timedelta(days=1), every=True)
        failed = ledger._database.rows("SELECT name, reason FROM checks WHERE verdict = 'CHECK_FAILED'")
        assert {row["name"] for row in failed} == set(on_page.versions())
        assert all("snapshot" in row["reason"] for row in failed)
        assert set(ledger.roll_ups().values()) == {"UNSUPPORTED"}
        if lost == "bytes":
            (home.root / "away").rename(home.snapshots)
        else:
            ledger._database.insert("stored.snapshots", kept)
        verify_ledger(ledger, home, DAY + timedelta(days=2))
        assert ledger.roll_ups() == before


def test_what_was_stored_is_found_again_by_running_everything(home):
    with Ledger.open(home) as ledger:
        for source, page in ((EN, ENGLISH), (ZH, CHINESE)):
            write(ledger, home, source, page, DAY)
        verify_ledger(ledger, home, DAY)
        before = ledger._database.rows("SELECT claim_key, name, verdict, reason, detail, inputs FROM checks")
        assert verify_ledger(ledger, home, DAY + timedelta(days=1), every=True).verdicts == 0
        ledger._database.execute("DELETE FROM stored.checks")
        verify_ledger(ledger, home, DAY + timedelta(days=1), every=True)
        assert (
            ledger._database.rows("SELECT claim_key, name, verdict, reason, detail, inputs FROM checks")
            == before
        )


def test_a_verification_that_ends_in_the_middle_is_taken_up_where_it_ended(home, tmp_path, monkeypatch):
    page = ENGLISH.replace("</p>", "</p><p>RDMA is 3.2 Tbps per node.</p><p>MFU is 43% on 1,024 GPUs.</p>")
    rows = "SELECT claim_key, name, verdict, reason, detail, inputs, check_version FROM checks ORDER BY ALL"
    whole = open_home(tmp_path / "whole")
    with Ledger.open(whole) as ledger:
        write(ledger, whole, EN, page, DAY)
        verify_ledger(ledger, whole, DAY)
        expected = ledger._database.rows(rows)
    monkeypatch.setattr("flows.verification._BATCH", 1)
    for ends_after in (0, 1, 2):
        place = open_home(tmp_path / str(ends_after))
        with Ledger.open(place) as ledger:
            write(ledger, place, EN, page, DAY)
            with monkeypatch.context() as patched:
                patched.setattr("extractors.checks.across.check_group", _ends(ends_after))
                with pytest.raises(KeyboardInterrupt):
                    verify_ledger(ledger, place, DAY)
        with Ledger.open(place) as ledger:
            left = verify_ledger(ledger, place, DAY)
            assert (left.groups, left.claims) == (3 - ends_after, 3 - ends_after)
            assert ledger._database.rows(rows) == expected


def _ends(after: int) -> Callable[[Sequence[across.Standing]], list[Check]]:
    """Checks some groups, and then is interrupted."""
    done: list[int] = []

    def check(members: Sequence[across.Standing]) -> list[Check]:
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(1)
        return real(members)

    real = across.check_group
    return check
