"""The language of a page, as declared where that is plausible, else guessed from its characters."""

from __future__ import annotations

import re

_TAG = re.compile(r"^([a-z]{2,3})(?:-([a-z0-9]{2,8}))*$")
_TRADITIONAL_PLACES = frozenset({"hant", "tw", "hk", "mo"})

# Frequent characters that only one of the two ways of writing Chinese has.
_TRADITIONAL = frozenset(
    "網資訊頻寬實體雲務運數據處儲記憶體應臺灣與為這個們來時對開發學習訓練較單節點顯號機總線電腦傳輸檔"
)
_SIMPLIFIED = frozenset(
    "网资讯频宽实体云务运数据处储记忆应台湾与为这个们来时对开发学习训练较单节点显号机总线电脑传输档"
)
_ONLY_TRADITIONAL = _TRADITIONAL - _SIMPLIFIED
_ONLY_SIMPLIFIED = _SIMPLIFIED - _TRADITIONAL

# Runs of characters, whose lengths are summed: there are far fewer runs than characters.
_HAN = re.compile(r"[\u3400-\u9fff]+")
_KANA = re.compile(r"[\u3041-\u30ff]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_LETTER = re.compile(r"[^\W\d_]+")
_TRADITIONAL_RUN = re.compile(f"[{''.join(sorted(_ONLY_TRADITIONAL))}]+")
_SIMPLIFIED_RUN = re.compile(f"[{''.join(sorted(_ONLY_SIMPLIFIED))}]+")
_CJK_SHARE = 0.2
_KANA_SHARE = 0.05


def settle_language(declared: str, sample: str) -> str:
    """The page's language as "zh", "zh-Hant", "ja", "ko", "en", or another primary tag that was declared."""
    guessed = _guess(sample)
    tag = _normal(declared)
    if not tag:
        return guessed
    # Templates are copied with their lang attribute: a page of Chinese does not become English by it.
    if _is_cjk(tag) != _is_cjk(guessed) and sample.strip():
        return guessed
    return tag


def _normal(declared: str) -> str:
    tag = declared.strip().lower().replace("_", "-")
    found = _TAG.match(tag)
    if found is None:
        return ""
    if found[1] != "zh":
        return found[1]
    return "zh" if _TRADITIONAL_PLACES.isdisjoint(tag.split("-")) else "zh-Hant"


def _is_cjk(tag: str) -> bool:
    return tag in {"zh", "zh-Hant", "ja", "ko"}


def _guess(sample: str) -> str:
    letters, han, kana, hangul = (_count(one, sample) for one in (_LETTER, _HAN, _KANA, _HANGUL))
    if han + kana + hangul <= _CJK_SHARE * letters:
        return "en"
    if hangul > han + kana:
        return "ko"
    if kana > _KANA_SHARE * (han + kana):
        return "ja"
    return "zh-Hant" if _count(_TRADITIONAL_RUN, sample) > _count(_SIMPLIFIED_RUN, sample) else "zh"


def _count(runs: re.Pattern[str], sample: str) -> int:
    """How many characters of the sample stand in such runs."""
    return sum(map(len, runs.findall(sample)))
