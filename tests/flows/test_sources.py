from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from flows.outcome import Fetched
from flows.source_file import add_source, remove_source
from flows.sources import (
    HostRules,
    builtin,
    check_sources,
    find_sources,
    host_rule,
    id_for,
    load_sources,
    propose,
    with_base,
)
from schemas.datafile import parse_data
from schemas.errors import DataFileError
from schemas.source import FetchStatus, Scope, Snapshot, Source, Visit

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
URL = "https://www.huaweicloud.com/product/sfs-turbo.html"


def fetched(
    status: FetchStatus = FetchStatus.CHANGED,
    body: bytes = b"",
    *,
    url: str = URL,
    http_status: int | None = 200,
    reason: str = "",
    disallowed: bool = False,
) -> Fetched:
    snapshot = None
    if status is FetchStatus.CHANGED:
        snapshot = Snapshot(sha256="0" * 64, source_id="page", url=url, fetched_at=NOON, size=len(body))
    visit = Visit(
        source_id="page", at=NOON, status=status, http_status=http_status, snapshot=snapshot, reason=reason
    )
    return Fetched(visit, body or None, url, disallowed)


# --- the lists that ship ----------------------------------------------------------------------------------


def test_the_vendors_list_holds_official_pages_of_many_vendors() -> None:
    sources = builtin("vendors").sources
    assert 14 <= len(sources) <= 20
    assert len({source.vendor for source in sources}) >= 12
    assert {source.tier for source in sources} <= {"T1", "T2"}
    assert len({source.url for source in sources}) == len(sources)
    assert all(source.vendor is not None for source in sources)


def test_the_host_rules_know_the_vendors_of_the_list() -> None:
    for source in builtin("vendors").sources:
        assert propose(source.url).vendor == source.vendor, source.url


@pytest.mark.parametrize(
    ("url", "vendor", "tier"),
    [
        ("https://www.volcengine.com/docs/6396", "volcengine", "T2"),
        ("https://WWW.VOLCENGINE.COM./docs/6396", "volcengine", "T2"),
        ("https://www.volcengine.com:8443/docs", "volcengine", "T2"),
        ("https://developer.volcengine.com/articles/7", "volcengine", "T4"),
        ("https://developer.aliyun.com/article/1", "alibaba-cloud", "T4"),
        ("https://cloud.tencent.com/developer/article/1", "tencent-cloud", "T4"),
        ("https://bbs.huaweicloud.com/blogs/1", "huawei-cloud", "T4"),
        ("https://learn.microsoft.com/en-us/answers/questions/1", "azure", "T4"),
        ("https://learn.microsoft.com/en-us/azure/virtual-machines", "azure", "T2"),
        ("https://www.volcengine.com.evil.example/docs", None, None),
        ("https://evil.example/www.volcengine.com/docs", None, None),
        ("https://www.volcengine.com@evil.example/docs", None, None),
        ("https://www.volcengine.com%2eevil.example/docs", None, None),
        ("http://[::1/", None, None),
    ],
)
def test_whose_page_it_is(url: str, vendor: str | None, tier: str | None) -> None:
    rule = host_rule(url)
    assert (rule and rule.vendor, rule and rule.tier) == (vendor, tier)


def test_every_host_rule_can_be_reached() -> None:
    text = (files("warehouse") / "sources" / "hosts.yaml").read_text(encoding="utf-8")
    rules = parse_data(text, HostRules, name="hosts.yaml").hosts
    for rule in rules:
        first = next(r for r in rules if r.fits(rule.host, f"{rule.path}/page"))
        assert first == rule


def test_the_demo_list_is_eight_vendors_on_a_host_that_never_resolves() -> None:
    sources = find_sources("demo")
    assert len({source.vendor for source in sources}) == 8
    assert {urlsplit(source.url).netloc for source in sources} == {"demo.invalid"}


def test_another_server_takes_the_place_of_the_host() -> None:
    source = Source(id="a", url="http://demo.invalid/x/y.html?z=1")
    assert with_base([source], "http://127.0.0.1:8123")[0] == Source(
        id="a", url="http://127.0.0.1:8123/x/y.html?z=1"
    )


def test_a_list_is_found_by_name_or_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("sources:\n- id: a\n  url: https://example.com/\n", encoding="utf-8")
    assert find_sources(str(path)) == (Source(id="a", url="https://example.com/"),)
    with pytest.raises(DataFileError, match=r"no such file; give the path .* demo, vendors"):
        find_sources(str(tmp_path / "none.yaml"))
    with pytest.raises(DataFileError, match="there are demo, vendors"):
        builtin("../../secret")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("sources:\n- id: a\n  url: ftp://x\n", 3, "ftp://x"),
        ("sources:\n- id: a\n  url: https://x/\n- id: a\n  url: https://y/\n", 1, "stands twice"),
        ("sources:\n- id: a\n  url: https://x/\n  vendor: nobody\n", 4, "no known vendor"),
        ("sources:\n- id: a\n  urll: https://x/\n", 2, "url is missing"),
        ("sources: []\n", 1, "at least 1 item"),
    ],
)
def test_a_wrong_list_is_refused_with_its_line(tmp_path: Path, text: str, line: int, found: str) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=found) as caught:
        load_sources(path)
    assert caught.value.line == line


# --- proposing an entry -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (URL, "huaweicloud-com-product-sfs-turbo"),
        ("https://example.com", "example-com"),
        ("https://example.com/a/b.HTM?c=1", "example-com-a-b-c-1"),
        ("http://127.0.0.1:8000/x", "127-0-0-1-x"),
    ],
)
def test_ids_are_readable(url: str, name: str) -> None:
    assert id_for(url) == name


def test_ids_that_had_to_be_cut_still_differ() -> None:
    urls = [f"https://example.com/{'long/' * 30}{n}" for n in range(3)]
    urls += ["https://example.com/规格", "https://example.com/价格", "https://例子.中国/"]
    ids = [id_for(url) for url in urls]
    assert len(set(ids)) == len(ids)
    for url, name in zip(urls, ids, strict=True):
        assert Source(id=name, url=url).id == name


def test_a_page_is_proposed_with_vendor_language_and_title() -> None:
    page = b'<html lang="en"><head><title>SFS\n  Turbo\xc2\x9b </title></head><body>x</body></html>'
    assert propose(URL, fetched(body=page)) == Source(
        id="huaweicloud-com-product-sfs-turbo",
        vendor="huawei-cloud",
        url=URL,
        language="en",
        tier="T1",
        title="SFS Turbo",
    )


def test_a_page_that_cannot_be_read_is_proposed_by_its_address() -> None:
    assert propose(URL, fetched(body=b"\x00\x01\x02" * 50)).title == ""
    assert propose(URL, fetched(FetchStatus.FAILED)).vendor == "huawei-cloud"


@pytest.mark.parametrize(
    ("url", "vendor", "tier"),
    [
        ("https://help.aliyun.com/x", "alibaba-cloud", "T2"),
        ("https://www.aliyun.com/x", "alibaba-cloud", "T1"),
        ("https://ALIYUN.com/x", "alibaba-cloud", "T1"),
        ("https://evil-aliyun.com/x", None, "T4"),
        ("https://aliyun.com.evil.example/x", None, "T4"),
        ("https://github.com/UCloudDoc-Team/gpu", "ucloud", "T2"),
        ("https://github.com/UCloudDoc-Teammate/gpu", None, "T4"),
        ("https://volcengine.com/docs/6645/94078", "volcengine", "T2"),
        ("https://example.com/", None, "T4"),
    ],
)
def test_the_host_tells_whose_page_it_is(url: str, vendor: str | None, tier: str) -> None:
    source = propose(url)
    assert (source.vendor, source.tier) == (vendor, tier)


def test_what_is_given_is_not_guessed() -> None:
    source = propose(URL, source_id="mine", vendor="ucloud", product="ufs", tier="T3")
    assert (source.id, source.vendor, source.product, source.tier) == ("mine", "ucloud", "ufs", "T3")
    with pytest.raises(DataFileError, match=r"vendor does not fit.*no known vendor"):
        propose(URL, vendor="nobody")
    with pytest.raises(DataFileError, match="id does not fit"):
        propose(URL, source_id="Not An Id")
    with pytest.raises(DataFileError, match="url does not fit"):
        propose("huaweicloud.com/product")


# --- adding to a list -------------------------------------------------------------------------------------

SOURCE = Source(id="new", vendor="ucloud", url="https://www.ucloud.cn/x", title="标题: 'a' # b")


def test_a_missing_list_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "sources.yaml"
    assert add_source(path, SOURCE) == SOURCE
    assert load_sources(path).sources == (SOURCE,)


@pytest.mark.parametrize(
    "before",
    [
        "# mine\nsources:\n  - id: a # first\n    url: https://example.com/\n\n# the end",
        "sources:\n- {id: a, url: https://example.com/}\n",
        "sources:\n      - id: a\n        url: https://example.com/\n        title: |\n          two\n          lines\n",
    ],
)
def test_a_list_is_added_to_and_keeps_what_stands_there(tmp_path: Path, before: str) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(before, encoding="utf-8")
    path.chmod(0o600)
    old = load_sources(path).sources
    add_source(path, SOURCE)
    assert path.read_text(encoding="utf-8").startswith(before)
    assert load_sources(path).sources == (*old, SOURCE)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["sources.yaml"]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (
            "sources:\n- id: new\n  url: https://example.com/\n",
            "id new already stands for https://example.com/",
        ),
        ("sources:\n- id: a\n  url: https://WWW.ucloud.cn/x#top\n", "already listed as a; edit that entry"),
        ("sources: [{id: a, url: 'https://example.com/'}]\n", "stand in brackets"),
        ("sources:\n- id: a\n  url: https://example.com/\n...\n", "add by hand"),
        ("sources:\n- id: a\n", "url is missing"),
    ],
)
def test_what_cannot_be_added_leaves_the_file_alone(tmp_path: Path, before: str, reason: str) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(before, encoding="utf-8")
    with pytest.raises(DataFileError, match=reason):
        add_source(path, SOURCE)
    assert path.read_text(encoding="utf-8") == before


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataFileError, match="cannot be written"):
        add_source(tmp_path / "file" / "sources.yaml", SOURCE)


# --- taking out of a list ---------------------------------------------------------------------------------

ENTRIES = {
    "a": "  - id: a # first\n    url: https://example.com/a\n",
    "b": "  -\n    id: b\n    # inside b\n    url: https://example.com/b\n    title: |\n      - two\n      # lines\n",
    "c": "  - {id: c, url: https://example.com/c}\n",
}
AROUND = ("# mine\nsources:\n", "\n# over b\n", "# over c\n", "\n# the end\n")


@pytest.mark.parametrize("gone", ["a", "b", "c"])
@pytest.mark.parametrize("end", [AROUND[3], "", "# no line break"])
def test_an_entry_is_taken_out_and_everything_else_stays(tmp_path: Path, gone: str, end: str) -> None:
    path = tmp_path / "sources.yaml"
    kept = {name: "" if name == gone else text for name, text in ENTRIES.items()}

    def written(entries: dict[str, str]) -> str:
        return f"{AROUND[0]}{entries['a']}{AROUND[1]}{entries['b']}{AROUND[2]}{entries['c']}{end}"

    path.write_text(written(ENTRIES), encoding="utf-8")
    removed = remove_source(path, gone)
    assert (removed.id, removed.url) == (gone, f"https://example.com/{gone}")
    assert path.read_text(encoding="utf-8") == written(kept)
    assert [s.id for s in load_sources(path).sources] == [name for name in "abc" if name != gone]


def test_the_last_entry_of_a_file_without_a_line_break_is_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text("sources:\n- id: a\n  url: https://x.example/\n- id: b\n  url: https://y.example/")
    remove_source(path, "b")
    assert path.read_text() == "sources:\n- id: a\n  url: https://x.example/\n"


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("sources:\n- id: a\n  url: https://x/\n", "a is the only source; delete the file instead"),
        (
            "sources:\n- id: b\n  url: https://x/\n- id: c\n  url: https://y/\n",
            "no source is called 'a'; there are b, c",
        ),
        ("sources: [{id: a, url: 'https://x/'}, {id: b, url: 'https://y/'}]\n", "stand in brackets"),
        (
            "? sources\n: - id: a\n    url: https://x/\n  - id: b\n    url: https://y/\n",
            "a cannot be taken out of this file as it is written; remove it by hand",
        ),
    ],
)
def test_what_cannot_be_taken_out_leaves_the_file_alone(tmp_path: Path, before: str, reason: str) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(before, encoding="utf-8")
    with pytest.raises(DataFileError, match=reason):
        remove_source(path, "a")
    assert path.read_text(encoding="utf-8") == before


def test_a_list_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"none\.yaml: there is no such file; name the list with --from"):
        remove_source(tmp_path / "none.yaml", "a")


# --- checking ---------------------------------------------------------------------------------------------


class Answers:
    """Gives what was prepared for each source."""

    def __init__(self, answers: dict[str, Fetched]) -> None:
        self._answers = answers

    def fetch(self, source: Source, last: Snapshot | None = None) -> Fetched:
        assert last is None
        return self._answers[source.id]


def test_each_source_is_told_apart_by_what_came_of_it() -> None:
    here, there = "https://example.com/a", "https://example.com/b"
    answers = {
        "ok": fetched(url=here + "#x"),
        "moved": fetched(url=there),
        "robots": fetched(
            FetchStatus.FAILED, url=here, http_status=None, reason="robots.txt says no", disallowed=True
        ),
        "gone": fetched(FetchStatus.GONE, url=here, http_status=404, reason="the page is gone"),
        "failed": fetched(FetchStatus.FAILED, url=there, http_status=500, reason="the site failed"),
    }
    rows = check_sources(Answers(answers), [Source(id=name, url=here) for name in answers])
    assert [(row.source_id, row.status, row.http_status, row.found_at, row.reason) for row in rows] == [
        ("ok", "reachable", 200, here + "#x", ""),
        ("moved", "moved", 200, there, ""),
        ("robots", "disallowed", None, here, "robots.txt says no"),
        ("gone", "gone", 404, here, "the page is gone"),
        ("failed", "failed", 500, there, "the site failed"),
    ]


def test_a_page_that_states_nothing_or_needs_scripts_is_told_apart() -> None:
    here = "https://example.com/a"
    claim = "<h1>SFS Turbo</h1><p>文件系统总吞吐最高 1 TB/s。</p>".encode()
    answers = {
        "states": fetched(body=claim, url=here),
        "silent": fetched(body="<p>我们的云服务助力企业。</p>".encode(), url=here),
        "shell": fetched(body=b"<div id=app></div><script>boot()</script>", url=here),
        "binary": fetched(body=bytes(range(256)) * 8, url=here),
    }
    rows = check_sources(Answers(answers), [Source(id=name, url=here) for name in answers])
    assert [(row.source_id, row.status, row.claims) for row in rows] == [
        ("states", "reachable", 1),
        ("silent", "no_claims", 0),
        ("shell", "script_only", None),
        ("binary", "no_claims", None),
    ]
    assert rows[2].reason
    assert rows[3].reason


def test_a_page_found_at_its_twin_has_not_moved() -> None:
    source = Source(id="a", url="https://example.com/a", twin="https://example.com/a.md")
    rows = check_sources(Answers({"a": fetched(url="https://example.com/a.md")}), [source])
    assert rows[0].status == "reachable"


# --- how a source is visited -------------------------------------------------------------------------------


def test_a_page_s_markdown_twin_is_proposed_with_it() -> None:
    page = b'<link rel="alternate" type="text/markdown" href="sfs-turbo.md"><p>x</p>'
    assert propose(URL, fetched(body=page)).twin == "https://www.huaweicloud.com/product/sfs-turbo.md"
    elsewhere = b'<link rel="alternate" type="text/markdown" href="https://other.example/x.md"><p>x</p>'
    assert propose(URL, fetched(body=elsewhere)).twin == ""


def test_how_a_source_is_visited_stands_in_its_list_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    source = propose(
        URL, None, every="12h", render="never", crawl=Scope(depth=2, pages=30, under="/product/")
    )
    add_source(path, source)
    assert load_sources(path).sources == (source,)
    assert "every: 12h" in path.read_text(encoding="utf-8")
    usual = propose("https://www.huaweicloud.com/other.html")
    add_source(path, usual)
    assert load_sources(path).sources == (source, usual)
    assert "render" not in path.read_text(encoding="utf-8").partition("other.html")[2]


def test_another_server_takes_the_place_of_the_twin_s_host_too() -> None:
    source = Source(id="a", url="http://demo.invalid/x", twin="http://demo.invalid/x.md")
    assert with_base([source], "http://127.0.0.1:8123")[0].twin == "http://127.0.0.1:8123/x.md"
