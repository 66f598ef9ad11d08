"""What a mention is a number of: the metric whose cue words speak loudest and nearest."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from extractors.cues import AGAINST, metric_hits
from extractors.flag_words import SLA_PERIOD
from extractors.mention import Mention
from extractors.scopes import Scope, Surroundings
from extractors.units import Dimension
from schemas.registry import Metric, registry

_ENOUGH = 0.3
# Units that fit many things need a word that names the thing, in the sentence or the headers themselves.
_ENOUGH_FOR = {
    Dimension.TIME: 1.0,
    Dimension.FRACTION: 1.2,
    Dimension.RATIO: 0.5,
    Dimension.ACCELERATORS: 0.6,
    Dimension.MONEY: 1.2,
    Dimension.MODELS: 1.0,
    Dimension.SKUS: 0.6,
    Dimension.FILES: 0.6,
    Dimension.CLIENTS: 0.6,
}
_FAR = ("heading", "earlier", "title", "caption", "note", "lead", "intro")
_FAMILY_BONUS = 0.4
_DISTANCE_LOSS = 0.012
_TINY = Decimal("0.002")
_ENOUGH_ELLIPTICAL = 0.1
_ENOUGH_FOR_TINY = 0.6
_FARTHEST = 0.3
_SEMICOLON = re.compile(r"[;；]")
_APART = 0.4
_OTHER_TERMS = re.compile(
    r"commit|reserv|\byear|\bmonth|spot|preempt|interrupt|discount|on[- ]demand|包年|包月|预留|竞价|抢占|长租|按量|按需",
    re.IGNORECASE,
)
_OF_NODES = re.compile(
    r"\d[\d,]* ?(?:nodes|servers|hosts|instances|machines|VMs|(?:个|台)?(?:节点|服务器|机器|实例)) ?[(（,，=]? ?$"
)
_UPTIME = "sla_availability"
_LONGEST_LATENCY = 10  # seconds; whatever takes longer is a job, not an answer
_PER_OTHER = re.compile(
    r" ?(?:/|per|a) ?(?:(?:月|mo(?:nth)?)?/? ?(?:Gi?B|Ti?B|Mbps|vCPU)|万?次|million|request|GiB-month|月|month|mo\b|年|year)"
)
_BY_THE_MONTH = re.compile(
    r"(?:包月|包年|月付|月租|年付|月费|年费|monthly|yearly)[^\d,，。;；]{0,5}$", re.IGNORECASE
)
_SHARES = frozenset({"mfu", "effective_training_time", "allreduce_efficiency", "scaling_efficiency"})
_GROWN_BY = re.compile(
    r"(?:提高|提升|增加|增长|改善|上升)(?:了|约|近|超)?(?:约|近)? ?$|\bby (?:up to |about )?$", re.IGNORECASE
)
_BACKEND = Decimal(8) * 10**11
_FASTEST_FILE = Decimal("0.000015")
_GROWN_TO = re.compile(
    r"(?:(?:提高|提升|上升|升|增加|增长|增|降低|下降|降|缩短)了?[到至]|(?:ris(?:e|es|en)|rose|grew|grown|climb(?:s|ed)|fell|"
    r"dropped|improved|increased|rais(?:e|ed)|from [\d.]+ ?%) to) ?(?:just |about |约)?$",
    re.IGNORECASE,
)
_FASTEST_PORT = Decimal(32) * 10**11
_LONGEST_CHECKPOINT = Decimal(86_400)
_MOST_IN_A_MACHINE = 1024
_MOST_AVAILABLE = Decimal("0.9999999")


@dataclass(frozen=True, slots=True)
class Meaning:
    """A metric with the scope and the place of the cue that decided it (offset -1: not beside the number)."""

    metric: Metric
    rule: str
    cue_start: int = -1
    cue_end: int = -1


def metric_of(mention: Mention, around: Surroundings, family: str, dimension: Dimension) -> Meaning | None:
    """The metric whose cues speak loudest and nearest; None where none speaks and no default fits."""
    scored, best = weights_of(mention, around, family, dimension)
    if scored:
        name = max(scored, key=lambda n: (scored[n], -list(registry().metrics).index(n)))
        enough = _ENOUGH_FOR.get(dimension, _ENOUGH)
        if dimension is Dimension.TIME and mention.low is not None and mention.low < _TINY:
            enough = _ENOUGH_FOR_TINY  # nothing but a latency is counted in microseconds
        if _elliptical(around, dimension) and best[name][1].startswith("earlier"):
            enough = _ENOUGH_ELLIPTICAL
        if scored[name] >= enough:
            return Meaning(registry().metric(name), *best[name][1:])
    return _default(dimension, family, mention)


def _elliptical(around: Surroundings, dimension: Dimension) -> bool:
    return dimension is Dimension.MONEY and _OTHER_TERMS.search(around.sentence) is not None


def weights_of(
    mention: Mention, around: Surroundings, family: str, dimension: Dimension
) -> tuple[dict[str, float], dict[str, tuple[float, str, int, int]]]:
    """Every metric that a cue names, with its weight, and with its loudest cue: weight, rule, start, end."""
    best: dict[str, tuple[float, str, int, int]] = {}
    clause_against: dict[str, float] = defaultdict(float)
    others: dict[str, float] = defaultdict(float)
    headings = 0
    elliptical = _elliptical(around, dimension)
    near = around.scopes[0]
    near_end = near.offset + len(near.text)
    for scope in around.scopes:
        headings += scope.name == "heading"
        for hit in metric_hits(scope.text, dimension, around.around(scope)):
            if hit.weight == AGAINST:
                if scope.name == "segment" and scope.offset + hit.start >= near_end:
                    continue  # of the figure after this one: 3.2 Tb/s RDMA plus 200 Gb/s Ethernet
                target = clause_against if scope.name == "clause" else others
                target[hit.name] += AGAINST * _against(scope, headings)
                continue
            if (
                scope.name in _FAR
                and dimension in _ENOUGH_FOR
                and not _may_be_far(scope, dimension, elliptical=elliptical)
                and not (hit.name == _UPTIME and headings == 1 and _is_uptime(mention, around))
            ):
                continue
            specific = 1.0 + 0.02 * min(hit.end - hit.start, 12)
            weight = hit.weight * scope.nearness * _closeness(hit.start, hit.end, scope, mention) * specific
            if scope.name == "after" and _SEMICOLON.search(scope.text, 0, hit.start):
                weight *= _APART  # of the next statement
            if weight > best.get(hit.name, (0.0,))[0]:
                place = scope.offset + hit.start if scope.offset >= 0 else -1
                rule = f"{scope.name}: {scope.text[hit.start : hit.end]}"
                best[hit.name] = (weight, rule, place, place + hit.end - hit.start if place >= 0 else -1)
            others[hit.name] += 0.1 * weight
    scored = {}
    for name, found in best.items():
        floor = registry().metric(name).floor
        largest = mention.low if mention.high is None else mention.high
        if floor is not None and largest is not None and largest < floor:
            continue  # eight cards are no cluster, 10 % is no availability
        # A ruling-out word elsewhere in the sentence says nothing against a cue right beside the number.
        beside = found[1].startswith(("near", "segment", "column", "row", "label"))
        scored[name] = (
            found[0]
            + min(others[name], 0.6)
            + (0.0 if beside else clause_against[name])
            + _family(name, family)
            + _unlikely(name, mention, around)
            - (2.0 if name == "accelerator_count" and _OF_NODES.search(around.before[-40:]) else 0.0)
        )
    return scored, best


def _is_uptime(mention: Mention, around: Surroundings) -> bool:
    """Whether a share under a heading about availability is one that a service could promise for a period."""
    high_enough = Decimal("0.9") <= (mention.low or Decimal(0)) <= 1
    return high_enough and SLA_PERIOD.search(around.sentence) is not None


def _may_be_far(scope: Scope, dimension: Dimension, *, elliptical: bool) -> bool:
    """A caption may explain any figure, a heading cards, the price before it a price with other terms."""
    if scope.name == "caption" or (scope.name == "intro" and dimension is Dimension.MONEY):
        return True
    if dimension is Dimension.MONEY:
        return scope.name == "earlier" and elliptical
    return dimension is Dimension.ACCELERATORS


def _unlikely(name: str, mention: Mention, around: Surroundings) -> float:
    """What the figure itself says for or against a metric: how it is worded, how large it is, in which unit."""
    return _by_words(name, mention, around) or _by_size(name, mention) or _by_unit(name, mention)


def _by_words(name: str, mention: Mention, around: Surroundings) -> float:
    if name.startswith("price_") and (
        _PER_OTHER.match(around.after) or _BY_THE_MONTH.search(around.before[-12:])
    ):
        return -9.0  # of a gigabyte, a month, a thousand calls
    if name in _SHARES and _GROWN_BY.search(around.before[-10:]):
        return -5.0  # utilisation up by 30 % is no utilisation
    share = name == "relative_improvement" and mention.dimension is Dimension.FRACTION
    return -4.0 if share and _GROWN_TO.search(around.before[-16:]) else 0.0  # raised to 44 %: what it is now


def _by_size(name: str, mention: Mention) -> float:
    low = mention.low or Decimal(0)
    if name.endswith("_latency"):
        if 0 < low < _FASTEST_FILE:  # no file is opened in two microseconds: only a network is as fast
            return 7.0 if name == "network_latency" else -5.0
        return -4.0 if low >= _LONGEST_LATENCY else 0.0
    if name == "sla_availability" and low > _MOST_AVAILABLE:
        return -4.0  # nine nines and more are how seldom an object is lost
    if name == "port_speed" and low > _FASTEST_PORT:
        return -4.0  # several ports, planes or a whole switch
    if name == "checkpoint_time" and low >= _LONGEST_CHECKPOINT:
        return -4.0  # a run lasts for days, no checkpoint does
    if name == "accelerator_count" and low > _MOST_IN_A_MACHINE:
        return -3.0  # more than any machine or supernode on sale holds: rather a cluster
    return 0.0


def _by_unit(name: str, mention: Mention) -> float:
    """Storage, NVLink and UB are given in bytes; a figure in bits is more likely a network's."""
    in_bits = mention.unit.bytes_written is False and mention.dimension is Dimension.DATA_RATE
    if name in ("network_bandwidth", "interconnect_bandwidth") and mention.formula:
        return -5.0  # what grows with the capacity is a file system's
    if name == "fs_throughput" and in_bits:
        return -3.0 if mention.times is not None else -1.5  # 2 × 100 Gb/s are cables
    if name == "rdma_bandwidth":
        several = mention.times is not None and (mention.low or 0) >= _BACKEND  # 8 × 400GbE is a back end's
        ethernet = mention.unit.noun in ("GE", "GbE") and not several
        return -3.5 if ethernet else -0.5 if mention.unit.bytes_written is True else 0.0
    if name != "interconnect_bandwidth":
        return 0.0
    return -1.0 if in_bits else -0.5 if mention.dimension is Dimension.TRUNCATED else 0.0


def _against(scope: Scope, headings: int) -> float:
    """How much of a ruling-out word counts: all of it beside the number, less above and before it."""
    if scope.name in ("near", "segment", "column", "row", "label", "aside"):
        return 1.0
    if scope.name == "clause":
        return 0.5
    return 0.75 if scope.name == "heading" and headings == 1 else 0.0


def _closeness(start: int, end: int, scope: Scope, mention: Mention) -> float:
    if scope.offset < 0 or scope.name in ("column", "row", "label"):
        return 1.0
    absolute_start, absolute_end = scope.offset + start, scope.offset + end
    distance = max(mention.start - absolute_end, absolute_start - mention.end, 0)
    return max(_FARTHEST, 1.0 - _DISTANCE_LOSS * distance)


def _family(name: str, family: str) -> float:
    metric = registry().metric(name)
    if family == "any" or metric.family == "any":
        return 0.0
    if family == "block":  # a volume is no file system
        return _FAMILY_BONUS if name.startswith("block_") else -1.0 if name.startswith("fs_") else 0.0
    return _FAMILY_BONUS if metric.family == family else 0.0


def _default(dimension: Dimension, family: str, mention: Mention) -> Meaning | None:
    """What a unit means by itself on a page of that family, where no word says more."""
    name = None
    if dimension is Dimension.DATA_RATE and family in ("storage", "block"):
        name = "fs_throughput" if family == "storage" else "block_throughput"
    elif dimension is Dimension.OPS and family in ("storage", "any"):
        name = "fs_iops"
    elif dimension is Dimension.RATE_DENSITY:
        name = "throughput_per_capacity"
    elif dimension is Dimension.OPS_DENSITY:
        name = "iops_per_capacity"
    elif dimension is Dimension.RATIO and mention.unit.noun == "times":
        name = "relative_improvement"
    return Meaning(registry().metric(name), f"default for {dimension.value}") if name else None
