"""A server on loopback that speaks by a script: each request takes the next step of it.

It speaks the protocols of OpenAI (at `url`), and of Anthropic and Ollama (at `root`).
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NOTHING_SAID = '{"mentions":[],"capabilities":[],"missed":[]}'


@dataclass
class Step:
    """One response. `text` becomes the message; `body` replaces the whole response; `cut_after` ends it early.

    `drip`: seconds before each byte, `drip_head` before each byte of the first line; `for_ever`: these bytes again and again instead of a body; `packed`: as gzip;
    `calls`: how many tools are called, each with the text.
    """

    text: str = NOTHING_SAID
    status: int = 200
    finish: str = "stop"
    refusal: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    cut_after: int | None = None
    tool: bool = False
    calls: int = 1
    drip: float = 0
    drip_head: float = 0
    for_ever: bytes = b""
    packed: bool = False
    hang: bool = False
    tokens: tuple[int, int] = (100, 20)


@dataclass
class FakeServer:
    """`requests`: what came, as JSON; `paths`: to where. Steps past the script's end repeat its last one."""

    steps: list[Step]
    root: str = ""
    paths: list[str] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answer: Callable[[dict[str, Any]], Step] | None = None
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Where OpenAI's protocol is spoken."""
        return f"{self.root}/v1"

    def step(self, request: dict[str, Any]) -> Step:
        """What the next request is answered."""
        return (
            self.answer(request) if self.answer else self.steps[min(len(self.requests), len(self.steps) - 1)]
        )


def _openai(step: Step) -> Any:
    if step.status >= 400:
        return {"error": {"message": step.text, "type": "x", "code": None}}
    said: dict[str, Any] = {"role": "assistant", "content": step.text, "refusal": step.refusal}
    if step.tool:
        call = {"id": "c1", "type": "function", "function": {"name": "Answers", "arguments": step.text}}
        said = {"role": "assistant", "content": None, "tool_calls": [call] * step.calls}
    return {
        "id": "r",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [{"index": 0, "message": said, "finish_reason": step.finish}],
        "usage": {
            "prompt_tokens": step.tokens[0],
            "completion_tokens": step.tokens[1],
            "total_tokens": sum(step.tokens),
        },
    }


def _anthropic(step: Step) -> Any:
    if step.status >= 400:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": step.text}}
    said: list[dict[str, Any]] = [{"type": "text", "text": step.text}]
    if step.tool:
        call = {"type": "tool_use", "id": "c1", "name": "Answers", "input": json.loads(step.text)}
        said = [call] * step.calls
    ends = {"stop": "tool_use" if step.tool else "end_turn", "length": "max_tokens"}
    return {
        "id": "r",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": said,
        "stop_reason": ends.get(step.finish, step.finish),
        "stop_sequence": None,
        "usage": {"input_tokens": step.tokens[0], "output_tokens": step.tokens[1]},
    }


def _ollama(step: Step) -> list[Any]:
    """A line for each half of the text, and one for its end, which a server that broke off has not sent."""
    if step.status >= 400:
        return [{"error": step.text}]
    frame = {"model": "fake", "created_at": "2026-01-01T00:00:00Z"}
    half = len(step.text) // 2
    said: list[dict[str, Any]] = [{"content": part} for part in (step.text[:half], step.text[half:])]
    if step.tool:
        call = {"function": {"name": "Answers", "arguments": json.loads(step.text)}}
        said = [{"content": "", "tool_calls": [call] * step.calls}]
    end = {
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": step.finish,
        "prompt_eval_count": step.tokens[0],
        "eval_count": step.tokens[1],
    }
    lines = [frame | {"message": {"role": "assistant", **part}, "done": False} for part in said]
    return [*lines, *([frame | end] if step.finish else [])]


def _body(step: Step, path: str) -> bytes:
    if step.body is not None:
        return step.body.encode()
    if path.endswith("/api/chat"):
        return b"".join(json.dumps(line).encode() + b"\n" for line in _ollama(step))
    return json.dumps((_anthropic if path.endswith("/messages") else _openai)(step)).encode()


class _Handler(BaseHTTPRequestHandler):
    """Answers for one fake server, which its subclass names."""

    protocol_version = "HTTP/1.1"
    fake: FakeServer

    def do_POST(self) -> None:
        fake = self.fake
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        step = fake.step(request)
        fake.requests.append(request)
        fake.paths.append(self.path)
        fake.headers.append({name.lower(): value for name, value in self.headers.items()})
        if step.hang:
            fake.released.wait(30)
            self.close_connection = True
            return
        for byte in b"HTTP/1.1 200 " + b"O" * 1000 if step.drip_head else b"":
            if fake.released.wait(step.drip_head) or not self._went(byte):
                self.close_connection = True
                return
        body = _body(step, self.path)
        headers = {"content-type": "application/json", **step.headers}
        if step.packed:
            body = gzip.compress(body)
            headers["content-encoding"] = "gzip"
        if not step.for_ever:
            headers["content-length"] = str(len(body))
        self.send_response(step.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):  # who asked may have gone
            self._send(step, body)
        self.close_connection = step.cut_after is not None or bool(step.for_ever)

    def _went(self, byte: int) -> bool:
        with suppress(OSError):
            self.wfile.write(bytes([byte]))
            return True
        return False

    def _send(self, step: Step, body: bytes) -> None:
        while step.for_ever and not self.fake.released.is_set():
            self.wfile.write(step.for_ever)
        for byte in body if step.drip else b"":
            if self.fake.released.wait(step.drip):
                return
            self.wfile.write(bytes([byte]))
        if not step.drip:
            self.wfile.write(body if step.cut_after is None else body[: step.cut_after])

    def log_message(self, *args: object) -> None:
        return


@contextmanager
def serving(*steps: Step, answer: Callable[[dict[str, Any]], Step] | None = None) -> Iterator[FakeServer]:
    """The server, until the block ends."""
    fake = FakeServer(list(steps) or [Step()], answer=answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"fake": fake}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    fake.root = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
