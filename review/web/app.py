"""The review desk as a web application: pages are forms and links, and work without a script."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import FastAPI
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from review.deciding import StaleDecisionError
from review.desk import Backend, Desk, Outcome
from review.web import showing
from review.web.claim_page import Known, known
from review.web.forms import Form
from review.web.forms import given as decision_of
from review.web.guard import SESSION, Access, Guard
from review.web.page_text import Shown, shown
from review.web.showing import Filter, Lang, Moved
from schemas.errors import KoujingError

_A_PAGE = 50
_KEPT_OUTCOMES = 200
_THEMES = ("auto", "light", "dark")
_DAYS = 365 * 86_400


@dataclass(frozen=True)
class Done:
    """What a decision did, to be shown once it is stored."""

    flag_ids: tuple[str, ...]
    said: str
    open_flags: int
    moved: list[Moved]
    undone: bool = False


def create_app(backend: Backend, access: Access) -> FastAPI:
    """The application over a home's backend. Nothing of it answers before the guard has let the request through."""
    app = FastAPI(title="Koujing", docs_url=None, redoc_url=None, openapi_url=None)
    pages = _Pages(Desk(backend), access)
    guard = Guard(access)
    app.middleware("http")(guard.__call__)
    app.mount("/static", StaticFiles(packages=[("review.web", "static")]), name="static")
    gets: dict[str, Callable[[Request], Response]] = {
        "/": pages.queue,
        "/flag/{flag_id:path}": pages.flag,
        "/claim/{claim_key:path}": pages.claim,
        "/page/{claim_key:path}": pages.whole_page,
        "/raw/{claim_key:path}": pages.raw,
        "/decisions": pages.decisions,
        "/decisions.jsonl": pages.export,
        "/rankings": pages.rankings,
        "/sql": pages.sql,
        "/login": pages.login,
    }
    posts: dict[str, Callable[[Request], Response]] = {
        "/decide": pages.decide,
        "/undo": pages.undo,
        "/settings": pages.settings,
        "/sql": pages.sql,
        "/login": partial(pages.enter, guard),
        "/logout": pages.leave,
    }
    for path, page in gets.items():
        app.add_route(path, _in_thread(page), methods=["GET"])
    for path, page in posts.items():
        app.add_route(path, _in_thread(page), methods=["POST"])
    app.add_exception_handler(404, lambda request, _: pages.none(request))
    app.add_exception_handler(KoujingError, pages.trouble)
    return app


def _in_thread(page: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """A plain function, which Starlette runs in a thread of its pool."""

    def run(request: Request) -> Response:
        return page(request)

    return run


class _Pages:
    def __init__(self, desk: Desk, access: Access) -> None:
        self.desk = desk
        self.access = access
        self.outcomes: OrderedDict[str, Done] = OrderedDict()
        self.templates = Environment(
            loader=PackageLoader("review.web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.globals.update(
            vendor=showing.vendor,
            metric=showing.metric,
            flag_label=showing.flag,
            number=showing.number,
            span=showing.span,
            spoken=showing.spoken,
            address=lambda path: quote(path, safe=""),
        )
        self.templates.filters["utc"] = lambda at: f"{at:%Y-%m-%d %H:%M}" if isinstance(at, datetime) else ""

    # Reading

    def queue(self, request: Request) -> Response:
        state = self.desk.state()
        lang = _lang(request)
        asked = request.query_params
        by = Filter(**{name: asked.get(name, "")[:200] for name in ("vendor", "metric", "flag", "card")})
        by = replace(by, order=asked.get("order", "worth")[:20])
        fitting = showing.filtered(state, by)
        first = max(0, int(start)) if (start := asked.get("from", "0")[:9]).isdecimal() else 0
        query = {
            name: value for name, value in asdict(by).items() if value and (name, value) != ("order", "worth")
        }
        return self._page(
            request,
            "queue.html",
            by=by,
            choices=showing.choices(state, lang),
            rows=[(q, len(state.siblings(q))) for q in fitting[first : first + _A_PAGE]],
            fitting=len(fitting),
            open=len(state.queue),
            first=first,
            step=_A_PAGE,
            query=urlencode(query),
            done=self.outcomes.get(asked.get("done", "")),
            why=partial(showing.why, lang=lang),
        )

    def flag(self, request: Request) -> Response:
        state = self.desk.state()
        flag_id = request.path_params["flag_id"]
        queued = state.find(flag_id)
        key = flag_id.rpartition(":")[0]
        found = known(state, key)
        if found is None:
            return self.none(request)
        if queued is not None and found.stored.version != queued.flag.claim.version:
            queued = None
        place = state.places.get(flag_id, -1)
        around = {
            "later": state.queue[place + 1].flag.flag.flag_id if 0 <= place < len(state.queue) - 1 else "",
            "earlier": state.queue[place - 1].flag.flag.flag_id if place > 0 else "",
        }
        readings = (
            [
                (number, reading, showing.effects(state, queued, reading))
                for number, reading in enumerate(queued.flag.flag.readings, start=1)
            ]
            if queued
            else []
        )
        return self._page(
            request,
            "claim.html",
            flag_id=flag_id,
            queued=queued,
            known=found,
            shown=self._shown(found, whole=False),
            readings=readings,
            siblings=[q for q in state.siblings(queued) if q is not queued][:200] if queued else [],
            seen=state.seen,
            around=around,
            place=place,
            of=len(state.queue),
            done=self.outcomes.get(request.query_params.get("done", "")),
            why=partial(showing.why, lang=_lang(request)),
            bases=showing.bases(found.stored.claim.metric),
            version=found.stored.version,
            said_last=state.last.get(f"{key}:claim", 0),
        )

    def claim(self, request: Request) -> Response:
        state = self.desk.state()
        key = request.path_params["claim_key"]
        mine = [q.flag.flag.flag_id for q in state.queue if q.flag.claim.claim.claim_key == key]
        where = mine[0] if mine else f"{key}:claim"
        return RedirectResponse(f"/flag/{quote(where, safe='')}", status_code=303)

    def whole_page(self, request: Request) -> Response:
        found = known(self.desk.state(), request.path_params["claim_key"])
        if found is None:
            return self.none(request)
        return self._page(request, "page.html", known=found, shown=self._shown(found, whole=True))

    def raw(self, request: Request) -> Response:
        found = known(self.desk.state(), request.path_params["claim_key"])
        if found is None:
            return self.none(request)
        body = self.desk.backend.body(found.stored.snapshot_sha256)
        name = found.stored.snapshot_sha256[:16]
        headers = {
            "Content-Disposition": f'attachment; filename="{name}.txt"',
            "Content-Security-Policy": "sandbox; default-src 'none'",
        }
        return Response(body, media_type="application/octet-stream", headers=headers)

    def decisions(self, request: Request) -> Response:
        reader = self.desk.state().reader
        return self._page(
            request,
            "decisions.html",
            said=reader.rows("FROM stored.decisions ORDER BY decision_id DESC LIMIT 200"),
            conflicts=reader.rows("FROM decision_conflicts LIMIT 200"),
            reopened=reader.rows("FROM reopened LIMIT 200"),
            waiting=reader.rows("FROM waiting_decisions LIMIT 200"),
        )

    def export(self, _request: Request) -> Response:
        headers = {"Content-Disposition": 'attachment; filename="decisions.jsonl"'}
        return Response(self.desk.backend.export(), media_type="application/x-ndjson", headers=headers)

    def rankings(self, request: Request) -> Response:
        return self._page(request, "rankings.html", cards=self.desk.state().cards)

    def sql(self, request: Request) -> Response:
        text = request.state.form.get("query", [""])[0]
        found = self.desk.backend.query(text) if text.strip() else None
        return self._page(request, "sql.html", text=text, found=found)

    # Deciding

    def decide(self, request: Request) -> Response:
        form = Form(request.state.form)
        action, _, reading = form.one("action").partition(":")
        also = form.all("also")
        subjects = (
            [form.one("subject"), *also]
            if action in ("reading", "unsure", "ask_vendor")
            else [form.one("whole")]
        )
        try:
            given = [
                decision_of(subject, action, reading, form, request.state.person.name) for subject in subjects
            ]
        except ValidationError as error:
            return self._refused(request, str(error.errors()[0]["msg"]).removeprefix("Value error, "))
        except ValueError:
            return self._refused(request, "the form is not whole; load the page again")
        state = self.desk.state()
        here = form.one("subject").rpartition("|")[0].rpartition("|")[0]
        after = self._next(here, {subject.rpartition("|")[0].rpartition("|")[0] for subject in subjects})
        return self._do(
            request,
            lambda: self.desk.backend.decide(given),
            tuple(decision.flag_id for decision, _ in given),
            reading or action,
            after if action != "correct" else here,
            before=state.cards,
        )

    def undo(self, request: Request) -> Response:
        form = Form(request.state.form)
        flags = form.all("flag")[:5000]
        if not flags:
            return self._refused(request, "the form is not whole; load the page again")
        return self._do(
            request,
            lambda: self.desk.backend.undo(flags, request.state.person.name, form.one("note")),
            tuple(flags),
            "undone",
            flags[0],
            before=self.desk.state().cards,
            undone=True,
        )

    def _do(
        self,
        request: Request,
        work: Callable[[], Outcome],
        flags: tuple[str, ...],
        said: str,
        after: str,
        *,
        before: Any,
        undone: bool = False,
    ) -> Response:
        try:
            outcome = self.desk.after(work)
        except StaleDecisionError as error:
            return self._refused(request, str(error), again=flags[0], status=409)
        except KoujingError as error:
            return self._refused(request, str(error), again=flags[0])
        name = secrets.token_urlsafe(8)
        self.outcomes[name] = Done(
            flags, said, outcome.open_flags, showing.moved(before, outcome.cards), undone
        )
        while len(self.outcomes) > _KEPT_OUTCOMES:
            self.outcomes.popitem(last=False)
        where = f"/flag/{quote(after, safe='')}" if after else "/"
        return RedirectResponse(f"{where}?done={name}", status_code=303)

    def _next(self, here: str, settled: set[str]) -> str:
        """The flag after this one that is not settled with it; empty where there is none."""
        state = self.desk.state()
        place = state.places.get(here, -1)
        rest = [*state.queue[place + 1 :], *state.queue[: max(place, 0)]]
        return next((q.flag.flag.flag_id for q in rest if q.flag.flag.flag_id not in settled), "")

    # Who and how

    def login(self, request: Request) -> Response:
        return self._page(request, "login.html", wrong=False)

    def enter(self, guard: Guard, request: Request) -> Response:
        form = Form(request.state.form)
        door = self.access.door
        session = door.enter(form.one("name"), form.one("password")) if door else None
        if session is None:
            return self._page(request, "login.html", wrong=True, status=403)
        response = RedirectResponse("/", status_code=303)
        guard.give_session(response, session)
        return response

    def leave(self, request: Request) -> Response:
        if self.access.door:
            self.access.door.leave(request.state.session)
        response = RedirectResponse("/", status_code=303)
        response.delete_cookie(SESSION)
        return response

    def settings(self, request: Request) -> Response:
        form = Form(request.state.form)
        back = form.one("back")
        # A path of our own: nothing that a browser takes for another site's address.
        safe = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
        response = RedirectResponse(back if safe else "/", status_code=303)
        keep = partial(response.set_cookie, max_age=_DAYS, samesite="strict", httponly=True)
        if form.one("lang") in ("en", "zh"):
            keep("koujing_lang", form.one("lang"))
        if form.one("theme") in _THEMES:
            keep("koujing_theme", form.one("theme"))
        return response

    def none(self, request: Request) -> Response:
        return self._page(request, "refused.html", title="not_found", told="", again="", status=404)

    def trouble(self, request: Request, error: Exception) -> Response:
        return self._refused(request, str(error), status=500)

    def _refused(self, request: Request, told: str, again: str = "", status: int = 400) -> Response:
        return self._page(request, "refused.html", title="refused", told=told, again=again, status=status)

    def _shown(self, found: Known, *, whole: bool) -> Shown | None:
        stored = found.stored
        try:
            return shown(
                lambda: self.desk.backend.body(stored.snapshot_sha256),
                stored.snapshot_sha256,
                str(found.page.get("content_type") or "text/html"),
                str(found.page.get("url") or ""),
                stored.claim.evidence,
                whole=whole,
            )
        except KoujingError:
            return None

    def _page(self, request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
        if not hasattr(request.state, "token"):  # refused before it was known who asks
            return PlainTextResponse("not found\n", status_code=404)
        lang = _lang(request)
        theme = request.cookies.get("koujing_theme", "auto")
        person = request.state.person
        text = self.templates.get_template(template).render(
            t=partial(showing.say, lang=lang),
            lang=lang,
            theme=theme if theme in _THEMES else "auto",
            themes=_THEMES,
            person=person,
            may=person is not None and person.role == "reviewer",
            logs_in=self.access.door is not None,
            token=request.state.token,
            here=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            path=request.url.path,
            **values,
        )
        return HTMLResponse(text, status_code=status)


def _lang(request: Request) -> Lang:
    chosen = request.cookies.get("koujing_lang")
    if chosen in ("en", "zh"):
        return "zh" if chosen == "zh" else "en"
    for part in request.headers.get("accept-language", "").lower().split(","):
        tag = part.partition(";")[0].strip()
        if tag.startswith(("zh", "en")):
            return "zh" if tag.startswith("zh") else "en"
    return "en"
