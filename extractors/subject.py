"""Whose number it is: vendors and products by the names that pages use, and the page's own subject."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache

from extractors.fold import fold
from extractors.sieve import Sieve
from schemas.registry import registry

_COMPARED = re.compile(
    r"(?:相比|对照|不如|超过|比|than|versus|vs\.?|compared (?:to|with)|与) ?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A vendor and product, and the rule that found each."""

    vendor: str | None
    product: str | None
    vendor_rule: str = ""
    product_rule: str = ""


def _sieve_of(names: dict[str, str]) -> Sieve[None]:
    """The names by their first characters; of two that begin alike the longer counts."""
    rests: dict[str, list[str]] = {}
    for name in sorted(names, key=len, reverse=True):
        escaped = re.escape(name[1:]).replace(r"\ ", "[ -]?")
        right = r"(?![A-Za-z0-9])" if name[-1].isascii() and name[-1].isalpha() else ""
        right = r"(?![0-9])" if name[-1].isdigit() else right
        rests.setdefault(name[0].lower(), []).append(escaped + right)
    parts = []
    for first, found in rests.items():
        left = r"(?<![A-Za-z0-9].)" if first.isascii() else ""
        parts.append(f"[{re.escape(first)}{re.escape(first.upper())}]{left}(?i:{'|'.join(found)})")
    return Sieve([(None, parts)], re.NOFLAG)


def _key(name: str) -> str:
    return re.sub(r"[ -]", "", fold(name)).casefold()


@cache
def _vendors() -> tuple[Sieve[None], dict[str, str]]:
    names = {fold(name): vendor.id for vendor in registry().vendors.values() for name in vendor.names}
    return _sieve_of(names), {_key(name): vendor for name, vendor in names.items()}


@cache
def _products() -> tuple[Sieve[None], dict[str, tuple[str, str]]]:
    names = {
        fold(name): (vendor.id, product.id)
        for vendor in registry().vendors.values()
        for product in vendor.products
        for name in product.names
    }
    return _sieve_of(dict.fromkeys(names, "")), {_key(name): ids for name, ids in names.items()}


@lru_cache(maxsize=4096)
def vendor_names(folded: str) -> tuple[tuple[str, int, int], ...]:
    """Every vendor named in a folded text: (id, start, end), in order."""
    sieve, ids = _vendors()
    return tuple(
        (ids[_key(m.group())], m.start(), m.end())
        for _, pattern in sieve.of(folded)
        for m in pattern.finditer(folded)
    )


@lru_cache(maxsize=4096)
def product_names(folded: str) -> tuple[tuple[str, str, int, int], ...]:
    """Every product named in a folded text: (vendor id, product id, start, end), in order."""
    sieve, ids = _products()
    return tuple(
        (*ids[_key(m.group())], m.start(), m.end())
        for _, pattern in sieve.of(folded)
        for m in pattern.finditer(folded)
    )


def family_of(vendor: str | None, product: str | None) -> str:
    """What kind of numbers a product has (network, storage, …); "any" where it is not known."""
    if vendor is None or product is None:
        return "any"
    known = registry().vendors.get(vendor)
    return next((p.family for p in known.products if p.id == product), "any") if known else "any"


def page_subject(title: str, crumbs: str, headings: tuple[str, ...], body: str, frame: str = "") -> Subject:
    """The vendor and product a page is about: by its title, breadcrumb and headings, else its frame or body.

    `frame`: the site's menus and footer, which decide where they name one vendor; else the name used most does.

    A page that names several vendors about equally often is about none of them.
    """
    texts = [("title", fold(title)), ("heading", fold("\n".join(headings[:1]))), ("breadcrumb", fold(crumbs))]
    texts.append(("frame", fold(frame)))
    vendor, vendor_rule = None, ""
    for rule, text in texts:
        found = {name for name, _, _ in vendor_names(text)}
        if rule != "frame":  # a menu lists products that several vendors call alike
            found = found or {v for v, _, _, _ in product_names(text)}
        if len(found) == 1:
            vendor, vendor_rule = found.pop(), rule
            break
    folded = fold(body)
    if vendor is None:
        counts = Counter(
            [v for v, _, _ in vendor_names(folded)] + [v for v, _, _, _ in product_names(folded)]
        )
        common = counts.most_common(2)
        if common and (len(common) == 1 or common[0][1] >= 3 * common[1][1]):
            vendor, vendor_rule = common[0][0], "most named"
    product, product_rule = None, ""
    for rule, text in [texts[1], texts[0], texts[2]]:
        own = [p for v, p, _, _ in product_names(text) if v == vendor]
        if own:
            product, product_rule = own[0], rule
            break
    return Subject(vendor, product, vendor_rule, product_rule)


def nearest_subject(before: str, after: str, *, allow_after: bool = True) -> Subject:
    """The vendor and product named last before a mention in its sentence, else first after it.

    A name that is only compared with (than X, 相比 X) is not the subject.
    """
    for text, rule, take_last in (
        (before, "sentence", True),
        (after if allow_after else "", "sentence after", False),
    ):
        products = [p for p in product_names(text) if not _COMPARED.search(text[: p[2]])]
        vendors = [v for v in vendor_names(text) if not _COMPARED.search(text[: v[1]])]
        if not products and not vendors:
            continue
        pick = -1 if take_last else 0
        vendor = vendors[pick][0] if vendors else products[pick][0]
        # Another vendor's product name beside a vendor's own name is a common word (HPN, PFS), not a subject.
        own = [p[1] for p in products if p[0] == vendor]
        by_product = "" if vendors else " (by product)"
        return Subject(vendor, own[pick] if own else None, rule + by_product, rule if own else "")
    return Subject(None, None)
