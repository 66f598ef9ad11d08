from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.addresses import resolve
from schemas.errors import FetchError

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "fetch" / "addresses.yaml").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['url']} {case.get('resolves', '')}")
def test_which_addresses_may_be_fetched(case: dict[str, Any]) -> None:
    asked: list[str] = []

    def lookup(host: str, port: int) -> list[str]:
        asked.append(host)
        return list(case["resolves"])

    def attempt() -> tuple[str, ...]:
        return resolve(case["url"], allow_loopback=case.get("loopback", False), lookup=lookup).addresses

    if "refused" in case:
        with pytest.raises(FetchError, match=case["refused"]):
            attempt()
    elif "resolves" in case:
        assert attempt() == tuple(case["resolves"])
    else:
        assert len(attempt()) == 1
    assert bool(asked) == ("resolves" in case)


def test_the_host_is_named_as_dns_and_headers_know_it() -> None:
    target = resolve("https://例子.中国:8443/a", lookup=lambda host, port: ["93.184.216.34"])
    assert target.host == "xn--fsqu00a.xn--fiqs8s"
    assert target.authority == "xn--fsqu00a.xn--fiqs8s:8443"
    assert target.origin == "https://xn--fsqu00a.xn--fiqs8s:8443"
    assert not target.is_loopback
    six = resolve("http://[::1]:80/", allow_loopback=True)
    assert six.authority == "[::1]"
    assert six.is_loopback


def test_a_resolver_that_fails_is_a_reason_to_try_again() -> None:
    def lookup(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(FetchError, match=r"no\.example has no address \(no such name\)") as caught:
        resolve("http://no.example/", lookup=lookup)
    assert caught.value.retry


def test_what_a_page_names_is_shown_without_control_characters() -> None:
    with pytest.raises(FetchError) as caught:
        resolve("gopher://x/\x1b[31m" + "y" * 500)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 200
