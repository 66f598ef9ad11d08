"""Who may use a desk that is open beyond this machine: a file of users with hashed passwords and roles."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from schemas.datafile import read_data_file
from schemas.record import Record

Role = Literal["reader", "reviewer"]

_COST = {"n": 1 << 14, "r": 8, "p": 1}
_HOURS = 12
_TRIES = 5
_PAUSE_SECONDS = 60.0
_MOST_SESSIONS = 10_000


class User(Record):
    """`password`: what `hashed` made of it. A reader sees everything and changes nothing."""

    name: str = Field(min_length=1, max_length=80)
    role: Role
    password: str = Field(pattern=r"^scrypt\$[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+$")


class _Users(Record):
    users: tuple[User, ...]


@dataclass(frozen=True)
class Person:
    """Who asks."""

    name: str
    role: Role


def read_users(path: Path) -> dict[str, User]:
    """The users of the file by name; DataFileError where it is wrong."""
    return {user.name: user for user in read_data_file(path, _Users).users}


def hashed(password: str) -> str:
    """The password as a users file holds it: scrypt with a salt of its own."""
    salt = secrets.token_bytes(16)
    return f"scrypt${_text(salt)}${_text(_digest(password, salt))}"


def is_right(password: str, stored: str) -> bool:
    """Whether the password is the one that was hashed; takes equally long either way."""
    _, salt, digest = stored.split("$")
    return hmac.compare_digest(_digest(password, base64.b64decode(salt)), base64.b64decode(digest))


class Doorkeeper:
    """Checks passwords and remembers who is in. A name that was tried wrongly too often has to wait."""

    def __init__(self, users: Mapping[str, User]) -> None:
        self._users = users
        # Whoever is not known costs as long as whoever is.
        self._nobody = hashed(secrets.token_hex(16))
        self._inside: dict[str, tuple[Person, float]] = {}
        self._failed: dict[str, tuple[int, float]] = {}
        self._turn = threading.Lock()

    def enter(self, name: str, password: str) -> str | None:
        """A new session's name where the password is right; None otherwise, and while the name has to wait."""
        now = time.monotonic()
        tries, since = self._failed.get(name, (0, now))
        if tries >= _TRIES and now - since < _PAUSE_SECONDS:
            return None
        user = self._users.get(name)
        right = is_right(password, user.password if user else self._nobody)
        with self._turn:
            if not right or user is None:
                if len(self._failed) >= _MOST_SESSIONS:
                    self._failed.clear()
                self._failed[name] = ((tries if tries < _TRIES else 0) + 1, now)
                return None
            self._failed.pop(name, None)
            self._inside = {k: v for k, v in self._inside.items() if v[1] > now}
            session = secrets.token_urlsafe(32)
            self._inside[session] = (Person(user.name, user.role), now + _HOURS * 3600)
        return session

    def person(self, session: str) -> Person | None:
        """Who is in under that session; None where it ended."""
        found = self._inside.get(session)
        return found[0] if found and found[1] > time.monotonic() else None

    def leave(self, session: str) -> None:
        """Ends the session."""
        with self._turn:
            self._inside.pop(session, None)


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, maxmem=64 << 20, **_COST)


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
