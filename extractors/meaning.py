"""What a mention is a number of: its metric, basis, direction, condition and baseline, each with the rule that said so."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from extractors.cues import AGAINST, Hit, basis_hits, metric_hits
from extractors.fold import fold
from extractors.mention import Mention
from extractors.scale import SCALE_OF
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
_FAR = ("heading", "earlier", "title", "caption", "note", "lead")
_FAMILY_BONUS = 0.4
_DISTANCE_LOSS = 0.012
_FARTHEST = 0.3


@dataclass(frozen=True, slots=True)
class Meaning:
    """A metric with the scope and the place of the cue that decided it (offset -1: not beside the number)."""

    metric: Metric
    rule: str
    cue_start: int = -1
    cue_end: int = -1


def metric_of(mention: Mention, around: Surroundings, family: str, dimension: Dimension) -> Meaning | None:
    """The metric whose cues speak loudest and nearest; None where none speaks and no default fits."""
    best: dict[str, tuple[float, str, int, int]] = {}
    clause_against: dict[str, float] = defaultdict(float)
    others: dict[str, float] = defaultdict(float)
    headings = 0
    for scope in around.scopes:
        headings += scope.name == "heading"
        for hit in metric_hits(scope.text, dimension):
            if hit.weight == AGAINST:
                target = clause_against if scope.name == "clause" else others
                target[hit.name] += AGAINST * _against(scope, headings)
                continue
            if scope.name in _FAR and dimension in _ENOUGH_FOR and dimension is not Dimension.ACCELERATORS:
                continue
            specific = 1.0 + 0.02 * min(hit.end - hit.start, 12)
            weight = hit.weight * scope.nearness * _closeness(hit.start, hit.end, scope, mention) * specific
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
            + _unlikely(name, mention)
        )
    if scored:
        name = max(scored, key=lambda n: (scored[n], -list(registry().metrics).index(n)))
        if scored[name] >= _ENOUGH_FOR.get(dimension, _ENOUGH):
            return Meaning(registry().metric(name), *best[name][1:])
    return _default(dimension, family, mention)


def _unlikely(name: str, mention: Mention) -> float:
    """NVLink and UB are given in bytes; a figure in bits is more likely a network's."""
    if name == "rdma_bandwidth" and mention.unit.noun in ("GE", "GbE"):
        return -2.0
    in_bits = mention.unit.bytes_written is False and mention.dimension is Dimension.DATA_RATE
    return -1.0 if name == "interconnect_bandwidth" and in_bits else 0.0


def _against(scope: Scope, headings: int) -> float:
    """How much of a ruling-out word counts: all of it beside the number, less above and before it."""
    if scope.name in ("near", "segment", "column", "row", "label"):
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
    if family == "block":
        return _FAMILY_BONUS if name.startswith("block_") else 0.0
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


_INSTANCES = re.compile(r"\b(?:instances?|VMs?|virtual machines?)\b|云主机|云服务器|实例规格", re.IGNORECASE)
_STORAGE_ONLY = ("fs_throughput", "fs_iops", "fs_latency")


class Told(NamedTuple):
    """A basis with the rule that found it; `start:end` in the document where its words stand in the sentence."""

    basis: str
    rule: str
    start: int = -1
    end: int = -1


def _told(hit: Hit, scope: Scope) -> Told:
    rule = f"{scope.name}: {scope.text[hit.start : hit.end]}"
    if scope.offset < 0 or scope.name not in ("near", "before", "head"):
        return Told(hit.name, rule)
    return Told(hit.name, rule, scope.offset + hit.start, scope.offset + hit.end)


def basis_of(metric: Metric, mention: Mention, around: Surroundings, *, spec_sheet: bool) -> Told:
    """The basis, the rule that found it and where its words stand.

    `spec_sheet`: the figure stands in a table or list of one product's limits.
    """
    if not metric.comparable_on:
        return Told("unspecified", "the metric has no basis")
    for scope in around.scopes:
        if scope.name in ("earlier", "title", "caption", "segment", "clause", "after", "note", "lead"):
            continue
        hits = [h for h in basis_hits(scope.text) if _fits(h.name, metric)]
        if not hits:
            continue
        if scope.name in ("near", "before"):
            # A sum over planes is worth saying only where nothing narrower is said.
            hits.sort(key=lambda h: (h.name == "aggregate", _gap(h.start, h.end, scope, mention)))
            if scope.name == "before" and not _reaches(scope, hits[0].end, mention, around):
                continue
            return _told(hits[0], scope)
        names = {h.name for h in hits}
        if len(names) == 1:
            return _told(hits[0], scope)
    if spec_sheet and metric.family == "network" and _INSTANCES.search(around.text_of("heading", "title")):
        return Told("per_instance", "a sheet of instance sizes")
    if metric.default_basis:
        return Told(metric.default_basis, "implied by the metric")
    if spec_sheet and metric.name in _STORAGE_ONLY:
        return Told("per_filesystem", "limits of one storage product")
    return Told("unspecified", "not said")


def _fits(basis: str, metric: Metric) -> bool:
    """Whether a figure of the metric can be on that basis at all."""
    allowed = {*metric.comparable_on, "aggregate"}
    if metric.default_basis:
        allowed.add(metric.default_basis)
    if metric.family == "network":
        allowed |= {"per_port", "per_link", "per_switch", "per_cluster", "per_supernode", "per_instance"}
        allowed |= {"per_machine", "per_node", "per_accelerator", "per_nic"}
        if metric.name in ("port_speed", "switch_capacity"):
            allowed = {"per_port", "per_switch"}
    if metric.name in ("accelerator_count", "gpu_memory", "inference_throughput"):
        allowed |= {"per_instance", "per_machine", "per_node", "per_supernode", "per_accelerator"}
    if metric.name in ("client_bandwidth", "client_iops"):
        allowed |= {"per_accelerator", "per_node", "per_instance"}
    if metric.name.startswith("block_"):
        allowed |= {"per_instance"}
    if metric.name == "cluster_size_max":
        allowed = {"per_cluster"}
    return basis in allowed


def _gap(start: int, end: int, scope: Scope, mention: Mention) -> int:
    absolute_start, absolute_end = scope.offset + start, scope.offset + end
    return max(mention.start - absolute_end, absolute_start - mention.end, 0)


def _reaches(scope: Scope, cue_end: int, mention: Mention, around: Surroundings) -> bool:
    """Whether a basis named earlier in the sentence still holds: not once another figure stood in between."""
    between = around.before[scope.offset + cue_end - around.sentence_start :]
    if _ALSO.search(between):
        return True
    return re.search(r"\d", between) is None and mention.start - (scope.offset + cue_end) <= 40


_ALSO = re.compile(r"(?:\bor|\bi\.e\.|即|也就是|合计?|或) ?$")
_ONE_WAY = re.compile(
    r"单向|one[- ]way|unidirectional|each (?:way|direction)|full[- ]duplex|per direction", re.IGNORECASE
)
_FULL_DUPLEX = re.compile(r"full[- ]duplex|全双工", re.IGNORECASE)
_BOTH_WAYS = re.compile(r"双向|both (?:ways|directions)|bidirectional|bi-directional|two-way", re.IGNORECASE)


def direction_of(metric: Metric, around: Surroundings) -> str:
    """One way, both ways, or not said, by the words nearest to a bandwidth."""
    if metric.family != "network" or metric.unit not in ("bit/s", "byte/s"):
        return "unspecified"
    for scope in around.scopes:
        if scope.name not in ("near", "column", "row", "label", "note", "lead"):
            continue
        if _BOTH_WAYS.search(scope.text):
            return "bidirectional"
        if _ONE_WAY.search(scope.text):
            return "unidirectional"
    following = re.split(r"[\d;；。]", around.after[:40], maxsplit=1)[0]
    if _BOTH_WAYS.search(following):
        return "bidirectional"
    one_way = _ONE_WAY.search(following) or _FULL_DUPLEX.search(around.after[:40])
    return "unidirectional" if one_way else "unspecified"


_READ_WRITE = re.compile(r"读写|读/写|read ?(?:/|and|&|-)? ?writes?|mixed", re.IGNORECASE)
_READ = re.compile(r"读(?!写)(?:取|出)?|\breads?\b|\breading\b|读み", re.IGNORECASE)
_WRITE = re.compile(r"(?<!读)写(?:入)?|\bwrites?\b|\bwriting\b|书き|schreibend|Schreib", re.IGNORECASE)
_SIZE = re.compile(
    r"(?<![A-Za-z0-9.])\d+[ -]?(?:[KkM]i?B?|字节|bytes?)(?=[^A-Za-z0-9/]|$)(?! ?(?:IOPS|GPU|卡|files))"
)
_LOADED = re.compile(
    r"(?:带|真实|业务|满)负载|满载|业务水位|under (?:\w+ )?load|production load", re.IGNORECASE
)
_EMPTY = re.compile(
    r"空(?:水位|载|闲|文件系统)|(?:没有|无)(?:其他|其它)?(?:业务|负载)|no other (?:load|traffic|tenants)"
    r"|empty (?:file ?system|system|cluster)|idle",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"(?:\d[\d,.]*|[一二三四五六七八九十百千万]+) ?(?:[张颗]?卡|枚|GPUs?|[HABV]\d{3} ?GPUs?|张 ?[HABV]\d{3}|NPUs?|accelerators)(?!间|型)|小集群|大规模集群"
)
_PROTOCOL = re.compile(r"TCP/IP|RDMA|RoCE|InfiniBand|NFSv?[34]?|POSIX|SMB", re.IGNORECASE)
_WORKLOAD = re.compile(
    r"单路(?:平均)?|single (?:path|stream|thread)|one stream|fio[^。；;\n)）]{0,60}|训推共池|全透读|全命中"
    r"|simulated [\w ]{2,24}|worst case|多核压测|\d+B model|千亿参数(?:模型)?|大模型训练"
    r"|(?:DeepSeek|LLaMA|Llama|Qwen|GPT|Mixtral|Kimi|GLM)[-\w. ]{0,8}\w|MoE|混合专家模型(?:训练)?"
)


_WORKED_AT = re.compile(
    r"(?:\b(?:on|across|with|at|over|using)|在|于) ?(?:(?:a|an|one) (?:\w+ )?(?:cluster|run|job|system) of )?"
    r"[\d,]+[KkM]? ?(?:张|块|枚)? ?(?:(?:[A-Z]\w+ ){0,2}GPUs?|卡|[HABV]\d{3}|NPUs?|accelerators)"
)
_ASIDE = re.compile(r" ?[(（][^()（）]{1,30}[)）]")
_MEASURED_UNITS = ("fraction", "s", "1/s", "byte/s", "ratio")


def condition_of(metric: Metric, mention: Mention, around: Surroundings) -> dict[str, str]:
    """What is stated of how the figure was measured: access, size, scale, load, workload, protocol."""
    out: dict[str, str] = {}
    near = around.text_of("near", "segment", "column", "row", "label", "caption")
    sentence = around.sentence + "\n" + "\n".join(around.headers) + "\n" + around.text_of("note", "lead")
    if metric.family == "storage" and metric.unit in ("byte/s", "1/s", "s"):
        access = _access(around.text_of("near", "column", "row", "label")) or _access(near)
        access = access or _access(around.text_of("note", "lead"))
        if access:
            out["access"] = access
    if metric.name in (
        "fs_latency",
        "block_latency",
        "fs_iops",
        "block_iops",
        "network_latency",
        "message_rate",
    ):
        for size in _SIZE.finditer(sentence):
            inside = mention.start <= around.sentence_start + size.start() < mention.end
            if not inside and size.group()[-1] != "M":
                out["size"] = size.group().strip()
                break
    if metric.unit in _MEASURED_UNITS and (scale := _scale(around)):
        out["scale"] = scale.group().strip()
    if _EMPTY.search(sentence):
        out["load"] = "empty"
    elif _LOADED.search(sentence):
        out["load"] = "loaded"
    if workload := _WORKLOAD.search(sentence):
        out["workload"] = workload.group().strip()
    if metric.name == "network_latency" and (
        protocol := _PROTOCOL.search(around.text_of("near", "column", "row"))
    ):
        out["protocol"] = protocol.group()
    return out


def _scale(around: Surroundings) -> re.Match[str] | None:
    """The scale at which a figure holds: beside it, in its headers, or named in its sentence as such."""
    found = _SCALE.search(around.text_of("near", "column", "row", "label", "note", "lead"))
    if found is None and (aside := _ASIDE.match(around.after)):
        found = _SCALE.search(aside.group())
    if found is None and (worked := _WORKED_AT.search(around.sentence)):
        found = _SCALE.search(worked.group())
    if found is not None:
        return found
    for text, behind in ((around.before, True), (around.after[:24], False)):
        for match in reversed(list(_SCALE.finditer(text))):
            between = text[match.end() :] if behind else text[: match.start()]
            if not re.search(r"[\d、;；]", between) and SCALE_OF.match(text[match.end() :] + " "):
                return match
    return None


def _access(text: str) -> str | None:
    if _READ_WRITE.search(text):
        return "mixed"
    read, write = _READ.search(text), _WRITE.search(text)
    if read and write:
        return None
    return "read" if read else "write" if write else None


_VERSION_BASELINE = re.compile(r"(?:较|相比|than) ?(?P<version>v?\d+\.\d+)(?! ?[%倍xX×])")
_BASELINE = re.compile(
    r"(?:相比|较|相对|(?<!相)比)(?!例|如|特|率|拟|赛|特|较) ?(?P<zh>[A-Za-z][\w /.-]{1,24}|[^,，。;；、\d]{2,20}?)"
    r"(?= ?(?:提升|降低|缩短|提高|压低|减少|快|高|低|的|,|，|相比))"
    r"|与 ?(?P<with>[^\s,，。;；、\d]{2,12}) ?相比"
    r"|(?:×|x|times) what (?P<what>[A-Z][\w.-]{2,24}) (?:got|did|achieved|reached)"
    r"|是(?P<of>[^,，。;；、\d]{2,14}?)的? ?$"
    r"|(?:than|over|above|versus|vs\.?|against|[Cc]ompared (?:with|to)) (?:on |with |using |plain |the |a |an |(?:previous|prior|last|earlier)[- ]generation )*"
    r"(?P<en>[A-Z][\w-]*(?: [A-Z]?[\w.-]*\d[\w.-]*){0,3}|the (?:previous|earlier|last) [\w -]{3,24})",
)
_VAGUE = re.compile(
    r"^(?:以往|之前|以前|过去|原本|原来|传统(?:方案|方式|架构)?$|前|基线|before|the previous|行业|其他|同类)"
)


def baseline_of(around: Surroundings) -> str | None:
    """What a relative claim is compared with, where that is named; "than before" names nothing."""
    if version := _VERSION_BASELINE.search(around.before[-20:]):
        return version["version"]
    for text in (around.before[-80:], around.after[:48], around.text_of("lead", "note")):
        for match in _BASELINE.finditer(text):
            found = next(g for g in match.groups() if g)
            if not _VAGUE.match(found):
                return found.strip()
    return None


_OF_WORDS: tuple[tuple[str, str], ...] = (
    ("network_latency", r"时延|延迟|延时|latency"),
    ("interconnect_bandwidth", r"通信带宽|带宽提升|互联带宽"),
    ("data_loading_speed", r"加载(?:速度|提速)?|loading"),
    ("allreduce_efficiency", r"AllReduce|通信(?:库)?(?:负载率|效率)|负载率"),
    ("resource_utilisation", r"资源利用率|resource utili[sz]ation"),
    ("inference_throughput", r"tokens?|推理(?:性能|吞吐|效率)?"),
    ("training_throughput", r"训练(?:吞吐|速度|性能|效率)|training (?:throughput|speed|performance)"),
    ("fault_recovery_time", r"恢复时间|recovery"),
    ("checkpoint_time", r"检查点|checkpoint"),
    ("card_failure_rate", r"故障率"),
    ("gpu_memory", r"显存|HBM|memory"),
    ("client_bandwidth", r"读带宽|写带宽|全命中|全透"),
    ("mfu", r"MFU|算力利用率|MegaScale"),
    ("fs_throughput", r"吞吐|throughput"),
    ("network_bandwidth", r"带宽|bandwidth|频宽"),
    ("communication", r"通讯|通信|communication"),
)


def improves(around: Surroundings) -> str | None:
    """Which metric a relative claim says improves, by the words nearest before it."""
    for text in (around.text_of("near"), around.before, around.after, "\n".join(around.headers)):
        for name, pattern in _OF_WORDS:
            if re.search(pattern, fold(text), re.IGNORECASE):
                return name
    return None
