"""Which pages only repeat a vendor's own: by a proxy's address, a link, the same bytes or the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.checks.origins import proxied
from flows.verification import verify_ledger
from schemas.source import Source
from tests.flows.test_verification import CHINESE, DAY, ZH, verdict, write
from warehouse.home import Home
from warehouse.ledger import Ledger

PAGE = ZH.url
OTHER = CHINESE.replace("IOPS 为 400 万", "IOPS 实测为 400 万")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def third_party(url: str) -> Source:
    return Source(id="other", vendor="volcengine", product="vepfs", url=url, language="zh", tier="T3")


@pytest.mark.parametrize(
    ("url", "behind"),
    [
        (f"https://r.jina.ai/{PAGE}", PAGE),
        (f"https://web.archive.org/web/20260101000000/{PAGE}", PAGE),
        ("https://web.archive.org/web/2026id_/http:/www.volcengine.com/docs/a", "http://www.volcengine.com/docs/a"),
        ("https://www-volcengine-com.translate.goog/docs/zh/vepfs?_x_tr_sl=zh", PAGE),
        ("https://my--cloud-example-com.translate.goog/a", "https://my-cloud.example.com/a"),
        ("https://translate.google.com/translate?sl=zh&u=https%3A%2F%2Fwww.volcengine.com%2Fdocs%2Fzh%2Fvepfs", PAGE),
        ("https://blog.example/post", ""),
        ("https://blog.example/https-explained", ""),
        ("https://[broken/", ""),
    ],
)  # fmt: skip
def test_the_address_that_a_proxy_shows(url, behind):
    assert proxied(url) == behind


@pytest.mark.parametrize(
    ("url", "page", "tier", "reason"),
    [
        (f"https://r.jina.ai/{PAGE}", OTHER, "T4", "repeats vepfs-zh: its address names that page"),
        ("https://www-volcengine-com.translate.goog/docs/zh/vepfs", OTHER, "T4", "repeats vepfs-zh: its address names that page"),
        (f"https://t.example/?u={PAGE}", OTHER, "T4", "repeats vepfs-zh: its address names that page"),
        ("https://r.jina.ai/https://www.volcengine.com/docs/else", OTHER, "T4", "repeats https://www.volcengine.com/docs/else: its address names that page"),
        ("https://blog.example/post", CHINESE, "T4", "repeats vepfs-zh: its bytes are the same"),
        ("https://blog.example/post", CHINESE + f'<a href="{PAGE}">来源</a>', "T4", "repeats vepfs-zh: it links there, and its words are the same"),
        ("https://blog.example/post", OTHER + f'<a href="{PAGE}">官方文档</a>', "T3", "the source list says so; no vendor's host is known there"),
        ("https://blog.example/post", CHINESE + " ", "T3", "the source list says so; no vendor's host is known there"),
        ("https://blog.example/post?from=https://www.volcengine.com/", OTHER, "T3", "the source list says so; no vendor's host is known there"),
        ("https://r.jina.ai/https://lab.example/volcengine", OTHER, "T3", "the source list says so; no vendor's host is known there"),
        ("https://www.volcengine.com.lab.example/docs/zh/vepfs", OTHER, "T3", "the source list says so; no vendor's host is known there"),
        ("https://m.volcengine.com/docs/zh/vepfs", OTHER, "T2", "on volcengine's own host, by the allow-list"),
    ],
)  # fmt: skip
def test_a_repetition_is_recognised_and_a_test_of_their_own_is_none(home, url, page, tier, reason):
    with Ledger.open(home) as ledger:
        write(ledger, home, ZH, CHINESE, DAY)
        write(ledger, home, third_party(url), page, DAY)
        verify_ledger(ledger, home, DAY)
        assert verdict(ledger, "other", "authority") == (tier, reason)
        assert verdict(ledger, ZH.id, "agreement")[0] == ("AGREE" if tier == "T3" else "SINGLE")
