"""Which hosts may be asked: public ones, by an address that was looked at before it is connected to."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from schemas.errors import FetchError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Lookup = Callable[[str, int], list[str]]
"""Host and port to the addresses they stand for, as text; OSError where there are none."""

_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"\d+|0[xX][0-9A-Fa-f]*")
_CHINESE_STOP = "\u3002"  # IDNA takes it for a dot, and NFKC leaves it
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")


@dataclass(frozen=True, slots=True)
class Target:
    """A host that may be connected to, by `addresses` and nothing else. `host` is ASCII, without brackets."""

    scheme: str
    host: str
    port: int
    addresses: tuple[str, ...]

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine itself."""
        return all(_innermost(ipaddress.ip_address(address)).is_loopback for address in self.addresses)

    @property
    def origin(self) -> str:
        """Scheme, host and port, as the base of an address on this host."""
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def system_lookup(host: str, port: int) -> list[str]:
    """Asks the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def resolve(url: str, *, allow_loopback: bool = False, lookup: Lookup = system_lookup) -> Target:
    """Gives where `url` may be fetched from, or raises FetchError with the reason why it may not.

    Every address of the host must be public; with `allow_loopback`, all may be this machine's own instead.
    Hosts that only some programs read as an address (`0x7f.1`, `2130706433`, full-width digits) are refused.
    """
    scheme, host, port = _parts(url)
    literal = _literal(host)
    try:
        texts = [str(literal)] if literal is not None else lookup(host, port)
        addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in texts]
    except (OSError, UnicodeError, ValueError) as error:
        raise FetchError(
            f"the host {host} has no address ({error}); check its spelling", retry=True
        ) from None
    if not addresses:
        raise FetchError(f"the host {host} has no address; check its spelling", retry=True)
    loopback = [_innermost(address).is_loopback for address in addresses]
    if not (allow_loopback and all(loopback)):
        for address in addresses:
            if not is_public(address):
                raise FetchError(
                    f"the host {host} stands for {address}, which is not a public address; "
                    "only public pages are fetched, a file can be read with `koujing extract FILE`"
                )
    return Target(scheme, host, port, tuple(str(address) for address in addresses))


def is_public(address: Address) -> bool:
    """Whether an address lies on the public internet, also an IPv4 address wrapped in an IPv6 one."""
    inner = _innermost(address)
    if inner.is_multicast or inner.is_reserved or inner.is_unspecified:
        return False
    if isinstance(inner, ipaddress.IPv6Address) and inner.is_site_local:
        return False
    return inner.is_global


def _innermost(address: Address) -> Address:
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    embeds = address in _NAT64 or (address in _COMPATIBLE and int(address) > 1)
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if embeds else address


def _parts(url: str) -> tuple[str, str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise FetchError(f"{_shown(url)} is no address of a page ({error})") from None
    if parts.scheme not in _PORTS:
        raise FetchError(f"{_shown(url)} is neither http nor https; only these are fetched")
    if parts.username is not None or parts.password is not None:
        raise FetchError(f"{_shown(url)} carries a user name or password; take it out")
    if port == 0:
        raise FetchError(f"{_shown(url)} names port 0; name another")
    return parts.scheme, _ascii_host(host, url), port or _PORTS[parts.scheme]


def _ascii_host(host: str, url: str) -> str:
    """The host as DNS knows it. Spellings that must be normalised first are not what they seem: refused."""
    odd = FetchError(f"the host of {_shown(url)} is not spelled as a host name or address; write it out")
    if not host or unicodedata.normalize("NFKC", host) != host or _CHINESE_STOP in host:
        raise odd
    if ":" in host:
        if "%" in host:  # a zone names an interface of this machine
            raise odd
        return host
    host = host.removesuffix(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise odd from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise odd
    if _NUMBER.fullmatch(host.rpartition(".")[2]) and _literal(host) is None:
        raise odd
    return host


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _shown(url: str) -> str:
    text = "".join(character if character.isprintable() else "�" for character in url)
    return repr(text if len(text) <= 120 else text[:119] + "…")
