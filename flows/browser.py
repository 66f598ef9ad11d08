"""Pages that scripts make, as a browser shows them. The browser itself never reaches the network.

Each of its requests is caught and answered by our own fetcher, with the same checks of addresses, robots.txt,
sizes and times; what is not caught goes to a proxy that does not exist. One browser serves many pages, each in a
context of its own, which keeps nothing. Needs the extra `browser` (Playwright) and a Chromium of the system's.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flows.transfer import Answer
from schemas.errors import FetchError

if TYPE_CHECKING:
    from playwright.sync_api import Browser as PlaywrightBrowser
    from playwright.sync_api import BrowserContext, Route

BROWSER_VARIABLE = "KOUJING_CHROMIUM"

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Nothing listens on the discard port, and the name resolves nowhere: what slips past us ends here.
_ARGUMENTS = (
    "--headless=new",
    "--remote-debugging-port=0",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--mute-audio",
)
_ENDPOINT = re.compile(rb"DevTools listening on (ws://127\.0\.0\.1:\d+/\S+)")
_STARTS_WITHIN = 60.0
_UNSEEN = frozenset({"image", "media", "font", "websocket", "eventsource", "manifest", "ping", "texttrack"})
_TRACKERS = (
    "google-analytics.com googletagmanager.com doubleclick.net googlesyndication.com hm.baidu.com cnzz.com "
    "umeng.com growingio.com sensorsdata.cn mixpanel.com amplitude.com segment.com segment.io hotjar.com clarity.ms "
    "connect.facebook.net sentry.io nr-data.net bat.bing.com adobedtm.com omtrdc.net demdex.net matomo.cloud"
).split()
_MOST_PARTS = 300
_PART_BYTES = 16 * 1024 * 1024
_DROPPED = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})

Ask = Callable[[str, str, float, int], tuple[Answer, str]]
"""Address, language, seconds and bytes to an answer and where it was found; FetchError where there is none."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A page as the browser shows it: its markup after the scripts have run, and the address in the end."""

    body: bytes
    url: str


@dataclass(frozen=True, slots=True)
class _Wish:
    url: str
    language: str
    first: tuple[bytes, str]
    until: float
    done: Future[Shown]


def missing_for_browser() -> str:
    """What a browser needs and does not find, with the way out; "" where one can be started."""
    if importlib.util.find_spec("playwright") is None:
        return "pages made by scripts need a browser: pip install 'koujing[browser]'"
    if not _chromium():
        return f"pages made by scripts need Chromium: apt install chromium, or name it in {BROWSER_VARIABLE}"
    return ""


def _chromium() -> str:
    named = os.environ.get(BROWSER_VARIABLE, "").strip()
    return named or next((path for name in _NAMES if (path := shutil.which(name))), "")


class Browser:
    """Shows pages, in a `with` block. It starts with the first page; threads may share it, and wait their turn.

    `ask` answers all requests of all pages. `page_seconds` bounds each page, however long its scripts run.
    """

    def __init__(self, ask: Ask, *, user_agent: str, page_seconds: float = 60.0) -> None:
        self._ask = ask
        self._user_agent = user_agent
        self._seconds = page_seconds
        self._wishes: queue.Queue[_Wish | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self.starts = 0

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._wishes.put(None)
            thread.join(timeout=15)
        self._end_process()

    def show(self, url: str, body: bytes, content_type: str, language: str = "en") -> Shown:
        """Gives the page whose bytes came from `url` as it stands when its scripts have come to rest.

        Raises FetchError where there is no browser, or the page does not come to rest in time.
        """
        if missing := missing_for_browser():
            raise FetchError(missing)
        with self._lock:  # one page at a time; its own time begins when it is its turn
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="browser", daemon=True)
                self._thread.start()
            wish = _Wish(url, language, (body, content_type), time.monotonic() + self._seconds, Future())
            self._wishes.put(wish)
            starting = 0.0 if self._process else _STARTS_WITHIN
            try:
                return wish.done.result(timeout=self._seconds + starting + 10)
            except FutureTimeoutError:
                # A script that never yields: nothing but the end of the process ends it.
                self._end_process()
                raise FetchError(f"the page's scripts ran longer than {self._seconds:.3g} seconds") from None

    def _work(self) -> None:
        """The one thread that Playwright lives in."""
        from playwright.sync_api import Error, sync_playwright

        with sync_playwright() as playwright:
            browser: PlaywrightBrowser | None = None
            while (wish := self._wishes.get()) is not None:
                try:
                    if browser is None or not browser.is_connected():
                        browser = playwright.chromium.connect_over_cdp(self._start())
                    wish.done.set_result(self._shown(browser, wish))
                except FetchError as error:
                    wish.done.set_exception(error)
                except Error as error:
                    reason = str(error).strip().splitlines()[0][:160]
                    wish.done.set_exception(FetchError(f"the browser could not show the page ({reason})"))
                except Exception as error:  # noqa: BLE001 - the thread must live on, and the asker must hear of it
                    wish.done.set_exception(
                        FetchError(f"the browser failed ({type(error).__name__}: {error})")
                    )
            if browser is not None:
                with contextlib.suppress(Error):
                    browser.close()

    def _start(self) -> str:
        """Starts Chromium with a folder of its own, and gives the address at which it is steered."""
        self._end_process()
        folder = tempfile.mkdtemp(prefix="koujing-browser-")
        arguments = [_chromium(), *_ARGUMENTS, f"--user-data-dir={folder}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium's own sandbox does not start for root
        self._process = process = subprocess.Popen(  # noqa: S603 - Chromium, with arguments of ours
            [*arguments, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._folder = folder
        self.starts += 1
        found: Future[str] = Future()
        threading.Thread(target=_listen, args=(process, found), daemon=True).start()
        try:
            return found.result(timeout=_STARTS_WITHIN)
        except FutureTimeoutError:
            raise FetchError("the browser did not start in time; try again on a less busy machine") from None

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=15)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _shown(self, browser: PlaywrightBrowser, wish: _Wish) -> Shown:
        from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

        context = browser.new_context(
            service_workers="block",
            accept_downloads=False,
            user_agent=self._user_agent,
            locale=wish.language,
            timezone_id="UTC",
        )
        try:
            answers = _Answers(self._ask, wish, context)
            context.route("**/*", answers.answer)
            page = context.new_page()
            page.on("dialog", lambda dialog: dialog.dismiss())
            page.goto(wish.url, wait_until="domcontentloaded", timeout=_left(wish) * 1000)
            with contextlib.suppress(PlaywrightTimeoutError):
                # A page that never rests is taken as it stands after half its time.
                page.wait_for_load_state("networkidle", timeout=_left(wish) * 500)
            body = page.content().encode("utf-8", "replace")
            if answers.refused:
                raise FetchError(answers.refused)
            return Shown(body, page.url)
        finally:
            context.close()


class _Answers:
    """Answers what one page asks for."""

    def __init__(self, ask: Ask, wish: _Wish, context: BrowserContext) -> None:
        self._ask = ask
        self._wish = wish
        self._context = context
        self._parts = 0
        self._first = True
        self.refused = ""

    def answer(self, route: Route) -> None:
        request = route.request
        main = request.is_navigation_request() and request.frame.parent_frame is None
        if main and self._first and request.url.partition("#")[0] == self._wish.url.partition("#")[0]:
            self._first = False
            body, kind = self._wish.first
            route.fulfill(status=200, headers={"content-type": kind or "text/html"}, body=body)
            return
        if not _is_wanted(request.url, request.resource_type, request.method) or self._is_spent():
            route.abort("blockedbyclient")
            return
        try:
            answer, _ = self._ask(request.url, self._wish.language, min(_left(self._wish), 20.0), _PART_BYTES)
        except (FetchError, ValueError) as error:
            if main:
                self.refused = f"the page's scripts lead elsewhere: {error}"
            route.abort("failed")
            return
        if answer.cut:
            route.abort("failed")
            return
        headers = {name: value for name, value in answer.headers.items() if name.lower() not in _DROPPED}
        # Another origin's data, which its server lets every page read, is to be read here too.
        route.fulfill(status=answer.status, headers=headers, body=answer.body)

    def _is_spent(self) -> bool:
        self._parts += 1
        return self._parts > _MOST_PARTS or time.monotonic() > self._wish.until


def _is_wanted(url: str, kind: str, method: str) -> bool:
    host = urlsplit(url).hostname or ""
    tracks = any(host == name or host.endswith(f".{name}") for name in _TRACKERS)
    return method == "GET" and kind not in _UNSEEN and not tracks


def _left(wish: _Wish) -> float:
    return max(wish.until - time.monotonic(), 0.05)


def _listen(process: subprocess.Popen[bytes], found: Future[str]) -> None:
    """Reads what Chromium says, to its end, so that it never waits for a reader."""
    stream: Any = process.stderr
    with stream:
        for line in stream:
            if not found.done() and (match := _ENDPOINT.search(line)):
                found.set_result(match[1].decode("ascii"))
    if not found.done():
        found.set_exception(FetchError(f"the browser {Path(_chromium()).name} ended before it had started"))
