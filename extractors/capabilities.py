"""What a page says a product has, or does not say at all: capability claims, one a page for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extractors.cues import capability_cues
from extractors.fold import fold
from extractors.page import Page
from schemas.document import Block, BlockKind

_NEGATED = re.compile(
    r"(?:没有|不是|并非|不必|不再|不提供|暂无|尚无|不支持|无需|不需要|不依赖|不用|未(?:支持|提供)|缺少|无法"
    r"|without|no longer|not (?:support|offer|need|require)\w*|doesn't|does not|don't|not \w+ (?:by|with|over|to|for|as|on))[^,，。;；]{0,18}$",
    re.IGNORECASE,
)
_YES = re.compile(r"\W*(?:yes\b|是的?[,，。]|支持|可以|能[,，。]|はい|ja\b|oui\b)", re.IGNORECASE)
_WINDOW = 240
_DENIED_AFTER = re.compile(
    r"^[^,，。;；]{0,24}?(?:(?:is|are|was)(?: not|n['’]t| no longer| un)|not (?:supported|available|offered|included)|unsupported|unavailable"
    r"|(?:is|are) planned|planned for|coming soon|on the roadmap|in development"
    r"|(?:will|to) (?:be|come|launch|follow|arrive)|is expected|计划|预计|拟于|将(?:于|在|会)|即将|规划中|开发中|暂不|尚未|不支持|不可用|不提供|未支持|敬请期待"
    r"|[:：|]\s*(?:no|none|n/a|not \w+|否|无|不支持|—|-|×|✗)(?![A-Za-z]))",
    re.IGNORECASE,
)
_DENIED_CELL = re.compile(r"^\s*(?:no|none|n/a|not \w+|否|无|不支持|暂不支持|✗|×|x)\s*$", re.IGNORECASE)
_RIVAL = re.compile(
    r"(?:than|versus|vs\.?|unlike|instead of|rather than|较|比|对标|不输|媲美|比肩) ?(?:an? |the )?$",
    re.IGNORECASE,
)
_ALSO_RAN = re.compile(
    r"^ ?(?:相当|持平|媲美|接近|相近|看齐|的水平)|^ ?(?:class|level|parity|equivalent)", re.IGNORECASE
)
_COMPARED = re.compile(
    r"(?:相比|对标|媲美|比肩|不输|与|和|较|比"
    r"|than|versus|vs\.?|against|like|unlike|instead of|rather than|comparable (?:to|with)|equal to) ?(?:an? |the )?$",
    re.IGNORECASE,
)
_ONLY_TALK = re.compile(
    r"[?？]|是否|有没有|能否|(?:有|的)要求|强烈建议|更合适|不再是|普通(?:公有)?云|难以|应该|无集群级|should|would you|do (?:I|you) need|whether",
    re.IGNORECASE,
)
_NOT_DISCLOSED_OF: tuple[tuple[str, str], ...] = (
    ("mtbf", r"MTBF|平均无故障|mean time between"),
    ("card_failure_rate", r"(?:掉卡|坏卡|卡)?故障率|failure rate"),
    ("checkpoint_time", r"checkpoint|检查点"),
    ("message_rate", r"消息率|message rate"),
    ("bisection_bandwidth", r"bisection|对分带宽|横截面"),
    (
        "fs_latency",
        r"(?:存储|文件系统|读写?|写)[^,，。;；]{0,6}(?:时延|延迟)|(?:storage|file ?system|read|write) latency",
    ),
    ("network_latency", r"时延|延迟|latency"),
    ("client_bandwidth", r"(?:single|one|per)[- ]client|单客户端|storage reads? per (?:node|VM|host)"),
    ("allreduce_efficiency", r"all-?reduce|集合通信(?:效率|带宽)?|负载率"),
    ("mfu", r"\bMFU\b|算力利用率"),
    ("scaling_efficiency", r"线性加速比|线性度|加速比|扩展效率|scaling efficiency|linearity"),
    ("fs_iops", r"IOPS"),
    ("fs_throughput", r"吞吐|throughput|storage.{0,12}(?:GB/s|bandwidth)|存储带宽"),
    ("file_count_max", r"文件数|file count|number of files"),
    ("fault_recovery_time", r"自愈指标|恢复时间|recovery time|MTTR"),
    ("gang_scheduling", r"Gang"),
    ("topology_aware_scheduling", r"拓扑感知"),
    ("auto_recovery", r"自愈|容错"),
    ("cluster_size_max", r"集群规模|十万卡|万卡|cluster size"),
    ("rdma_bandwidth", r"带宽|bandwidth|RDMA"),
    ("sla_availability", r"SLA|可用性|availability"),
    ("price_per_accelerator_hour", r"价格|price|pricing"),
    ("provisioning_time", r"交付(?:时间|周期)|lead time|delivery time"),
    ("gpu_memory", r"显存|GPU memory"),
    ("interconnect_bandwidth", r"卡间|NVLink|interconnect"),
)


@dataclass(frozen=True, slots=True)
class CapabilityMention:
    """A capability in a block: where its clause stands and, for `not_disclosed`, of what."""

    name: str
    block: int
    start: int
    end: int
    cue_start: int
    cue_end: int
    of: str | None = None


def find_capabilities(page: Page) -> Iterator[CapabilityMention]:
    """Every capability that a visible, non-chrome block states, in order."""
    for index, block in enumerate(page.document.blocks):
        if block.chrome or block.kind is BlockKind.CODE:
            continue
        if block.kind is BlockKind.HEADING:
            yield from _affirmed(page, index)
            continue
        text = page.folded[block.start : block.end]
        for (capability, against), cues in capability_cues().of(text):
            for match in cues.finditer(text):
                start, end = clause_of(text, match.start(), match.end())
                if against is not None and against.search(text[start:end]):
                    continue
                if capability.name == "not_disclosed":
                    for of in _undisclosed(
                        text, match.end(), start, end, page.flat_headers.get(index) or _headers(block)
                    ):
                        yield CapabilityMention(
                            capability.name, index, block.start + start, block.start + end,
                            block.start + match.start(), block.start + match.end(), of,
                        )  # fmt: skip
                elif _is_stated(page, index, text, match.start(), match.end()):
                    yield CapabilityMention(
                        capability.name, index, block.start + start, block.start + end,
                        block.start + match.start(), block.start + match.end(),
                    )  # fmt: skip


def _affirmed(page: Page, index: int) -> Iterator[CapabilityMention]:
    """What a question in a heading asks for and the text under it answers with yes."""
    blocks = page.document.blocks
    asked = page.folded[blocks[index].start : blocks[index].end]
    if not asked.rstrip().endswith(("?", "？")) or index + 1 >= len(blocks):
        return
    answer = blocks[index + 1]
    if answer.kind is BlockKind.HEADING or not _YES.match(page.folded[answer.start : answer.end]):
        return
    for (capability, _), cues in capability_cues().of(asked):
        if capability.name != "not_disclosed" and (match := cues.search(asked)):
            start = blocks[index].start
            yield CapabilityMention(
                capability.name, index, start, blocks[index].end, start + match.start(), start + match.end()
            )


def _is_stated(page: Page, index: int, text: str, start: int, end: int) -> bool:
    """Whether the words say that it is there: not denied, planned, asked about or only compared with."""
    return _ONLY_TALK.search(_sentence(text, start)) is None and not is_denied(page, index, text, start, end)


def is_denied(page: Page, index: int, text: str, start: int, end: int) -> bool:
    """Whether what stands at `start:end` of the block's text is said to be missing, planned, or a rival's."""
    before = text[max(0, start - 40) : start]
    after = text[end : end + 60]
    if _NEGATED.search(before) or _DENIED_AFTER.match(after):
        return True
    if _COMPARED.search(before) and (_ALSO_RAN.match(after) or _RIVAL.search(before)):
        return True
    block = page.document.blocks[index]
    if block.cell is None or block.cell.col > 0:
        return False
    # A row that ends in "No" denies what its header names.
    row = [
        page.folded[b.start : b.end]
        for b in page.document.blocks[index + 1 : index + 8]
        if b.cell is not None and (b.cell.table, b.cell.row) == (block.cell.table, block.cell.row)
    ]
    return bool(row) and all(_DENIED_CELL.match(cell) for cell in row)


def _sentence(text: str, position: int) -> str:
    first, last = max(0, position - _WINDOW), min(len(text), position + _WINDOW)
    left = max(max(text.rfind(mark, first, position) for mark in "。；;\n！?？") + 1, first)
    ends = [found + 1 for mark in "。；;\n！?？" if (found := text.find(mark, position, last)) >= 0]
    return text[left : min(ends, default=last)]


def _headers(block: Block) -> str:
    """The headers over a cell, the nearest last, which say of what a cell "not disclosed" speaks."""
    if block.cell is None:
        return ""
    return fold(" ".join(h.text for h in (*block.cell.row_headers, *block.cell.col_headers)))


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the clause that holds `start:end` stands in the text."""
    first, last = max(0, start - _WINDOW), min(len(text), end + _WINDOW)
    left = max(max(text.rfind(mark, first, start) for mark in "，。；;、,\n\t|！？") + 1, first)
    ends = [found for mark in "，。；;、,\n\t|！？" if (found := text.find(mark, end, last)) >= 0]
    right = min(ends, default=last)
    while left < start and text[left] == " ":
        left += 1
    return left, max(end, min(right, end + 60))


def _undisclosed(text: str, cue_end: int, start: int, end: int, header: str) -> list[str]:
    """What is not disclosed: named right after the word, else in its clause, else by the row's last column."""
    after = text[cue_end : cue_end + 24]
    found = [name for name, pattern in _NOT_DISCLOSED_OF if re.search(pattern, after, re.IGNORECASE)]
    found = found or [
        name for name, pattern in _NOT_DISCLOSED_OF if re.search(pattern, text[start:end], re.IGNORECASE)
    ]
    if "fs_latency" in found and "network_latency" in found:
        found.remove("network_latency")  # storage latency is one thing
    if found or not header:
        return found
    last = [
        (m.start(), name)
        for name, pattern in _NOT_DISCLOSED_OF
        for m in re.finditer(pattern, header, re.IGNORECASE)
    ]
    return [max(last)[1]] if last else []
