"""Where a digest goes: stdout, a file, a webhook, a mail server, or any channel that Apprise knows.

A target is one word: `-`, a path or `file:PATH`, an http or https address to which JSON is posted,
`smtp://USER:PASSWORD@HOST:587/?from=a@b&to=c@d` (smtps for TLS from the start), or `apprise:` and Apprise's address.
They are named in KOUJING_DIGEST, parted by blanks, since passwords of theirs are nobody's parameters.
"""

from __future__ import annotations

import os
import smtplib
import ssl
import warnings
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from flows.printing import out_text
from flows.telling.digest import Digest
from flows.telling.wording import Language, as_text, subject
from schemas.errors import KoujingError
from schemas.record import Record

TARGETS = "KOUJING_DIGEST"
LANGUAGE = "KOUJING_DIGEST_LANGUAGE"
ALWAYS = "KOUJING_DIGEST_ALWAYS"
LINKS = {"report": "KOUJING_REPORT_URL", "desk": "KOUJING_DESK_URL"}

_SECONDS = 20.0


class Telling(Record):
    """Whom to tell and how. `always`: also that nothing happened. `links`: kind (report, desk) and address."""

    targets: tuple[str, ...] = ()
    language: Language = "en"
    always: bool = False
    links: tuple[tuple[str, str], ...] = ()


def telling_from(environment: Mapping[str, str] | None = None) -> Telling:
    """What the environment says of it. KoujingError for a language that there is not."""
    values = os.environ if environment is None else environment
    language = values.get(LANGUAGE) or "en"
    if language not in ("zh", "en"):
        raise KoujingError(f"{LANGUAGE} is {language!r}; it is zh or en")
    return Telling(
        targets=tuple(values.get(TARGETS, "").split()),
        language="zh" if language == "zh" else "en",
        always=values.get(ALWAYS, "").lower() in ("1", "true", "yes"),
        links=tuple((kind, values[name]) for kind, name in LINKS.items() if values.get(name)),
    )


def tell(digest: Digest, telling: Telling) -> tuple[str, ...]:
    """Sends the digest to every target, and gives a sentence for each that could not be reached.

    Nothing is sent where nothing happened, unless `always`. One target's failure keeps no other from its digest.
    No sentence repeats a password or a token: targets are named by their kind and host.
    """
    if not (digest.is_news or telling.always):
        return ()
    failures = []
    for target in telling.targets:
        try:
            _channel(target)(target, digest, telling)
        except KoujingError as error:
            failures.append(f"the digest did not reach {named(target)}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever a channel does, the run was done
            failures.append(f"the digest did not reach {named(target)} ({type(error).__name__})")
    return tuple(failures)


def named(target: str) -> str:
    """A target without what is secret in it."""
    if target == "-":
        return "stdout"
    scheme, colon, rest = target.partition(":")
    if scheme in ("http", "https", "smtp", "smtps"):
        try:
            return f"{scheme}://{urlsplit(target).hostname or ''}"
        except ValueError:
            return scheme
    if scheme == "apprise":
        return f"apprise:{rest.partition(':')[0]}"
    return rest if colon and scheme == "file" else target


def _channel(target: str) -> Callable[[str, Digest, Telling], None]:
    if target == "-":
        return _to_stdout
    scheme = target.partition(":")[0]
    known = {
        "http": _to_webhook,
        "https": _to_webhook,
        "smtp": _to_mail,
        "smtps": _to_mail,
        "apprise": _to_apprise,
    }
    if scheme not in known and "://" in target:
        raise KoujingError(f"{scheme} is no channel of ours; write apprise:{scheme}://… for one of Apprise's")
    return known.get(scheme, _to_file)


def _to_stdout(target: str, digest: Digest, telling: Telling) -> None:  # noqa: ARG001 - as all channels are called
    out_text(as_text(digest, telling.language, telling.links))


def _to_file(target: str, digest: Digest, telling: Telling) -> None:
    path = Path(target.removeprefix("file:")).expanduser()
    text = f"{subject(digest, telling.language)}\n\n{as_text(digest, telling.language, telling.links)}\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise KoujingError(error.strerror or str(error)) from None


def _to_webhook(target: str, digest: Digest, telling: Telling) -> None:
    import httpx

    title = subject(digest, telling.language)
    body = {
        "subject": title,
        "text": f"{title}\n\n{as_text(digest, telling.language, telling.links)}",
        "digest": digest.model_dump(mode="json"),
        "links": dict(telling.links),
    }
    try:
        answer = httpx.post(target, json=body, timeout=_SECONDS, follow_redirects=False)
    except httpx.HTTPError as error:
        raise KoujingError(f"it does not answer ({type(error).__name__})") from None
    if not answer.is_success:
        raise KoujingError(f"it answered {answer.status_code}")


def _to_mail(target: str, digest: Digest, telling: Telling) -> None:
    parts = urlsplit(target)
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    sender, receivers = asked.get("from", ""), asked.get("to", "")
    if not (parts.hostname and sender and receivers):
        raise KoujingError("write it as smtp://USER:PASSWORD@HOST:587/?from=a@b&to=c@d")
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, receivers, subject(digest, telling.language)
    mail.set_content(as_text(digest, telling.language, telling.links))
    secure = parts.scheme == "smtps"
    port = parts.port or (465 if secure else 25)
    context = ssl.create_default_context()
    try:
        with (
            smtplib.SMTP_SSL(parts.hostname, port, timeout=_SECONDS, context=context)
            if secure
            else smtplib.SMTP(parts.hostname, port, timeout=_SECONDS)
        ) as server:
            server.ehlo()
            if not secure and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
            if parts.username:
                if not (secure or isinstance(server.sock, ssl.SSLSocket)):
                    raise KoujingError("it offers no TLS, and a password is not sent in the clear")
                server.login(unquote(parts.username), unquote(parts.password or ""))
            server.send_message(mail)
    except (OSError, smtplib.SMTPException) as error:
        raise KoujingError(f"it does not take the mail ({type(error).__name__})") from None


def _to_apprise(target: str, digest: Digest, telling: Telling) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about itself
        try:
            import apprise  # Prefect brings it along
        except ImportError:
            raise KoujingError("Apprise is not installed: pip install apprise") from None
        channels = apprise.Apprise()
        if not channels.add(target.removeprefix("apprise:")):
            raise KoujingError("Apprise does not know this address")
        text = as_text(digest, telling.language, telling.links)
        if not channels.notify(body=text, title=subject(digest, telling.language), body_format="text"):
            raise KoujingError("Apprise could not deliver it")
