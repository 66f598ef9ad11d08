"""Requests and markup that must have no effect, each a case in tests/cases/desk."""

from __future__ import annotations

import html
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml
from bs4 import BeautifulSoup

from extractors.extract import extract
from flows.reranking import rerank
from flows.verification import verify_ledger
from review.deciding import decide
from review.web.guard import SESSION, Access
from review.web.page_text import web_address
from review.web.users import Doorkeeper, User, hashed, is_right
from schemas.decision import Decision, DecisionKind
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.cards import builtin_cards
from warehouse.home import open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

CASES = Path(__file__).parents[2] / "cases" / "desk"
MARKUP = yaml.safe_load((CASES / "payloads.yaml").read_text(encoding="utf-8"))
REQUESTS = yaml.safe_load((CASES / "requests.yaml").read_text(encoding="utf-8"))
DAY = datetime(2026, 5, 1, 3, tzinfo=UTC)
ELEMENTS = {
    *(
        "html head meta title link script body a header b nav form input button main h1 h2 h3 p label select option".split()
    ),
    *(
        "footer section div table caption thead tbody tr th td small br ol ul li mark dl dt dd span kbd textarea".split()
    ),
    *("details summary fieldset legend del ins pre blockquote".split()),
}


def effects(text):
    """What of the page is not the desk's own: elements, handlers, styles, addresses."""
    page = BeautifulSoup(text, "lxml")
    found = [f"<{e.name}>" for e in page.find_all(True) if e.name not in ELEMENTS]
    for element in page.find_all(True):
        for name, value in element.attrs.items():
            if name.startswith("on") or name in ("style", "srcdoc", "formaction", "http-equiv"):
                found.append(f"{element.name} {name}")
            if name in ("href", "src", "action") and not str(value).startswith(
                ("/", "#", "https://vendor.example/")
            ):
                found.append(f"{element.name} {name}={value}")
    found += [
        f"<script {s.attrs}>"
        for s in page.find_all("script")
        if s.get("src") != "/static/desk.js" or s.get_text()
    ]
    found += [
        f"<meta {m.attrs}>"
        for m in page.find_all("meta")
        if not (m.get("charset") or m.get("name") == "viewport")
    ]
    found += [f"<link {m.attrs}>" for m in page.find_all("link") if m.get("href") != "/static/desk.css"]
    return found


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A ledger of pages that hold the payloads as text, with decisions whose notes and names do."""
    home = open_home(tmp_path_factory.mktemp("hostile"))
    with Ledger.open(home) as ledger:
        run = ledger.begin_run("hostile", DAY)
        for number, payload in enumerate(MARKUP["payloads"]):
            safe = html.escape(payload)
            body = (
                f"<html lang=zh><title>{safe}</title><h1>GPU 云服务器 {safe}</h1>"
                f"<p>RDMA 带宽 3.2Tbps {safe}</p><table><tr><th>{safe}</th><th>RDMA 带宽</th></tr>"
                f"<tr><td>{safe}</td><td>1.6Tbps</td></tr></table></html>"
            ).encode()
            url = MARKUP["addresses"][number % len(MARKUP["addresses"])].replace("\n", "")
            source = Source(id=f"p{number}", vendor="alibaba-cloud", url="https://vendor.example/p")
            snapshot = Snapshot(
                sha256=snapshots.keep(home, body),
                source_id=source.id,
                url=url,
                fetched_at=DAY,
                content_type="text/html",
                size=len(body),
            )
            found = extract(
                body, source=source.id, content_type="text/html", vendor="alibaba-cloud", language="zh"
            )
            visit = Visit(source_id=source.id, at=DAY, status=FetchStatus.CHANGED, snapshot=snapshot)
            ledger.write_page(run, source, visit, found)
        for number, flag in enumerate(ledger.open_flags()):
            payload = MARKUP["payloads"][number % len(MARKUP["payloads"])]
            said = Decision(
                claim_key=flag.flag.claim_key,
                flag=flag.flag.name,
                kind=DecisionKind.UNSURE,
                who=payload,
                note=payload,
            )
            decide(ledger, run, said, DAY + timedelta(hours=1))
        verify_ledger(ledger, home, DAY)
        rerank(ledger, run, builtin_cards(), (), DAY)
        ledger.end_run(run, DAY + timedelta(hours=2), "done")
        ledger.publish()
    return home


@pytest.fixture(scope="module")
def at_hostile(hostile, browse):
    return browse(hostile)


def test_markup_of_pages_and_notes_is_shown_as_the_characters_that_it_is(hostile, at_hostile):
    assert len(MARKUP["payloads"]) == 30
    browser = at_hostile
    rows = run_query(
        hostile, "SELECT DISTINCT claim_key, flag_id, source_id FROM open_flags JOIN claims USING (claim_key)"
    ).rows
    assert len({row[2] for row in rows}) == 30
    paths = ["/", "/?from=50", "/decisions", "/rankings"]
    for key, flag, _ in {row[2]: row for row in rows}.values():
        paths += [f"/flag/{flag}", f"/page/{key}"]
    shown = ""
    for path in dict.fromkeys(paths):
        answer = browser.get(path)
        assert (answer.status_code, effects(answer.text)) == (200, []), path
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        shown += BeautifulSoup(answer.text, "lxml").get_text()
    assert [p for p in MARKUP["payloads"] if p not in shown] == []


@pytest.mark.parametrize("payload", MARKUP["payloads"])
def test_markup_in_an_address_or_a_query_is_shown_as_it_is(at_hostile, payload):
    for answer in (
        at_hostile.get("/", params={"vendor": payload, "order": payload, "done": payload}),
        at_hostile.get(f"/flag/{payload}"),
    ):
        assert answer.status_code in (200, 404)
        assert effects(answer.text) == []


def test_markup_in_a_form_is_shown_as_it_is(at_hostile):
    at_hostile.get("/")
    subject = " ".join(MARKUP["payloads"])
    answer = at_hostile.post("/decide", {"action": "reading:x", "subject": f"{subject}:x|1|0"})
    assert (answer.status_code, effects(answer.text)) == (400, [])


@pytest.mark.parametrize("address", MARKUP["addresses"])
def test_an_address_that_is_none_of_the_web_is_no_link(address):
    assert web_address(address) == ""
    assert web_address("https://vendor.example/a?b=1") == "https://vendor.example/a?b=1"


def test_a_page_s_bytes_are_downloaded_inert(hostile, at_hostile):
    key = run_query(hostile, "SELECT claim_key FROM claims LIMIT 1").rows[0][0]
    answer = at_hostile.get(f"/raw/{key}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("case", REQUESTS["forged"], ids=lambda case: case["what"])
def test_a_forged_request_changes_nothing(played, at_played, case):
    browser = at_played.another()
    form = {**browser.form(browser.flags()[0]), "action": "reading:any"}
    kind = case.get("token", "own")
    if kind == "none":
        del form["token"]
    elif kind != "own":
        other = at_played.another()
        other.get("/")
        form["token"] = "" if kind == "empty" else other.token
    if case.get("cookie") == "none":
        browser.client.cookies.clear()
    headers = {"origin": "http://127.0.0.1:8390", "content-type": "application/x-www-form-urlencoded"}
    headers |= case.get("headers", {})
    sent = {name: value for name, value in headers.items() if value is not None}
    answer = browser.client.post("/decide", content=urlencode(form), headers=sent, follow_redirects=False)
    assert answer.status_code in (403, 415, 421)
    assert run_query(played, "SELECT count(*) FROM stored.decisions").rows == [(0,)]


def test_the_same_request_of_the_desk_s_own_page_is_obeyed(copied, browse):
    browser = browse(copied)
    assert (
        browser.post("/decide", {**browser.form(browser.flags()[0]), "action": "reading:any"}).status_code
        == 303
    )
    assert run_query(copied, "SELECT count(*) FROM stored.decisions").rows == [(1,)]


def door():
    secret = hashed("correct horse battery")
    users = [
        User(name=name, role=role, password=secret) for name, role in (("ann", "reviewer"), ("rob", "reader"))
    ]
    return Access(local_name="", door=Doorkeeper({user.name: user for user in users}))


def logged_in(browser, name, password="correct horse battery"):
    browser.get("/login")
    return browser.post("/login", {"name": name, "password": password})


@pytest.fixture(scope="module")
def guarded(played, browse):
    return browse(played, door())


@pytest.mark.parametrize("case", REQUESTS["access"], ids=lambda case: case["what"])
def test_who_may_not_gets_nothing(played, guarded, case):
    browser = guarded.another()
    browser.get("/login")
    if "as" in case:
        assert logged_in(browser, case["as"]).status_code == 303
        browser.get("/")
    if "session" in case:
        browser.client.cookies.clear()
        browser.client.cookies.set(SESSION, case["session"])
    key = run_query(played, "SELECT claim_key FROM claims LIMIT 1").rows[0][0]
    form = {
        "token": browser.token,
        "action": "reading:any",
        "subject": f"{key}:x|1|0",
        "flag": "x",
        "query": "SELECT 1",
    }
    answer = browser.client.request(
        case["method"],
        case["path"].format(claim=key),
        data=form if case["method"] == "POST" else None,
        headers={"origin": "http://127.0.0.1:8390", **case.get("headers", {})},
        follow_redirects=False,
    )
    assert answer.status_code == case["gets"]
    if case["gets"] == 303:
        assert answer.headers["location"] == "/login"
    assert run_query(played, "SELECT count(*) FROM stored.decisions").rows == [(0,)]


def test_a_reader_reads_and_a_reviewer_decides(copied, browse):
    rob, ann = browse(copied, door()), browse(copied, door())
    assert logged_in(rob, "rob").status_code == 303
    first = rob.flags()[0]
    assert rob.page(first).select_one(".readings button").has_attr("disabled")
    rob.get("/sql")
    assert "<td>1</td>" in rob.post("/sql", {"query": "SELECT 1"}).text
    before = ann.get("/login").cookies.get(SESSION)
    entered = logged_in(ann, "ann")
    assert entered.cookies.get(SESSION) not in (None, before)
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert ann.post("/decide", {**ann.form(first), "action": "reading:any"}).status_code == 303
    assert run_query(copied, "SELECT who FROM stored.decisions").rows == [("ann",)]
    ann.post("/logout", {})
    assert ann.get("/").status_code == 303


def test_a_wrong_password_is_refused_and_a_name_that_is_tried_too_often_waits(played, browse):
    browser = browse(played, door())
    for password in ("", "correct horse", "x" * 5000, "wrong", "again"):
        assert logged_in(browser, "ann", password).status_code == 403
    assert logged_in(browser, "ann").status_code == 403
    assert logged_in(browser, "nobody").status_code == 403


def test_a_proxy_is_believed_by_its_address_alone(played, browse):
    access = Access(
        local_name="", proxy_header="x-user", proxies=frozenset({"testclient"}), reviewers=frozenset({"ann"})
    )
    browser = browse(played, access)
    assert browser.get("/").status_code == 403
    assert browser.get("/", headers={"x-user": "ann"}).status_code == 200
    other = browse(played, Access(local_name="", proxy_header="x-user", proxies=frozenset({"10.0.0.1"})))
    assert other.get("/", headers={"x-user": "ann"}).status_code == 403


def test_passwords_are_kept_as_hashes_with_salts_of_their_own():
    one, other = hashed("correct horse battery"), hashed("correct horse battery")
    assert one != other
    assert is_right("correct horse battery", one)
    assert not is_right("correct horse batterz", one)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--host", "0.0.0.0"), "is reached from other machines; give --users FILE"),
        (("--proxy-header", "x-user"), "say with --proxy which address is believed"),
    ],
)
def test_a_desk_beyond_this_machine_needs_a_login(arguments, told, monkeypatch, capsys, tmp_path):
    import sys

    from flows import cli

    monkeypatch.setenv("KOUJING_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["koujing", "review", "serve", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert told in " ".join(capsys.readouterr().err.split())
