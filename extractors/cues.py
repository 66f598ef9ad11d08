"""Where the registry's cue words stand in a text. Each text is searched once; repeated headers cost nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from extractors.fold import fold
from extractors.sieve import Sieve
from extractors.units import Dimension
from schemas.registry import Capability, Metric, registry

STRONG, WEAK, AGAINST = 3.0, 1.0, -4.0

DIMENSION_OF_UNIT: dict[str, Dimension] = {
    "bit/s": Dimension.DATA_RATE,
    "byte/s": Dimension.DATA_RATE,
    "byte/s/TiB": Dimension.RATE_DENSITY,
    "1/s/TiB": Dimension.OPS_DENSITY,
    "1/s": Dimension.OPS,
    "s": Dimension.TIME,
    "fraction": Dimension.FRACTION,
    "ratio": Dimension.RATIO,
    "accelerators": Dimension.ACCELERATORS,
    "byte": Dimension.DATA,
    "files": Dimension.FILES,
    "clients": Dimension.CLIENTS,
    "count": Dimension.COUNT,
    "token/s": Dimension.TOKENS,
    "CNY": Dimension.MONEY,
    "USD": Dimension.MONEY,
    "EUR": Dimension.MONEY,
}


@dataclass(frozen=True, slots=True)
class Hit:
    """A cue of `name` (a metric, basis or capability) at `start:end` of the text that was searched."""

    name: str
    start: int
    end: int
    weight: float


# What the same thing is called in Taiwan and Hong Kong; a cue in one wording stands for both.
_REGIONAL = (
    ("带宽", "(?:带宽|频宽)"),
    ("集群", "(?:集群|丛集)"),
    ("网络", "(?:网络|网路)"),
    ("服务器", "(?:服务器|伺服器)"),
    ("芯片", "(?:芯片|晶片)"),
    ("存储", "(?:存储|储存)"),
    ("文件系统", "(?:文件系统|档案系统)"),
    ("客户端", "(?:客户端|用户端)"),
    ("显存", "(?:显存|显示记忆体)"),
)
_IN_A_SET = re.compile(r"\[[^\]]*[\u4e00-\u9fff][^\]]*\]|\(\?<")


def _both_wordings(cue: str) -> str:
    if _IN_A_SET.search(cue) is None:
        for mainland, both in _REGIONAL:
            cue = cue.replace(mainland, both)
    return cue


def _ready(cues: tuple[str, ...]) -> list[str]:
    # Cues are matched against folded text, so they are folded too (a cue may be written in either form).
    return [_both_wordings(fold(cue)) for cue in cues]


@cache
def _metric_cues(dimension: Dimension) -> Sieve[tuple[str, float]]:
    return Sieve(
        ((metric.name, weight), _ready(cues))
        for metric in registry().metrics.values()
        if dimension in metric_dimensions(metric)
        for cues, weight in (
            (metric.cues.strong, STRONG),
            (metric.cues.weak, WEAK),
            (metric.cues.against, AGAINST),
        )
    )


@cache
def metric_dimensions(metric: Metric) -> frozenset[Dimension]:
    """The dimensions in which the metric's figures are written."""
    found = {DIMENSION_OF_UNIT[u] for u in (metric.unit, *metric.units) if u in DIMENSION_OF_UNIT}
    if Dimension.DATA_RATE in found or metric.unit == "byte":
        found.add(Dimension.TRUNCATED)
    if metric.name == "model_count":
        found = {Dimension.MODELS}
    if metric.name == "sku_count":
        found = {Dimension.SKUS}
    return frozenset(found)


@lru_cache(maxsize=4096)
def _metrics_in(text: str, dimension: Dimension) -> list[tuple[tuple[str, float], re.Pattern[str]]]:
    return _metric_cues(dimension).of(text)


@lru_cache(maxsize=4096)
def _bases_in(text: str) -> list[tuple[str, re.Pattern[str]]]:
    return _basis_cues().of(text)


@lru_cache(maxsize=20_000)
def metric_hits(text: str, dimension: Dimension, within: str = "") -> tuple[Hit, ...]:
    """Every cue of every metric of that dimension in a folded text, in the registry's order.

    `within`: a longer text that holds this one and is asked more often, so that most of it is done once.
    """
    return tuple(
        Hit(name, match.start(), match.end(), weight)
        for (name, weight), pattern in _metrics_in(within or text, dimension)
        for match in pattern.finditer(text)
    )


@cache
def _basis_cues() -> Sieve[str]:
    return Sieve((basis.name, _ready(basis.cues)) for basis in registry().bases.values())


@lru_cache(maxsize=20_000)
def basis_hits(text: str, within: str = "") -> tuple[Hit, ...]:
    """Every basis that a folded text names; of two at one place the longer stays. `within` as in metric_hits."""
    found = [
        Hit(name, match.start(), match.end(), float(match.end() - match.start()))
        for name, pattern in _bases_in(within or text)
        for match in pattern.finditer(text)
        if match.end() > match.start()
    ]
    return tuple(
        hit
        for hit in found
        if not any(
            other is not hit
            and other.start <= hit.start
            and hit.end <= other.end
            and other.weight > hit.weight
            for other in found
        )
    )


@cache
def capability_cues() -> Sieve[tuple[Capability, re.Pattern[str] | None]]:
    """Each capability with its cues and what rules it out."""
    return Sieve(
        (
            (
                capability,
                re.compile("|".join(_ready(capability.against)), re.IGNORECASE)
                if capability.against
                else None,
            ),
            _ready(capability.cues),
        )
        for capability in registry().capabilities.values()
    )
