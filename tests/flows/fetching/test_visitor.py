"""Pages that scripts make: their twins, and a real browser on a real single-page app, on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from extractors.extract import extract
from extractors.shell import links_of, looks_like_shell, twin_named_by
from flows.browser import missing_for_browser
from flows.fetch import Fetcher, Limits
from flows.visitor import Visitor
from schemas.source import FetchStatus, Source

APP = b"""<!doctype html><html lang="zh"><head><title>SFS Turbo</title></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="app"></div>
<img src="/logo.png"><script src="/app.js"></script></body></html>"""
SCRIPT = """
document.cookie = "seen=1";
new Image().src = "/pixel.gif";
const told = [];
const ask = async (what, address, options) => {
  try { const answer = await fetch(address, options); told.push(what + " " + answer.status); }
  catch (error) { told.push(what + " blocked"); }
};
(async () => {
  const rows = await (await fetch("/api/specs.json")).json();
  await ask("inner", "http://10.0.0.1/secret");
  await ask("metadata", "http://169.254.169.254/latest/meta-data/");
  await ask("file", "file:///etc/passwd");
  await ask("tracker", "http://www.google-analytics.com/collect");
  await ask("redirect", "/inward");
  await ask("post", "/api/post", {method: "POST"});
  document.getElementById("app").innerHTML =
    "<table><tr><th>\u89c4\u683c</th><th>RDMA \u5e26\u5bbd</th></tr>" +
    rows.map(row => "<tr><td>" + row[0] + "</td><td>" + row[1] + "</td></tr>").join("") + "</table>" +
    "<p id=told>" + told.join("; ") + "</p>";
})();
"""
TWIN = "# SFS Turbo\n\n" + "每节点 RDMA 带宽 3.2 Tbps，端到端时延低至 2 us。\n\n" * 8
needs_browser = pytest.mark.skipif(
    bool(missing_for_browser()), reason=missing_for_browser() or "there is one"
)


def html(body: bytes) -> Any:
    return lambda r: r.answer(200, body, Content_Type="text/html; charset=utf-8")


def markdown(text: str) -> Any:
    return lambda r: r.answer(200, text.encode(), Content_Type="text/markdown; charset=utf-8")


@pytest.fixture
def app(site: Any) -> Any:
    site.pages["/app"] = html(APP)
    site.pages["/app.js"] = lambda r: r.answer(200, SCRIPT.encode(), Content_Type="text/javascript")
    specs = [["ebmgn8v", "3.2 Tbps"], ["ebmgn7ex", "1.6 Tbps"]]
    site.pages["/api/specs.json"] = lambda r: r.answer(
        200, json.dumps(specs).encode(), Content_Type="application/json"
    )
    site.pages["/inward"] = lambda r: r.answer(302, b"", Location="http://192.168.0.1/")
    return site


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    limits = Limits(tries=1, delay_seconds=0)
    with Fetcher(allow_loopback=True, limits=limits) as fetcher, Visitor(fetcher, page_seconds=30) as opened:
        yield opened


# --- telling a shell ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "shell"),
    [
        (APP, True),
        (b"<div id=root></div><script>boot()</script>", True),
        ("<p>请启用 JavaScript 以浏览本页。</p><script src=a.js></script>".encode(), True),
        (b"<p>" + b"menu item " * 30 + b"</p><p>JavaScript is required.</p><script src=a.js></script>", True),
        (b"<p>" + b"menu item " * 30 + b"</p><script src=a.js></script>", False),
        (b"<p>" + b"A long page on JavaScript required here. " * 40 + b"</p><script></script>", False),
        (b"<p>short</p>", False),
        ("<script>var x='<p>" + "words " * 200 + "</p>'</script>", True),
        (b"", False),
    ],
)
def test_shells_are_told_from_pages(body: bytes | str, shell: bool) -> None:
    assert looks_like_shell(body if isinstance(body, bytes) else body.encode()) is shell


def test_a_twin_is_named_in_the_head_and_links_are_whole_addresses() -> None:
    page = b"""<link rel=stylesheet href=a.css><link rel="alternate" type="text/markdown" href="../sfs.md">
    <a href="a.html#x">a</a><a href="a.html">a</a><a href="//other.example/b">b</a><a href="javascript:x()">c</a>
    <a href="http://[bad">d</a><a href="mailto:a@b">e</a><a href="http://u:p@x.example/">f</a>"""
    url = "https://vendor.example/docs/x/"
    assert twin_named_by(page, url) == "https://vendor.example/docs/sfs.md"
    assert twin_named_by(b"<link rel=alternate type=text/html href=x>", url) == ""
    assert links_of(page, url) == ("https://vendor.example/docs/x/a.html", "https://other.example/b")
    text = b"see [one](one.md) and [two](<two.md>) and [three](https://x.example/3 'title')"
    assert links_of(text, url, "text/markdown") == (
        "https://vendor.example/docs/x/one.md",
        "https://vendor.example/docs/x/two.md",
        "https://x.example/3",
    )


# --- twins -------------------------------------------------------------------------------------------------


def test_a_source_s_own_twin_goes_first_and_is_asked_for_once(site: Any, visitor: Visitor) -> None:
    site.pages["/page"] = html(b"<p>page</p>")
    site.pages["/llms-full.txt"] = lambda r: r.answer(
        200, TWIN.encode(), Content_Type="text/plain; charset=utf-8", ETag='"t1"'
    )
    source = site.source(twin=f"{site.base}/llms-full.txt")
    first = visitor.fetch(source)
    assert first.body == TWIN.encode()
    assert first.visit.snapshot is not None
    assert first.visit.snapshot.url == f"{site.base}/llms-full.txt"
    assert site.asked_for("/page") == 0
    assert visitor.fetch(source, first.visit.snapshot).visit.status is FetchStatus.UNCHANGED


@pytest.mark.parametrize("twin", ["gone", "html", "short"])
def test_a_twin_that_is_none_leads_to_the_page(site: Any, visitor: Visitor, twin: str) -> None:
    site.pages["/page"] = html(b"<p>page</p>")
    if twin != "gone":
        site.pages["/page.md"] = markdown("<!DOCTYPE html><p>not found</p>" * 20 if twin == "html" else "no")
    assert visitor.fetch(site.source(twin=f"{site.base}/page.md")).body == b"<p>page</p>"


@pytest.mark.parametrize("named", [True, False])
def test_a_shell_is_looked_for_as_markdown_before_a_browser_is_asked(
    app: Any, visitor: Visitor, named: bool
) -> None:
    if named:
        link = b'<link rel="alternate" type="text/markdown" href="/raw/app">'
        app.pages["/app"] = html(APP.replace(b"</head>", link + b"</head>"))
    app.pages["/raw/app" if named else "/app.md"] = markdown(TWIN)
    fetched = visitor.fetch(app.source("/app"))
    assert fetched.body == TWIN.encode()
    assert app.asked_for("/app.js") == 0
    assert app.asked_for("/app.md") == (0 if named else 1)


def test_without_a_browser_the_shell_is_what_was_fetched(
    app: Any, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.visitor.missing_for_browser", lambda: "no browser")
    assert visitor.fetch(app.source("/app")).body == APP
    assert visitor.fetch(app.source("/app", render="never")).body == APP


def test_what_a_browser_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.browser._chromium", lambda: "")
    assert "apt install chromium" in missing_for_browser() or "koujing[browser]" in missing_for_browser()


# --- a real browser ----------------------------------------------------------------------------------------


@needs_browser
@pytest.mark.slow
def test_a_single_page_app_is_read_as_its_reader_sees_it(app: Any, visitor: Visitor) -> None:
    source = app.source("/app")
    fetched = visitor.fetch(source)
    assert fetched.visit.status is FetchStatus.CHANGED, fetched.visit.reason
    snapshot = fetched.visit.snapshot
    assert snapshot is not None
    assert (snapshot.rendered, snapshot.etag, snapshot.content_type) == (True, "", "text/html; charset=utf-8")
    assert fetched.body is not None
    found = extract(fetched.body, source="app", content_type=snapshot.content_type, vendor="huawei-cloud")
    assert found.document is not None
    assert {(claim.metric, claim.text_value) for claim in found.claims} >= {
        ("rdma_bandwidth", "3.2 Tbps"),
        ("rdma_bandwidth", "1.6 Tbps"),
    }
    # What the page's own script was told of each thing that it tried.
    assert (
        "inner blocked; metadata blocked; file blocked; tracker blocked; redirect blocked; post blocked"
    ) in found.document.text
    assert app.log == ["/robots.txt", "/app", "/app.md", "/app.js", "/api/specs.json", "/inward"]
    assert all("cookie" not in headers for headers in app.seen)
    assert all(headers["user-agent"].startswith("Koujing/") for headers in app.seen)
    again = visitor.fetch(source, snapshot)
    assert again.visit.status is FetchStatus.UNCHANGED
    assert visitor._browser.starts == 1


@needs_browser
@pytest.mark.slow
@pytest.mark.long
def test_scripts_that_never_end_are_ended_and_the_next_page_is_shown(app: Any) -> None:
    app.pages["/endless"] = html(b"<div id=app></div><script>while (true) {}</script>")
    limits = Limits(tries=1, delay_seconds=0)
    with Fetcher(allow_loopback=True, limits=limits) as fetcher, Visitor(fetcher, page_seconds=6) as visitor:
        fetched = visitor.fetch(app.source("/endless"))
        assert fetched.visit.status is FetchStatus.FAILED
        assert fetched.visit.reason
        assert fetched.body is None
        shown = visitor.fetch(app.source("/app"))
        assert shown.visit.snapshot is not None
        assert shown.visit.snapshot.rendered


@needs_browser
@pytest.mark.slow
@pytest.mark.long
def test_a_script_that_leads_inward_leads_nowhere(app: Any, visitor: Visitor) -> None:
    app.pages["/away"] = html(b"<div id=app></div><script>location = 'http://10.0.0.1/'</script>")
    fetched = visitor.fetch(app.source("/away"))
    assert b"10.0.0.1" not in (fetched.body or b"").replace(b"location = 'http://10.0.0.1/'", b"")
    assert fetched.visit.status in (FetchStatus.FAILED, FetchStatus.CHANGED)


@needs_browser
@pytest.mark.slow
@pytest.mark.long
def test_robots_txt_holds_for_what_scripts_ask_for(app: Any, visitor: Visitor) -> None:
    app.pages["/robots.txt"] = lambda r: r.answer(200, b"User-agent: *\nDisallow: /api/\n")
    visitor.fetch(app.source("/app"))
    assert app.asked_for("/api/specs.json") == 0


def test_a_source_says_how_it_is_visited() -> None:
    source = Source(id="a", url="https://x.example/", every="12h")
    assert (source.interval.total_seconds(), source.render, source.crawl) == (12 * 3600, "auto", None)
    assert Source(id="a", url="https://x.example/", every="2w").interval.days == 14
    assert not Source(id="a", url="https://x.example/").interval
    for field in ({"every": "1m"}, {"every": "0d"}, {"render": "yes"}, {"twin": "ftp://x"}):
        with pytest.raises(ValueError, match="validation error"):
            Source(id="a", url="https://x.example/", **field)
