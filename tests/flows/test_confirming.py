"""A published score whose claims changed is stale until a person says a word, and again when they change again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from flows import published
from flows.confirming import confirm
from flows.reranking import rerank
from schemas.errors import LedgerError
from schemas.ledger import Change, ChangeKind
from schemas.ranking import ScoreWord
from schemas.record import plain
from schemas.scorecard import Scorecard
from tests.flows.conftest import Run
from warehouse.cards import builtin_cards, card
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.query import run_query
from warehouse.score_words import with_words

CARD, VENDOR = "ten-thousand-cards", "huawei-cloud"
STORAGE, READY = "storage_io", "ready_to_use"
LATER = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def home(played: Home, tmp_path: Path) -> Home:
    """The demo's home, to be written to."""
    return Home(Path(shutil.copytree(played.root, tmp_path / "copy")))


def clock() -> Iterator[datetime]:
    return iter(LATER + timedelta(seconds=n) for n in range(1000))


def stale(home: Home) -> list[tuple[str, str]]:
    return [(s.dimension, plain(s.score)) for s in published.stale_scores(home, CARD)]


def test_the_proposal_is_accepted_and_the_card_ranked_anew(koujing: Run, home: Home) -> None:
    at = ("--home", str(home.root))
    listed = json.loads(koujing(*at, "proposals", "--format", "json").out)
    assert [(p["vendor"], p["dimension"], p["standing"], p["proposed"]) for p in listed] == [
        (VENDOR, STORAGE, "4.1", "4.6"),
        (VENDOR, READY, "3.9", "3.4"),
    ]
    done = koujing(
        *at, "confirm", VENDOR, STORAGE, "--scorecard", CARD, "--who", "li", "--note", "as the page"
    )
    assert done.out == f"{CARD}: {VENDOR}, {STORAGE}: 4.1 → 4.6; {VENDOR} is at rank 2 with 4.61\n"
    standing, proposed, _ = json.loads(koujing(*at, "rank", "--scorecard", CARD, "--format", "json").out)
    assert [(p["rank"], p["vendor"], p["shown"]) for p in standing["placements"]][:3] == [
        (1, "alibaba-cloud", "4.76"),
        (2, VENDOR, "4.61"),
        (2, "volcengine", "4.61"),
    ]
    assert [(s["dimension"], s["score"]) for s in standing["stale"]] == [(READY, "3.9")]
    assert [p["dimension"] for p in proposed["proposals"]] == [READY]
    # Now that it is the only one, the ranking is under the rubric's proposal.
    assert [p["shown"] for p in proposed["placements"] if p["vendor"] == VENDOR] == ["4.56"]
    words = run_query(
        home, "SELECT vendor, dimension, published, standing, score, who, note FROM score_words"
    ).rows
    assert words == [(VENDOR, STORAGE, Decimal("4.1"), Decimal("4.1"), Decimal("4.6"), "li", "as the page")]
    assert run_query(
        home, f"SELECT shown FROM ranking WHERE scorecard = '{CARD}' AND vendor = '{VENDOR}'"
    ).rows == [("4.61",)]


def test_a_kept_score_asks_nobody_again_and_a_later_word_takes_precedence(koujing: Run, home: Home) -> None:
    given = ("--home", str(home.root), "confirm", VENDOR, READY, "--scorecard", CARD, "--who", "li")
    assert "3.9 stands; " in koujing(*given, "--keep").out
    assert stale(home) == [(STORAGE, "4.1")]
    assert "3.9 → 3.25; " in koujing(*given, "--score", "3.25").out
    assert stale(home) == [(STORAGE, "4.1")]
    assert [w.score for w in published.score_words(home)] == [Decimal("3.25")]
    assert len(run_query(home, "FROM score_words").rows) == 2
    nothing = koujing(*given)
    assert nothing.code == 1
    assert "nothing is proposed for huawei-cloud in ready_to_use; give a score, or keep 3.25" in nothing.err


def test_a_claim_that_changes_after_the_word_makes_the_score_stale_again(home: Home) -> None:
    times = clock()
    cards = builtin_cards()
    confirm(home, CARD, VENDOR, STORAGE, None, lambda: next(times), cards=cards, who="li")
    assert stale(home) == [(READY, "3.9")]
    with Ledger.open(home) as ledger:
        run_id = ledger.begin_run("again", next(times))
        (key,) = [
            s.claim.claim_key
            for s in ledger.current_claims(VENDOR)
            if s.claim.metric == "fs_iops" and s.claim.text_value == "3000 万"
        ]
        stored = next(s for s in ledger.current_claims(VENDOR) if s.claim.claim_key == key)
        news = (
            Change(
                kind=ChangeKind.CHANGED,
                claim_key=key,
                source_id=stored.source_id,
                fields=("low",),
                before=stored.claim,
                after=stored.claim,
            ),
        )
        known = ledger.known_changes(card(CARD, cards))
        assert key in known[VENDOR, STORAGE]
        ledger._database.run_script(
            "INSERT INTO stored.changes BY NAME SELECT * REPLACE (change_id + 1000 AS change_id) "
            f"FROM stored.changes WHERE claim_key = '{key}'"
        )
        assert key not in ledger.known_changes(card(CARD, cards)).get((VENDOR, STORAGE), ())
        (ranked, *_) = rerank(ledger, run_id, cards, news, next(times))
        score = next(s for s in ranked.scores if (s.vendor, s.dimension) == (VENDOR, STORAGE))
        assert (score.score, score.status) == (Decimal("4.6"), "stale")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((VENDOR, STORAGE, "--score", "5.1"), "5.1 is off the scale of ten-thousand-cards: 0 to 5"),
        ((VENDOR, STORAGE, "--score", "-1"), "-1 is off the scale"),
        ((VENDOR, "rdma"), "the claims under huawei-cloud's 4.6 in rdma have not changed"),
        ((VENDOR, "storage"), "ten-thousand-cards has no dimension 'storage'; it has"),
        (("azure", STORAGE), "publishes no score of azure; it scores alibaba-cloud"),
    ],
)
def test_what_is_not_asked_is_refused_and_nothing_is_stored(
    koujing: Run, home: Home, words: tuple[str, ...], told: str
) -> None:
    outcome = koujing("--home", str(home.root), "confirm", *words, "--scorecard", CARD, "--who", "li")
    assert outcome.code == 1
    assert told in outcome.err
    assert run_query(home, "FROM score_words").rows == []
    assert run_query(home, "SELECT count(*) FROM runs").rows == [(2,)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--who", " "), "give the name of who decides"),
        (("--who", "li", "--score", "NaN"), "'NaN' is no number"),
        (("--who", "li", "--score", "Infinity"), "'Infinity' is no number"),
        (("--who", "li", "--score", "4.60001"), "four decimal places at most"),
        (("--who", "li", "--score", "4", "--keep"), "either the score stands or another holds"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_opened(
    koujing: Run, home: Home, words: tuple[str, ...], told: str
) -> None:
    outcome = koujing("--home", str(home.root), "confirm", VENDOR, STORAGE, "--scorecard", CARD, *words)
    assert outcome.code == 2
    assert told in " ".join(outcome.err.replace("│", " ").split())


def test_a_derived_only_card_has_nothing_to_confirm(home: Home) -> None:
    times = clock()
    with pytest.raises(
        LedgerError, match="six-dimensions publishes no score of huawei-cloud; it scores nobody"
    ):
        confirm(
            home,
            "six-dimensions",
            VENDOR,
            "storage",
            None,
            lambda: next(times),
            cards=builtin_cards(),
            who="li",
        )


def test_a_word_counts_while_the_file_gives_the_score_that_it_was_said_about() -> None:
    main = card(CARD, builtin_cards())
    word = ScoreWord(
        scorecard=CARD,
        vendor=VENDOR,
        dimension=STORAGE,
        published=Decimal("4.1000"),
        standing=Decimal("4.1"),
        score=Decimal("4.6"),
        change_id=7,
        who="li",
        said_at=LATER,
    )

    def score(of: Scorecard) -> Decimal:
        return of.editorial[VENDOR][STORAGE].score

    assert score(with_words(main, [word])) == Decimal("4.6")
    assert score(with_words(main, [word.model_copy(update={"published": Decimal("4.2")})])) == Decimal("4.1")
    assert score(with_words(main, [word.model_copy(update={"scorecard": "other"})])) == Decimal("4.1")
    assert with_words(main, [word.model_copy(update={"vendor": "azure"})]) == main
