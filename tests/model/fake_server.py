"""A server on loopback that speaks OpenAI's protocol by a script: each request takes the next step of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NOTHING_SAID = '{"mentions":[],"capabilities":[],"missed":[]}'


@dataclass
class Step:
    """One response. `text` becomes the message; `body` replaces the whole response; `cut_after` ends it early."""

    text: str = NOTHING_SAID
    status: int = 200
    finish: str = "stop"
    refusal: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    cut_after: int | None = None
    tool: bool = False
    hang: bool = False
    tokens: tuple[int, int] = (100, 20)


@dataclass
class FakeServer:
    """`requests`: what came, as JSON; `url`: where to send. Steps past the script's end repeat its last one."""

    steps: list[Step]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answer: Callable[[dict[str, Any]], Step] | None = None
    released: threading.Event = field(default_factory=threading.Event)


def _message(step: Step) -> dict[str, Any]:
    if step.tool:
        call = {"id": "c1", "type": "function", "function": {"name": "Answers", "arguments": step.text}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"role": "assistant", "content": step.text, "refusal": step.refusal}


def _body(step: Step) -> bytes:
    if step.body is not None:
        return step.body.encode()
    if step.status >= 400:
        return json.dumps({"error": {"message": step.text, "type": "x", "code": None}}).encode()
    return json.dumps(
        {
            "id": "r",
            "object": "chat.completion",
            "created": 1,
            "model": "fake",
            "choices": [{"index": 0, "message": _message(step), "finish_reason": step.finish}],
            "usage": {
                "prompt_tokens": step.tokens[0],
                "completion_tokens": step.tokens[1],
                "total_tokens": sum(step.tokens),
            },
        }
    ).encode()


@contextmanager
def serving(*steps: Step, answer: Callable[[dict[str, Any]], Step] | None = None) -> Iterator[FakeServer]:
    """The server, until the block ends."""
    fake = FakeServer(list(steps) or [Step()], answer=answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            step = (
                fake.answer(request)
                if fake.answer
                else fake.steps[min(len(fake.requests), len(fake.steps) - 1)]
            )
            fake.requests.append(request)
            fake.headers.append({name.lower(): value for name, value in self.headers.items()})
            if step.hang:
                fake.released.wait(30)
                self.close_connection = True
                return
            body = _body(step)
            self.send_response(step.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, value in step.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if step.cut_after is None else body[: step.cut_after])
            self.close_connection = step.cut_after is not None

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
