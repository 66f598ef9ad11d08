"""On which basis a figure is (per node, per card, summed…) and whether a bandwidth counts one way or both."""

from __future__ import annotations

import re
from typing import NamedTuple

from extractors.cues import Hit, basis_hits
from extractors.fold import fold
from extractors.mention import Mention
from extractors.scopes import Scope, Surroundings
from schemas.registry import Metric

_INSTANCES = re.compile(r"\b(?:instances?|VMs?|virtual machines?)\b|云主机|云服务器|实例规格", re.IGNORECASE)
_INSTANCE_SIZES = re.compile(
    r"实例规格|规格族|实例族|GPU 型实例|(?:instance|machine|VM) (?:types|sizes|families|family)|[A-Z]\w* instances\b",
    re.IGNORECASE,
)
_OF_AN_INSTANCE = frozenset({"rdma_bandwidth", "network_bandwidth", "message_rate", "accelerator_count"})
_CARD_BEFORE = re.compile(
    r"(?:[×x*]|\d ?[张块颗枚个]) ?(?:[A-Z][A-Za-z]* )?(?:[A-Z]{1,2}\d{1,3}[A-Za-z]*|昇腾 ?\d+\w?|RTX ?\w+)(?: \w{2,5})? ?[(（]?$"
)
_PIECE = re.compile(r"每[张块个枚]")
_CARDS_OF_A_NETWORK = re.compile(r"网卡|NIC|HCA")
_COUNTS = re.compile(
    r"\d+ ?(?:张|块|颗|枚|个|x|×)? ?(?:卡|[GN]PUs?|网卡|端口|cards?|NICs?|ports?|[A-Z]\d{2,3}\w*)"
)
_OF_A_FILE_SYSTEM = (
    "fs_throughput",
    "fs_iops",
    "fs_capacity_max",
    "file_count_max",
    "clients_max",
    "dataflow_throughput",
)
_EXPLICIT = re.compile(r"per\b|each\b|every\b|one\b|a single|je\b|pro\b|[每单]", re.IGNORECASE)
# "Hosts carry 400 Gb/s links per VM": who holds it says less than per what it is.
_CARRIES = re.compile(
    r"[a-z] (?:has|have|\w{3,}s|carry|get|come|ship|offer|provide|feature|include|hold)$", re.IGNORECASE
)
_OF_A_RACK = re.compile(r"超节点|整柜|机柜|supernode|rack|cabinet|UltraServer|NVL\d+|SuperPod", re.IGNORECASE)
_APIECE = re.compile(r" ?(?:of \w+ )?(?:each|apiece)\b", re.IGNORECASE)
_THINGS = (
    (re.compile(r"(?:GPUs|NPUs|accelerators|cards|chips|[HAB]\d{2,3}s)\b"), "per_accelerator"),
    (re.compile(r"(?:NICs|HCAs|adapters|network cards|ConnectX-\d)\b"), "per_nic"),
    (re.compile(r"ports\b"), "per_port"),
    (re.compile(r"(?:links|uplinks|cables)\b"), "per_link"),
    (re.compile(r"nodes\b"), "per_node"),
    (re.compile(r"(?:servers|machines|hosts)\b"), "per_machine"),
    (re.compile(r"(?:instances|VMs)\b"), "per_instance"),
)
_EACH_OF_THEM = re.compile(r" ?(?:of \w+ )?each\b", re.IGNORECASE)
_SUMMED = re.compile(
    r"pooled|\btotal\b|in total|together|altogether|combined|总|合计|池化|整机|整柜", re.IGNORECASE
)
_CLUSTER = re.compile(r"cluster|集群|丛集|クラスタ", re.IGNORECASE)
# Scopes too far from the figure to say what it is per.
_SILENT = frozenset({"earlier", "title", "caption", "segment", "clause", "after", "lead", "question"})
_FILE_SYSTEMS = re.compile(
    r"file ?systems?\b|文件系统|檔案系統|ファイルシステム|\bSFS\b|\bNFS\b", re.IGNORECASE
)
_IT = re.compile(r"\W*(?:It|Its|该|其|它)(?![a-z])")
_THE_FILE_SYSTEM = re.compile(
    r"(?<!并行)文件系统(?![个数])(?!.{0,10}(?:聚合|集群))[^。;；,，\d]{0,14}$|檔案系統[^。;；,，\d]{0,14}$"
    r"|(?:\b(?:the|our|this|a|its|shared) (?:\w+ )?(?:file ?system|share))\b[^.;,\d]{0,24}$|ファイルシステム[^。、\d]{0,14}$",
    re.IGNORECASE,
)
_PRICED = re.compile(
    r"[$€¥￥]|price|pricing|\bcost|per hour|/ ?(?:hr|h|hour)\b|on[- ]demand|reserved|价|元|按量|包月|vCPU|料金|Preis|prix",
    re.IGNORECASE,
)
_SPECIFICATION = re.compile(r"规格|規格|参数|Specification|Spec|仕様", re.IGNORECASE)
_PARTS = frozenset({"per_nic", "per_port", "per_link"})
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
    if metric.name == "gpu_memory" and (told := _of_memory(around)) is not None:
        return told
    rented = (
        metric.name == "accelerator_count" and around.block.cell is not None and _PRICED.search(around.top)
    )
    if (told := _each_of(metric, around)) is not None:
        return told
    for scope in around.scopes:
        if rented and scope.name == "row":
            continue  # the row of a price list is called by its card or rack
        if scope.name not in _SILENT and (told := _said_in(scope, metric, mention, around)) is not None:
            return told
    return _implied(metric, around, spec_sheet=spec_sheet, formula=bool(mention.formula))


def bases_told(text: str, metric: Metric) -> list[Hit]:
    """Every place where words name a basis that a figure of the metric can be on."""
    hits = (_as_file_system(hit, metric) for hit in basis_hits(fold(text)))
    return [hit for hit in hits if _fits(hit.name, metric)]


def bases_named(text: str, metric: Metric) -> frozenset[str]:
    """Every basis that words name and that a figure of the metric can be on."""
    return frozenset(hit.name for hit in bases_told(text, metric))


def _each_of(metric: Metric, around: Surroundings) -> Told | None:
    """Whose it is where the figure is that of each: eight NDR adapters, 400 Gbit/s apiece."""
    if _APIECE.match(around.after) is None:
        return None
    named = [
        (match.start(), basis)
        for pattern, basis in _THINGS
        for match in pattern.finditer(around.before[-90:])
        if _fits(basis, metric)
    ]
    return Told(max(named)[1], "each of those named before") if named else None


def _of_memory(around: Surroundings) -> Told | None:
    """Memory is a card's, though a row names the machine that holds the cards, unless the figure is summed."""
    if _CARD_BEFORE.search(around.before[-24:]):
        return Told("per_accelerator", "the card's name stands before it")
    if _EACH_OF_THEM.match(around.after):
        return Told("per_accelerator", "each of the cards")
    if _SUMMED.search(around.text_of("near", "column")):
        over = _OF_A_RACK.search(around.text_of("near", "label", "heading", "title"))
        return Told("per_supernode", f"summed over {over.group()}") if over else None
    for scope in around.scopes:
        if scope.name in ("near", "segment", "label", "column", "row", "caption", "intro"):
            for hit in basis_hits(scope.text, around.around(scope)):
                if hit.name == "per_accelerator":
                    return _told(hit, scope)
    return None


def _said_in(scope: Scope, metric: Metric, mention: Mention, around: Surroundings) -> Told | None:
    """The basis that one scope names for a figure of the metric; None where it names none, or two."""
    hits = [_as_file_system(h, metric) for h in basis_hits(scope.text, around.around(scope))]
    hits = [h for h in hits if _fits(h.name, metric)]
    if mention.times is not None and metric.name != "port_speed" and scope.name != "head":
        hits = [
            h for h in hits if h.name not in _PARTS or _EXPLICIT.match(scope.text, h.start)
        ]  # 8 × 400 Gbps of cards are what holds the eight
    if metric.name == "sla_availability" and len({h.name for h in hits}) > 1:
        hits = [h for h in hits if h.name != "per_service"]  # an instance's uptime is not the service's
    if scope.name == "note":
        hits = [h for h in hits if _EXPLICIT.match(scope.text, h.start)]
    if scope.name == "column":  # a column called 规格 holds what the row says, and no sizes of instances
        hits = [
            h
            for h in hits
            if h.name != "per_instance" or _SPECIFICATION.fullmatch(scope.text.strip()) is None
        ]
    if not hits:
        return None
    if scope.name in ("near", "before"):
        # A sum over planes is worth saying only where nothing narrower is said.
        hits.sort(
            key=lambda h: (
                h.name == "aggregate",
                _CARRIES.search(scope.text, h.start, h.end) is not None,
                _gap(h.start, h.end, scope, mention),
            )
        )
        far = scope.name == "before" and not _reaches(scope, hits[0].end, mention, around)
        told = _told(hits[0], scope)
        pieces = _PIECE.fullmatch(scope.text[hits[0].start : hits[0].end].strip()) is not None
        if pieces and _CARDS_OF_A_NETWORK.search(around.before[-30:]):
            told = told._replace(basis="per_nic")  # 网卡 8 块，每块 200Gbps
        return None if far else told
    if scope.name == "head":  # (2 x 200 Gbps each) speaks of what stands right before its bracket
        return _told(max(hits, key=lambda h: h.end), scope)
    hits = [h for h in hits if _EXPLICIT.match(scope.text, h.start)] or hits
    return _told(hits[0], scope) if len({h.name for h in hits}) == 1 else None


def _implied(metric: Metric, around: Surroundings, *, spec_sheet: bool, formula: bool) -> Told:
    """The basis where no words name one."""
    if spec_sheet and metric.family == "network" and _INSTANCES.search(around.text_of("heading", "title")):
        return Told("per_instance", "a sheet of instance sizes")
    if metric.name in _OF_AN_INSTANCE and _INSTANCE_SIZES.search(around.text_of("title")):
        return Told("per_instance", "a page of instance sizes")
    if metric.name == "accelerator_count" and around.block.cell is not None and _PRICED.search(around.top):
        return Told("per_instance", "a price list, whose rows are what is rented")
    if metric.name == "mtbf" and _CLUSTER.search(around.sentence):
        return Told("per_cluster", "the sentence speaks of a cluster")
    if formula and metric.name in _STORAGE_ONLY:
        return Told("per_filesystem", "what grows with the capacity bought is one file system's")
    if metric.default_basis:
        return Told(metric.default_basis, "implied by the metric")
    if spec_sheet and metric.name in _STORAGE_ONLY:
        return Told("per_filesystem", "limits of one storage product")
    if metric.name in _STORAGE_ONLY and _THE_FILE_SYSTEM.search(around.before[-40:]):
        return Told("per_filesystem", "the file system is what the sentence is about")
    it = metric.name in _STORAGE_ONLY and _IT.match(around.sentence)
    if it and _FILE_SYSTEMS.search(around.text_of("earlier")):
        return Told("per_filesystem", "the file system named before")
    about = (
        around.text_of("heading", "title", "intro", "caption", "corner")
        if around.block.cell is not None
        else ""
    )
    if metric.name in _STORAGE_ONLY and _FILE_SYSTEMS.search(about):
        return Told("per_filesystem", "a table of file systems")
    return Told("unspecified", "not said")


def _as_file_system(hit: Hit, metric: Metric) -> Hit:
    """An instance, a share or a volume of a file service is a file system."""
    if hit.name in ("per_instance", "per_volume") and metric.name in _OF_A_FILE_SYSTEM:
        return Hit("per_filesystem", hit.start, hit.end, hit.weight)
    return hit


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
    if metric.name == "accelerator_count":
        allowed.discard("per_accelerator")
    if metric.name in ("client_bandwidth", "client_iops"):
        allowed |= {"per_accelerator", "per_node"}
    if metric.name.startswith("block_"):
        allowed |= {"per_instance", "per_machine", "per_node"}
    if metric.name == "sla_availability":
        allowed = (allowed | {"per_machine", "per_node"}) - {"aggregate"}
    if metric.name == "storage_network_bandwidth":
        allowed |= {"per_node", "per_machine", "per_accelerator", "per_instance"}
    if metric.name == "cluster_size_max":
        allowed = {"per_cluster"}
    return basis in allowed


def _gap(start: int, end: int, scope: Scope, mention: Mention) -> int:
    absolute_start, absolute_end = scope.offset + start, scope.offset + end
    return max(mention.start - absolute_end, absolute_start - mention.end, 0)


def _reaches(scope: Scope, cue_end: int, mention: Mention, around: Surroundings) -> bool:
    """Whether a basis named earlier in the sentence still holds: not once another figure stood in between."""
    between = around.before[scope.offset + cue_end - around.sentence_start :]
    if _ALSO.search(between) or (len(between) <= 80 and _PARALLEL.search(between)):
        return True
    return (
        re.search(r"(?<![A-Za-z])\d", _COUNTS.sub("", between)) is None
        and mention.start - (scope.offset + cue_end) <= 40
    )


_ALSO = re.compile(r"(?:\bor|\bi\.e\.|即|也就是|合计?|或) ?$")
# Reads 300 GB/s, writes 150 GB/s: the second figure is on the first one's basis.
_PARALLEL = re.compile(
    r"\d ?[A-Za-z/]+ ?(?:(?:for |of |on )?(?:reads?|reading|writes?|writing))?[,，;；、]? ?(?:而|and|with"
    r"|plus)? ?(?:(?:顺序|随机)?[读写](?:入|取)?(?:带宽|吞吐)?|(?:sequential "
    r"|random )?(?:reads?|writes?|reading|writing)(?: (?:at|of|to))?)"
    r"[^\d,，。;；]{0,8}$"
    r"|\d ?[A-Za-z/]+ (?:for |of |on )?(?:reads?|reading|writes?|writing) (?:and|plus) $",
    re.IGNORECASE,
)
_ONE_WAY = re.compile(
    r"单向|one[- ]way|unidirectional|each (?:way|direction)|out of each|and as much in|full[- ]duplex|per direction",
    re.IGNORECASE,
)
_FULL_DUPLEX = re.compile(r"full[- ]duplex|全双工", re.IGNORECASE)
_BOTH_WAYS = re.compile(
    r"双向|两个方向|双方向|收发(?:合计|相加)|both (?:ways|directions)|bidirectional|bi-directional|two-way",
    re.IGNORECASE,
)


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
