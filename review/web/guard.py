"""Who is let through to the desk: the right host, a person who may, and for every change the desk's own form."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from review.web.users import Doorkeeper, Person

LARGEST_FORM = 1 << 18
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_OPEN_PATHS = ("/login", "/static/")
SESSION = "koujing_session"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # `no-referrer` would make browsers send Origin: null with the desk's own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Access:
    """How the desk is reached. Without `door` and `proxy_header` everybody on this machine is `local_name`.

    `hosts`: the names (without a port) under which it may be asked for, beside this machine's own. `proxy_header`: the
    header in which a proxy at one of `proxies` names the user, who is a reviewer if listed in `reviewers`.
    `https`: whether browsers reach it so.
    """

    local_name: str
    hosts: frozenset[str] = frozenset()
    door: Doorkeeper | None = None
    proxy_header: str = ""
    proxies: frozenset[str] = frozenset()
    reviewers: frozenset[str] = frozenset()
    https: bool = False
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    @property
    def is_local(self) -> bool:
        """Whether nobody logs in."""
        return self.door is None and not self.proxy_header


class Guard:
    """Stands before every request. What it refuses has no effect, and says in one sentence why."""

    def __init__(self, access: Access) -> None:
        self.access = access

    async def __call__(self, request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        """Refuses, sends to the login, or lets through; every answer carries `HEADERS`."""
        response = await self._refused(request) or await go_on(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if (
            not request.cookies.get(SESSION)
            and request.method == "GET"
            and not request.url.path.startswith("/static")
        ):
            self.give_session(response, getattr(request.state, "session", "") or secrets.token_urlsafe(32))
        return response

    def give_session(self, response: Response, session: str) -> None:
        """Sets the session's cookie, which no script and no other site's page can use."""
        response.set_cookie(
            SESSION, session, httponly=True, samesite="strict", secure=self.access.https, path="/"
        )

    def token(self, session: str) -> str:
        """What the desk's own forms carry: of no use with another session."""
        return hmac.new(self.access.secret, session.encode(), hashlib.sha256).hexdigest()

    async def _refused(self, request: Request) -> Response | None:
        if not self._is_our_host(request):
            return _no(
                421, "this desk is not asked for under that name; see `koujing review serve --host-name`"
            )
        if request.method not in ("GET", "HEAD", "POST"):
            return _no(405, "only GET and POST are known here")
        session = request.cookies.get(SESSION, "") or secrets.token_urlsafe(32)
        request.state.session = session
        request.state.token = self.token(session)
        request.state.form = {}
        person = self._person(request, session)
        request.state.person = person
        path = request.url.path
        if person is None and not path.startswith(_OPEN_PATHS):
            if self.access.door is not None and request.method == "GET":
                return RedirectResponse("/login", status_code=303)
            return _no(403, "log in first")
        if request.method == "POST":
            return await self._refused_form(request, person)
        return None

    async def _refused_form(self, request: Request, person: Person | None) -> Response | None:
        if not self._is_our_page(request):
            return _no(403, "this form did not come from the desk's own page")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            return _no(415, "a form is sent as application/x-www-form-urlencoded")
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_FORM:
                return _no(413, "the form is too large")
        try:
            pairs = parse_qsl(
                body.decode("utf-8"), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=9000
            )
        except ValueError:
            return _no(400, "the form cannot be read")
        form: dict[str, list[str]] = {}
        for name, value in pairs:
            form.setdefault(name, []).append(value)
        request.state.form = form
        given = form.get("token", [""])[0]
        if not request.cookies.get(SESSION) or not hmac.compare_digest(
            given.encode(), request.state.token.encode()
        ):
            return _no(403, "the form is of another session; load the page again")
        writes = request.url.path not in ("/login", "/logout", "/sql", "/settings")
        if writes and (person is None or person.role != "reviewer"):
            return _no(403, "a reader decides nothing; log in as a reviewer")
        return None

    def _person(self, request: Request, session: str) -> Person | None:
        access = self.access
        if access.is_local:
            return Person(access.local_name, "reviewer")
        if access.proxy_header:
            names = request.headers.getlist(access.proxy_header)
            client = request.client.host if request.client else ""
            if client not in access.proxies or len(names) != 1 or not names[0].strip():
                return None
            name = names[0].strip()[:80]
            return Person(name, "reviewer" if name in access.reviewers else "reader")
        return access.door.person(session) if access.door else None

    def _is_our_host(self, request: Request) -> bool:
        hosts = request.headers.getlist("host")
        if len(hosts) != 1:
            return False
        name = _without_port(hosts[0].lower())
        return name in _LOOPBACK or name in self.access.hosts

    def _is_our_page(self, request: Request) -> bool:
        site = request.headers.get("sec-fetch-site")
        if site is not None and site != "same-origin":
            return False
        origin = request.headers.get("origin")
        if origin is None:
            referer = request.headers.get("referer")
            if not referer:
                return False
            parts = urlsplit(referer)
            origin = f"{parts.scheme}://{parts.netloc}"
        scheme = "https" if self.access.https else "http"
        return origin.lower() == f"{scheme}://{request.headers['host'].lower()}"


def is_loopback(address: str) -> bool:
    """Whether the address is of this machine alone."""
    if address == "localhost":
        return True
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _no(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status_code=status)
