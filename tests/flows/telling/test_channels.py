"""Digests sent to a file, a webhook, a mail server and Apprise, all on this machine."""

from __future__ import annotations

import base64
import json
import socketserver
import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from flows.telling.channels import Telling, named, tell, telling_from
from schemas.errors import KoujingError
from tests.flows.telling.test_digest import FULL, QUIET


@contextmanager
def webhook(status: int = 200) -> Iterator[tuple[str, list[Any]]]:
    got: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook/secret-token", got
        server.shutdown()


@contextmanager
def mail_server(*, login: bool = False) -> Iterator[tuple[int, list[bytes]]]:
    """Speaks as much SMTP as it takes to be given a mail."""
    mails: list[bytes] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            def say(line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode())

            say("220 here")
            while line := self.rfile.readline():
                word = line.split()[0].upper().decode() if line.split() else ""
                if word == "EHLO":
                    say("250-here")
                    say("250-AUTH PLAIN" if login else "250-SIZE")
                    say("250 8BITMIME")
                elif word == "DATA":
                    say("354 go on")
                    body = b""
                    while (part := self.rfile.readline()) != b".\r\n":
                        body += part
                    mails.append(body)
                    say("250 kept")
                elif word == "QUIT":
                    say("221 bye")
                    return
                else:
                    say("250 fine")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], mails
        server.shutdown()


def test_nothing_is_sent_where_nothing_happened_unless_asked(tmp_path: Path) -> None:
    file = tmp_path / "digests" / "told.md"
    telling = Telling(targets=(str(file),))
    assert tell(QUIET, telling) == ()
    assert not file.exists()
    assert tell(QUIET, telling.model_copy(update={"always": True})) == ()
    assert file.read_text(encoding="utf-8").startswith("Koujing: nothing changed\n\nRun 7")


def test_a_file_is_added_to_and_stdout_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "told.md"
    telling = Telling(targets=(f"file:{file}", "-"), language="zh")
    assert tell(FULL, telling) == ()
    assert tell(FULL, telling) == ()
    assert file.read_text(encoding="utf-8").count("口径：1 处指标有变") == 2
    assert capsys.readouterr().out.count("厂商改动的指标") == 2


def test_a_webhook_is_given_words_and_the_digest_itself() -> None:
    with webhook() as (url, got):
        assert tell(FULL, Telling(targets=(url,), links=(("desk", "https://desk.example/"),))) == ()
    assert got[0]["subject"] == "Koujing: 1 changed, 1 moved in the rankings, 2 pages in trouble"
    assert got[0]["text"].startswith(got[0]["subject"])
    assert got[0]["digest"]["changes"][0]["after"] == "2 TB/s"
    assert got[0]["links"] == {"desk": "https://desk.example/"}


def test_one_target_that_fails_keeps_no_other_from_its_digest_and_no_secret_is_told(tmp_path: Path) -> None:
    with webhook(500) as (url, _):
        file = tmp_path / "told.md"
        failures = tell(
            FULL, Telling(targets=(url, "http://127.0.0.1:1/secret-token", "gopher://x/y", str(file)))
        )
    assert failures == (
        "the digest did not reach http://127.0.0.1: it answered 500",
        "the digest did not reach http://127.0.0.1: it does not answer (ConnectError)",
        "the digest did not reach gopher://x/y: gopher is no channel of ours; write apprise:gopher://… for one of Apprise's",
    )
    assert file.exists()


def test_a_mail_is_handed_to_the_server() -> None:
    with mail_server() as (port, mails):
        target = f"smtp://127.0.0.1:{port}/?from=koujing@team.example&to=a@team.example,b@team.example"
        assert tell(FULL, Telling(targets=(target,), language="zh")) == ()
    mail = message_from_bytes(mails[0], policy=default)
    assert mail["Subject"] == "口径：1 处指标有变，排名变动 1 处，2 个页面异常"
    assert mail["To"] == "a@team.example,b@team.example" or mail["To"] == "a@team.example, b@team.example"
    body = mail.get_body()
    assert body is not None
    assert "厂商改动的指标" in body.get_content()


def test_a_password_is_not_sent_in_the_clear() -> None:
    with mail_server(login=True) as (port, mails):
        target = f"smtp://me:hunter2@127.0.0.1:{port}/?from=a@b.example&to=c@d.example"
        failures = tell(FULL, Telling(targets=(target,)))
    assert failures == (
        "the digest did not reach smtp://127.0.0.1: it offers no TLS, and a password is not sent in the clear",
    )
    assert mails == []
    assert base64.b64encode(b"hunter2").decode() not in str(failures)


def test_a_mail_without_sender_is_refused_with_the_form() -> None:
    (failure,) = tell(FULL, Telling(targets=("smtp://host.example/",)))
    assert "write it as smtp://USER:PASSWORD@HOST:587/?from=a@b&to=c@d" in failure


def test_apprise_is_given_its_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class Apprise:
        def add(self, url: str) -> bool:
            seen.append(url)
            return not url.startswith("bad")

        def notify(self, **message: str) -> bool:
            seen.append(message)
            return True

    stand_in = types.ModuleType("apprise")
    stand_in.Apprise = Apprise  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "apprise", stand_in)
    assert tell(FULL, Telling(targets=("apprise:slack://token-a/token-b",))) == ()
    assert seen[0] == "slack://token-a/token-b"
    assert seen[1]["title"] == "Koujing: 1 changed, 1 moved in the rankings, 2 pages in trouble"
    assert tell(FULL, Telling(targets=("apprise:bad://x",))) == (
        "the digest did not reach apprise:bad: Apprise does not know this address",
    )
    monkeypatch.setitem(sys.modules, "apprise", None)
    assert "pip install apprise" in tell(FULL, Telling(targets=("apprise:slack://x",)))[0]


def test_the_real_apprise_posts_to_a_webhook() -> None:
    with webhook() as (url, got):
        assert tell(FULL, Telling(targets=(f"apprise:{url.replace('http:', 'json:')}",))) == ()
    assert got[0]["title"] == "Koujing: 1 changed, 1 moved in the rankings, 2 pages in trouble"


def test_the_environment_says_whom_to_tell() -> None:
    assert telling_from({}) == Telling()
    values = {
        "KOUJING_DIGEST": " -  https://hook.example/x ",
        "KOUJING_DIGEST_LANGUAGE": "zh",
        "KOUJING_DIGEST_ALWAYS": "1",
        "KOUJING_REPORT_URL": "https://r.example/",
    }
    assert telling_from(values) == Telling(
        targets=("-", "https://hook.example/x"),
        language="zh",
        always=True,
        links=(("report", "https://r.example/"),),
    )
    with pytest.raises(KoujingError, match="it is zh or en"):
        telling_from({"KOUJING_DIGEST_LANGUAGE": "de"})


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("-", "stdout"),
        ("https://hook.example/secret?key=1", "https://hook.example"),
        ("smtp://me:word@mail.example:587/?from=a&to=b", "smtp://mail.example"),
        ("apprise:slack://secret", "apprise:slack"),
        ("file:/var/told.md", "/var/told.md"),
        ("https://[bad", "https"),
    ],
)
def test_a_target_is_named_without_its_secrets(target: str, name: str) -> None:
    assert named(target) == name
