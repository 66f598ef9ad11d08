"""The desk in a real browser: Debian's Chromium, over a ledger that a real refresh of the demo made.

Screenshots are kept where DESK_SHOTS names a folder; CI keeps them in `desk-shots/`.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest
import uvicorn

from flows.review_desk import HomeBackend
from review.web.app import create_app
from review.web.guard import Access
from warehouse.query import run_query

pytestmark = pytest.mark.slow
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


@pytest.fixture
def site(copied):
    """The desk's address, served as `koujing review serve` serves it."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        create_app(HomeBackend(copied), Access(local_name="ann")),
        log_level="error",
        access_log=False,
        proxy_headers=False,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.fixture
def opened(chromium, site):
    """Opens a page of the desk; what the browser complains of fails the test."""
    contexts, complaints = [], []

    def open_page(path="/", **options):
        context = chromium.new_context(
            **{"viewport": {"width": 1280, "height": 900}, "locale": "en-US", **options}
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(site + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    # A refusal is told by its status, which the browser notes as well.
    assert [told for told in complaints if "409 (Conflict)" not in told] == []


def keep(page, name):
    if folder := os.environ.get("DESK_SHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def accessible(page):
    """What axe finds against WCAG A and AA."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    found = axe.run(page, options={"runOnly": AXE_RULES}).response
    return [
        (rule["id"], node["target"], node["failureSummary"])
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def decisions(home):
    return run_query(home, "SELECT kind, reading, who FROM stored.decisions ORDER BY decision_id").rows


def test_from_queue_to_decision_to_the_changed_ranking_by_keys_alone(opened, copied):
    page = opened()
    keep(page, "queue")
    assert accessible(page) == []
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/flag/**")
    assert page.locator("mark.quote").is_visible()
    keep(page, "claim")
    assert accessible(page) == []
    page.keyboard.press("1")
    page.wait_for_selector(".done")
    assert "Six questions to a training cloud" in page.locator(".done").inner_text()
    keep(page, "decided")
    assert accessible(page) == []
    assert decisions(copied) == [("reading", "any", "ann")]
    page.keyboard.press("u")
    page.wait_for_selector(".decide")
    assert [kind for kind, _, _ in decisions(copied)] == ["reading", "undone"]
    page.goto(page.url.partition("/flag")[0] + "/rankings")
    assert page.locator("h2").first.is_visible()
    keep(page, "rankings")
    assert accessible(page) == []


def test_a_key_that_is_typed_into_a_note_decides_nothing(opened, copied):
    page = opened()
    page.locator("tbody a").first.click()
    page.locator(".decide textarea").press_sequentially("1 s u a j k")
    assert decisions(copied) == []
    page.keyboard.press("Escape")
    page.locator(".decide textarea").evaluate("area => area.blur()")
    page.keyboard.press("j")
    page.wait_for_url("**/flag/**")


@pytest.mark.long
def test_the_same_without_a_script(opened, copied):
    page = opened(java_script_enabled=False)
    page.locator("tbody a").first.click()
    assert page.locator("mark.quote").is_visible()
    page.locator(".readings button").first.click()
    assert page.locator(".done").is_visible()
    assert len(decisions(copied)) == 1
    page.locator(".done button.undo").click()
    assert [kind for kind, _, _ in decisions(copied)] == ["reading", "undone"]


@pytest.mark.long
def test_a_group_is_settled_together(opened, copied):
    page = opened()
    alike = page.locator("tr[data-row]", has_text="alike").first
    alike.locator("a").click()
    boxes = page.locator("input[name=also]")
    count = boxes.count()
    for box in boxes.all():
        box.check()
    keep(page, "group")
    page.locator(".readings button").first.click()
    page.wait_for_selector(".done")
    assert len(decisions(copied)) == 1 + count


@pytest.mark.long
def test_two_who_decide_at_once(opened, copied):
    one, other = opened(), opened()
    for page in (one, other):
        page.locator("tbody a").first.click()
    one.locator(".readings button").first.click()
    one.wait_for_selector(".done")
    other.locator(".readings button").nth(1).click()
    assert "meanwhile" in other.locator("[role=alert]").inner_text()
    keep(other, "refused")
    assert len(decisions(copied)) == 1


@pytest.mark.long
def test_language_and_theme_are_switched_and_stay(opened):
    page = opened()
    page.get_by_role("button", name="中文").click()
    assert page.locator("h1").inner_text() == "待裁定"
    page.get_by_role("button", name="深色").click()
    assert page.locator("html").get_attribute("class") == "dark"
    page.locator("tbody a").first.click()
    keep(page, "claim-zh-dark")
    assert accessible(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.long
def test_on_a_phone_nothing_is_wider_than_the_screen(opened, scheme):
    page = opened(viewport={"width": 390, "height": 844}, color_scheme=scheme, locale="zh-CN")
    keep(page, f"phone-queue-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert accessible(page) == []
    page.locator("tbody a").nth(1).click()
    page.wait_for_url("**/flag/**", wait_until="load")
    keep(page, f"phone-claim-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert accessible(page) == []


@pytest.mark.parametrize("path", ["/decisions", "/sql"])
@pytest.mark.long
def test_other_pages_are_accessible(opened, path):
    page = opened(path)
    keep(page, path.strip("/"))
    assert accessible(page) == []
