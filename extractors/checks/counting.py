"""How many cards, network cards or ports a claim says that its figure is the figure of: 8 × 400 Gbps, 单机 8 卡."""

from __future__ import annotations

import re
from collections.abc import Mapping

from extractors.fold import fold
from extractors.numerals import CJK_NUMERAL, read_cjk

NOUNS = {
    "accelerator": r"(?:加速卡|显卡|卡(?!口)|芯片|[GNX]PUs?|cards?|accelerators?|chips?)",
    "nic": r"(?:网卡|NICs?|HCAs?|网口卡|adapters?)",
    "port": r"(?:端口|网口|口|ports?)",
    "link": r"(?:链路|links?|lanes?)",
    "machine": r"(?:台机器|台服务器|台|节点|服务器|nodes?|servers?|machines?|hosts?|instances?|VMs?)",
}
"""By the thing that is counted, the words for it."""

PARTS = {
    "per_accelerator": "accelerator",
    "per_nic": "nic",
    "per_port": "port",
    "per_link": "link",
    "per_machine": "machine",
    "per_node": "machine",
    "per_instance": "machine",
}
"""By basis, what its figure is a figure of one of."""

_USUAL_MACHINES = (8, 16)
"""N × V on a machine counts network cards; where as many accelerators are usual, these as well."""
_N = rf"(?P<n>\d{{1,6}}|{CJK_NUMERAL}|(?:two|four|eight|sixteen)(?![a-z]))"
_TIMES = re.compile(
    r"(?<![\d.])(?P<n>\d{1,6}) ?(?:[张块个条颗] ?)?(?P<noun>[A-Za-z\u4e00-\u9fff]{0,12}?) ?[x×*] ?\d",
    re.IGNORECASE,
)
_COUNTED = {
    noun: re.compile(
        rf"(?<![\d.每])(?<!per )(?<!每 ){_N}[ -]?(?:[张块个条颗根枚] ?)?{words}(?![A-Za-z])", re.IGNORECASE
    )
    for noun, words in NOUNS.items()
}
_KEY = {
    noun: re.compile(rf"^{words}(?:_?(?:count|number|per_\w+))?$|^{words}数$", re.IGNORECASE)
    for noun, words in NOUNS.items()
}
_WORDS = {"two": 2, "four": 4, "eight": 8, "sixteen": 16}
_ONE_WHOLE = frozenset(
    {"per_machine", "per_node", "per_instance", "per_supernode", "per_switch", "per_cluster"}
)


def is_count_key(key: str) -> bool:
    """Whether a qualifier or condition of this name counts parts (`accelerators`, `cards_per_node`)."""
    return any(pattern.match(key) for pattern in _KEY.values())


def counts(basis: str, text: str, stated: Mapping[str, str]) -> dict[str, int]:
    """By thing, how many of it the claim says that it speaks of.

    `text`: its value as written. `stated`: its qualifiers and conditions, of which those count that are named
    after what they count, and those that are a calculation (`8 NPU × 400 Gbps`).
    """
    found: dict[str, int] = {}
    for key, value in stated.items():
        for noun, pattern in _KEY.items():
            if pattern.match(key) and (digits := re.match(r"\d{1,6}", value.strip())):
                found.setdefault(noun, int(digits[0]))
    for words in (text, stated.get("conversion", ""), stated.get("note", "")):
        folded = fold(words)
        for noun, number in (*_multiplied(basis, folded), *_said(folded)):
            found.setdefault(noun, number)
    return {noun: number for noun, number in found.items() if number > 0}


def _multiplied(basis: str, text: str) -> list[tuple[str, int]]:
    found = _TIMES.search(text)
    if found is None or basis not in _ONE_WHOLE:
        return []
    number, said = int(found["n"]), found["noun"]
    named = next(
        (noun for noun, words in NOUNS.items() if said and re.fullmatch(words, said, re.IGNORECASE)), None
    )
    if named or said:
        return [(named, number)] if named else []
    if basis == "per_switch":
        return [("port", number)]
    if basis in ("per_supernode", "per_cluster"):
        return [("accelerator", number)]
    return [("nic", number), *([("accelerator", number)] if number in _USUAL_MACHINES else [])]


def _said(text: str) -> list[tuple[str, int]]:
    out = []
    for noun, pattern in _COUNTED.items():
        if found := pattern.search(text):
            number = _number(found["n"].lower())
            if number is not None:
                out.append((noun, number))
    return out


def _number(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    if text in _WORDS:
        return _WORDS[text]
    numeral = read_cjk(text)
    return None if numeral is None or numeral.decade or numeral.more or numeral.high else int(numeral.low)
