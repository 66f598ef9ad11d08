"""Scorecards as files: what ships, what a user adds, and the line of each fault."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from schemas.claim import Claim, Evidence
from schemas.datafile import parse_data
from schemas.errors import DataFileError, KoujingError
from schemas.quantity import Bound
from schemas.registry import registry
from schemas.scorecard import Scorecard
from warehouse import cards
from warehouse.cards import CardFile, builtin_cards, card, check_card, load_cards, rests_on, touches

CASES = Path(__file__).parents[1] / "cases" / "cards"
SOUND = (CASES / "sound.yaml").read_text(encoding="utf-8")
FAULTS = yaml.safe_load((CASES / "faults.yaml").read_text(encoding="utf-8"))
DERIVED = (CASES / "derived.yaml").read_text(encoding="utf-8")
DERIVED_FAULTS = yaml.safe_load((CASES / "derived_faults.yaml").read_text(encoding="utf-8"))


def claim(metric: str, *, vendor: str | None, product: str | None = None, **qualifiers: str) -> Claim:
    return Claim(
        claim_key="k",
        source="page",
        vendor=vendor,
        product=product,
        metric=metric,
        low=Decimal(1),
        unit="unit",
        text_value="1",
        bound=Bound.EXACT,
        basis="unspecified",
        qualifiers=qualifiers,
        evidence=Evidence(quote="1", start=0, end=1),
        extractor="test",
    )


HOSTILE = yaml.safe_load((CASES / "hostile.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", HOSTILE, ids=[case["name"] for case in HOSTILE])
def test_a_hostile_edit_is_refused_with_its_line_or_does_no_harm(case: dict[str, str]) -> None:
    base = {"sound": SOUND, "derived": DERIVED}[case["card"]]
    assert base.count(case["replace"]) == 1
    text = base.replace(case["replace"], case["by"])
    if "line" not in case:
        parse_data(text, CardFile, name="card.yaml")
        return
    with pytest.raises(DataFileError) as caught:
        parse_data(text, CardFile, name="card.yaml")
    assert case["says"] in str(caught.value)
    assert (caught.value.file, caught.value.line) == ("card.yaml", case["line"])


@pytest.mark.parametrize(
    ("by", "line"),
    [
        ("id: " + "[" * 20_000 + "]" * 20_000, 1),
        ("id: small\n" + "".join(f"k{number}: 1\n" for number in range(20_000)), 2),
        ("id: " + "a" * 200_000, 1),
        ("id: small\nscale_max: 5" + "0" * 200_000, 2),
    ],
    ids=["nested", "many keys", "a long word", "a long number"],
)
def test_a_large_hostile_file_is_refused_shortly(by: str, line: int) -> None:
    with pytest.raises(DataFileError) as caught:
        parse_data(SOUND.replace("id: small", by, 1), CardFile, name="card.yaml")
    assert caught.value.line == line
    assert len(str(caught.value)) < 300


def test_a_sound_file_is_read_exactly() -> None:
    read = parse_data(SOUND, CardFile, name="sound.yaml")
    assert [(d.id, d.weight) for d in read.dimensions] == [
        ("network", Decimal("0.6")),
        ("storage", Decimal("0.4")),
    ]
    assert read.editorial["volcengine"]["storage"].score == Decimal("4.1")


@pytest.mark.parametrize(
    ("sound", "case"),
    [(SOUND, case) for case in FAULTS] + [(DERIVED, case) for case in DERIVED_FAULTS],
    ids=[case["name"] for case in FAULTS + DERIVED_FAULTS],
)
def test_a_fault_is_refused_with_its_line(sound: str, case: dict[str, str]) -> None:
    assert sound.count(case["replace"]) == 1
    text = sound.replace(case["replace"], case["by"])
    with pytest.raises(DataFileError) as caught:
        parse_data(text, CardFile, name="card.yaml")
    assert case["says"] in str(caught.value)
    assert (caught.value.file, caught.value.line) == ("card.yaml", case["line"])


@pytest.mark.parametrize(
    "name",
    [
        "weights that do not sum to 1",
        "an unknown vendor",
        "a score above the scale",
        "a dimension that stands twice",
    ],
)
def test_the_model_itself_refuses_what_no_file_brought(name: str) -> None:
    case = next(case for case in FAULTS if case["name"] == name)
    with pytest.raises(DataFileError):
        parse_data(SOUND.replace(case["replace"], case["by"]), Scorecard, name="card.yaml")


def test_four_scorecards_ship_and_no_file_is_left_out() -> None:
    shipped = builtin_cards()
    assert [c.id for c in shipped] == [
        "ten-thousand-cards",
        "small-clusters",
        "six-dimensions",
        "stability-poc",
    ]
    folder = Path(cards.__file__).parent / "scorecards"
    assert {path.stem for path in folder.glob("*.yaml")} == {c.id for c in shipped}
    assert all(type(c) is Scorecard for c in shipped)
    assert [len(c.editorial) for c in shipped] == [6, 6, 0, 0]
    assert [d.weight for d in shipped[2].dimensions] == [
        Decimal(text) for text in ("0.25", "0.22", "0.20", "0.15", "0.10", "0.08")
    ]


def test_every_dimension_rests_on_something() -> None:
    assert [d.id for c in builtin_cards() for d in c.dimensions if not d.metrics + d.capabilities] == []


def test_every_shipped_card_derives_scores_and_two_have_published_ones_too() -> None:
    assert [c.modes for c in builtin_cards()] == [
        ("editorial", "derived"),
        ("editorial", "derived"),
        ("derived",),
        ("derived",),
    ]


MEASURES = [
    (f"{c.id}.{d.id}.{criterion.id}", measure)
    for c in builtin_cards()
    for d in c.dimensions
    for criterion in d.criteria
    for measure in criterion.measures
]
REASONS = [
    *((f"{place}.{a.name}", a.why) for place, measure in MEASURES for a in measure.anchors),
    *((f"{place}.{m.capability}", m.why) for place, m in MEASURES if m.why is not None),
    *(
        (f"{c.id}.{d.id}.{criterion.id}.{p.capability}", p.why)
        for c in builtin_cards()
        for d in c.dimensions
        for criterion in d.criteria
        for p in criterion.points
    ),
]


def test_no_anchor_names_a_vendor_or_a_product() -> None:
    vendors = registry().vendors.values()
    names = {n for v in vendors for n in (v.id, v.label.en, v.label.zh, *v.names)}
    names |= {n for v in vendors for p in v.products for n in (p.id, *p.names)}
    named = [
        (place, name)
        for place, why in REASONS
        for name in names
        if _names(name, f"{place} {why.en} {why.zh}")
    ]
    assert named == []


def _names(name: str, text: str) -> bool:
    latin = name.isascii()
    return (
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)" if latin else re.escape(name), text, re.IGNORECASE)
        is not None
    )


def test_no_anchor_can_encode_a_published_score() -> None:
    """Published scores have tenths; anchors score in halves, and the same figure scores the same for every vendor."""
    scores = [a.score for _, measure in MEASURES for a in measure.anchors]
    scores += [m.score for _, m in MEASURES if m.score is not None]
    assert [s for s in scores if s * 2 % 1 != 0] == []


def test_every_threshold_has_a_reason_of_its_own_in_both_languages() -> None:
    assert len(REASONS) > 150
    assert [place for place, why in REASONS if len(why.en) < 15 or len(why.zh) < 4 or why.en == why.zh] == []


def test_a_users_card_is_added(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(SOUND, encoding="utf-8")
    assert [c.id for c in load_cards(tmp_path)][4:] == ["small"]
    assert load_cards(tmp_path / "missing") == builtin_cards()


def test_a_file_is_checked_against_the_cards_it_would_stand_beside(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(DERIVED, encoding="utf-8")
    assert check_card(mine).id == "derived"
    assert check_card(mine, tmp_path).modes == ("derived",)
    (tmp_path / "other.yaml").write_text(DERIVED, encoding="utf-8")
    with pytest.raises(DataFileError, match=r"taken by other\.yaml"):
        check_card(mine, tmp_path)
    shipped = Path(cards.__file__).parent / "scorecards" / "small-clusters.yaml"
    assert check_card(shipped, tmp_path).id == "small-clusters"


@pytest.mark.parametrize("taken", ["small-clusters", "small"])
def test_an_id_that_is_taken_is_refused_with_its_file(tmp_path: Path, taken: str) -> None:
    (tmp_path / "a.yaml").write_text(SOUND, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(
        "# mine\n" + SOUND.replace("id: small", f"id: {taken}"), encoding="utf-8"
    )
    with pytest.raises(DataFileError, match=f"id is '{taken}', which is taken by") as caught:
        load_cards(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "b.yaml"), 2)


def test_an_unknown_id_is_answered_with_the_known_ones() -> None:
    assert card("small-clusters", builtin_cards()).id == "small-clusters"
    with pytest.raises(
        KoujingError,
        match="no scorecard 'big'; there are ten-thousand-cards, small-clusters, six-dimensions, stability-poc",
    ):
        card("big", builtin_cards())


@pytest.mark.parametrize(
    ("changed", "main", "small"),
    [
        (claim("fs_iops", vendor="huawei-cloud"), ("storage_io",), ()),
        (
            claim("rdma_bandwidth", vendor="ucloud"),
            ("rdma",),
            ("single_machine_interconnect",),
        ),
        (claim("cluster_size_max", vendor="ucloud"), ("interconnect", "cluster_size"), ()),
        (
            claim("capability", vendor="ucloud", capability="hourly_billing"),
            ("ready_to_use",),
            ("billing_flexibility",),
        ),
        (claim("capability", vendor="ucloud", capability="not_disclosed", of="fs_iops"), ("storage_io",), ()),
        (
            claim("capability", vendor="ucloud", capability="not_disclosed", of="gang_scheduling"),
            ("scheduling_recovery",),
            (),
        ),
        (
            claim("relative_improvement", vendor="huawei-cloud", of="network_latency"),
            ("rdma",),
            ("single_machine_interconnect",),
        ),
        (claim("relative_improvement", vendor="huawei-cloud", product="sfs-turbo"), ("storage_io",), ()),
        (claim("relative_improvement", vendor="huawei-cloud", product="cloudmatrix384"), (), ()),
        (claim("relative_improvement", vendor="huawei-cloud"), (), ()),
        (claim("fs_iops", vendor="azure"), (), ()),
        (claim("fs_iops", vendor=None), (), ()),
        (claim("other", vendor="ucloud"), (), ()),
    ],
)
def test_a_claim_touches_the_dimensions_that_rest_on_it(
    changed: Claim, main: tuple[str, ...], small: tuple[str, ...]
) -> None:
    assert [touches(c, changed) for c in builtin_cards()] == [main, small, (), ()]


def test_a_score_may_rest_on_fewer_claims_than_its_dimension() -> None:
    main = builtin_cards()[0]
    storage = next(d for d in main.dimensions if d.id == "storage_io")
    block = claim("block_iops", vendor="ucloud")
    assert rests_on(storage, block, main.editorial["ucloud"]["storage_io"])
    assert not rests_on(storage, block, main.editorial["alibaba-cloud"]["storage_io"])
