"""What the worked example of docs/ranking.md says comes out. What the page prints is played in tests/docs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from tests.flows.conftest import Run
from warehouse.home import Home

CARD = "ten-thousand-cards"


def test_storage_at_a_quarter_is_what_the_worked_example_says(koujing: Run, played: Home) -> None:
    """The article's advice for small files, computed."""
    at = ("--home", str(played.root), "rank", "--scorecard", CARD, "--format", "json")
    published, proposed, derived = json.loads(koujing(*at, "--weight", "storage_io=0.25").out)
    assert published["weights"]["storage_io"] == "0.25"
    assert sum(Decimal(weight) for weight in published["weights"].values()) == 1

    def spots(ranking: dict[str, Any]) -> list[tuple[int, str, str]]:
        return [(p["rank"], p["vendor"], p["shown"]) for p in ranking["placements"]]

    assert spots(published)[3:5] == [(4, "baidu-ai-cloud", "4.51"), (5, "huawei-cloud", "4.48")]
    assert spots(proposed)[2:5] == [
        (3, "huawei-cloud", "4.61"),
        (4, "tencent-cloud", "4.53"),
        (5, "baidu-ai-cloud", "4.51"),
    ]
    ranges = {p["vendor"]: (p["best"], p["worst"]) for p in derived["placements"]}
    assert {ranges[v] for v in ("huawei-cloud", "tencent-cloud", "baidu-ai-cloud")} == {(3, 5)}
    assert [v for v, (_, worst) in ranges.items() if worst < 3] == ["alibaba-cloud", "volcengine"]
    # With the other weights in proportion, by hand: 0.25 of storage, 0.75 / 0.82 of the rest.
    own = spots(json.loads(koujing(*at).out)[0])
    assert own[3:5] == [(4, "huawei-cloud", "4.52"), (5, "baidu-ai-cloud", "4.50")]
