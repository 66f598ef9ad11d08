"""What a run is worth telling, in both languages, and when nothing is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from flows.telling.digest import Digest, HeldPage, Move, NewFlag, ToldChange, Trouble, digest_of
from flows.telling.wording import MOST, as_markdown, as_text, escaped, sections, subject
from schemas.errors import QueryError
from warehouse.home import Home

AT = datetime(2026, 5, 2, 3, tzinfo=UTC)
QUIET = Digest(run_id=7, label="nightly", status="done", at=AT, pages=3, first_read=0, changed=0, failed=0)
CHANGE = ToldChange(
    vendor="huawei-cloud",
    metric="fs_throughput",
    kind="changed",
    before="1 TB/s",
    after="2 TB/s",
    source_id="sfs",
    url="https://vendor.example/sfs",
)
MOVE = Move(
    scorecard="ten-thousand-cards",
    vendor="ucloud",
    rank_before=3,
    rank=2,
    shown_before="4.10",
    shown="4.36",
)
FLAG = NewFlag(
    vendor="ucloud",
    metric="fs_iops",
    text_value="3000 万",
    name="peak",
    question_en="Under load?",
    question_zh="带载测得？",
    flag_id="f1",
)
TROUBLE = Trouble(source_id="gone-page", url="", status="failed", reason="it drips", is_new=True)
HELD = HeldPage(source_id="held-page", url="", reason="gone", claims_lost=3, claims_before=4)
FULL = QUIET.model_copy(
    update={"changes": (CHANGE,), "moves": (MOVE,), "flags": (FLAG,), "troubles": (TROUBLE,), "held": (HELD,)}
)


def test_the_demo_s_second_day_is_told_from_the_published_file(played: Home) -> None:
    first, second = digest_of(played, 1), digest_of(played)
    assert (first.pages, first.first_read, first.changes, first.flags) == (16, 16, (), ())
    assert (second.run_id, second.label, second.pages) == (2, "2", 16)
    told = [(c.vendor, c.metric, c.before, c.after) for c in second.changes]
    assert ("huawei-cloud", "fs_throughput", "", "2\u00a0TB/s") in told
    assert ("huawei-cloud", "fs_iops", "", "3000 万") in told
    assert [(t.source_id, t.status, t.is_new) for t in second.troubles] == [
        ("kingsoft-xingliu", "gone", True)
    ]
    assert [(h.source_id, h.claims_lost, h.claims_before) for h in second.held] == [
        ("kingsoft-xingliu", 1, 1)
    ]
    assert {flag.vendor for flag in second.flags} == {"huawei-cloud"}
    assert second.is_news
    with pytest.raises(QueryError, match="there is no run 99"):
        digest_of(played, 99)


@pytest.mark.parametrize(
    ("update", "is_news"),
    [
        ({}, False),
        ({"changes": (CHANGE,)}, True),
        ({"moves": (MOVE,)}, True),
        ({"flags": (FLAG,)}, True),
        ({"held": (HELD,)}, True),
        ({"troubles": (TROUBLE,)}, True),
        ({"troubles": (TROUBLE.model_copy(update={"is_new": False}),)}, False),
        ({"status": "failed"}, True),
        ({"first_read": 3}, False),
    ],
)
def test_a_page_that_fails_as_before_is_no_news(update: dict[str, object], is_news: bool) -> None:
    assert QUIET.model_copy(update=update).is_news is is_news


def test_everything_is_told_in_english() -> None:
    assert subject(FULL) == "Koujing: 1 changed, 1 moved in the rankings, 2 pages in trouble"
    assert as_text(FULL, "en", [("report", "https://team.example/r")]) == (
        "Run 7 (nightly), 2026-05-02 03:00 UTC: 3 pages visited, 0 for the first time, 0 changed, 0 failed.\n\n"
        "What vendors changed\n- huawei-cloud fs_throughput: 1 TB/s → 2 TB/s (https://vendor.example/sfs)\n\n"
        "Rankings that moved\n- ten-thousand-cards: ucloud rank 3 (4.10) → rank 2 (4.36)\n\n"
        "New questions\n- ucloud fs_iops 3000 万: Under load?\n\n"
        "Pages that failed\n- gone-page: failed, it drips\n\n"
        "Pages that are held\n- held-page: gone; 3 of 4 claims would be lost; they stand (koujing held)\n\n"
        "Report: https://team.example/r\n"
    )


def test_everything_is_told_in_chinese() -> None:
    assert subject(FULL, "zh") == "口径：1 处指标有变，排名变动 1 处，2 个页面异常"
    told = as_text(FULL, "zh")
    for words in (
        "厂商改动的指标",
        "第 3 名 (4.10) → 第 2 名 (4.36)",
        "带载测得？",
        "失败的页面",
        "4 条中的 3 条",
    ):
        assert words in told


def test_nothing_is_said_to_be_nothing() -> None:
    assert subject(QUIET) == "Koujing: nothing changed"
    assert as_text(QUIET).endswith("\n\nNothing happened.\n")
    assert as_text(QUIET, "zh").endswith("\n\n没有发生变化。\n")


def test_of_a_long_list_the_rest_is_counted() -> None:
    many = QUIET.model_copy(update={"changes": (CHANGE,) * (MOST + 5)})
    ((_, lines),) = sections(many)
    assert len(lines) == MOST + 1
    assert lines[-1] == "and 5 more"


def test_what_a_page_says_marks_nothing_up_and_commands_no_terminal() -> None:
    evil = CHANGE.model_copy(update={"after": "\x1b[31m[x](javascript:alert(1)) <b>3 Tbps</b>\n# head"})
    assert "\x1b" not in as_text(QUIET.model_copy(update={"changes": (evil,)}))
    marked = as_markdown(QUIET.model_copy(update={"changes": (evil,)}))
    assert "[x](" not in marked
    assert "<b>" not in marked
    assert "\n# head" not in marked
    assert escaped("a|b*c_d`e") == "a\\|b\\*c\\_d\\`e"
