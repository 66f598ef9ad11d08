"""How a figure was measured and with what it is compared: access, size, scale, load, workload, baseline."""

from __future__ import annotations

import re

from extractors.fold import fold
from extractors.mention import Mention
from extractors.scale import SCALE_OF
from extractors.scopes import Surroundings
from schemas.registry import Metric

_READ_WRITE = re.compile(
    r"读写|读(?:和|与)写|reads? (?:plus|and) writes?|读/写|read ?(?:/|and|&|-)? ?writes?|mixed", re.IGNORECASE
)
_READ = re.compile(r"读(?!写)(?:取|出)?|\breads?\b|\breading\b|读み|読み|\b(?:Lesen|Lese-?)", re.IGNORECASE)
_WRITE = re.compile(r"(?<!读)写(?:入)?|\bwrites?\b|\bwriting\b|书き|schreibend|Schreib", re.IGNORECASE)
# 40 GB/s for reads and …, but not: reads 40 GB/s, writes 20 GB/s
_ACCESS_BEHIND = re.compile(
    r" (?:for |of |on |in |\()?(?:sequential |random )?(reads?|reading|writes?|writing)\b"
    r"(?! ?(?:and|/|or|&|,)? ?(?:read|writ))(?! ?(?:at |of |up to )?\d)",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"(?<![A-Za-z0-9.])\d+[ -]?(?:[KkMG]i?B?|B|字节|bytes?|バイト)(?=[^A-Za-z0-9/]|$)(?! ?(?:IOPS|GPU|卡|files))"
)
_LOADED = re.compile(
    r"(?:带|真实|业务|满|混合)负载|负载下|满载|(?:带|有|叠加)业务|业务(?:运行|高峰)|业务水位|水位(?:达|为|在|到)? ?\d+ ?%|\d+ ?% ?(?:的)?水位"
    r"|(?:low|light|high|heavy)[- ]load|under (?:\w+ )?load"
    r"|(?:production|live|real|other) (?:jobs|load|traffic|workloads?)|alongside (?:\w+ ){0,2}(?:jobs|tenants|workloads)|busy"
    r"|\d+ ?(?:%|percent) (?:full|capacity|utili[sz]ation)",
    re.IGNORECASE,
)
_CHECKPOINT_SIZE = re.compile(r"(?<![A-Za-z0-9.])\d[\d,.]* ?[GTP]i?B(?![A-Za-z/])")
_FREQUENCY = re.compile(
    r"每(?:隔)? ?\d+ ?(?:秒|分钟|小时|步)|every \d+ (?:seconds|minutes|hours|steps|iterations)", re.IGNORECASE
)
_EMPTY = re.compile(
    r"空(?:水位|载|闲|文件系统|集群|系统)|(?:新建|刚创建)的?(?:文件系统|集群)|(?:没有|无)(?:其他|其它)?(?:业务|负载)|no other (?:load|traffic|tenants)"
    r"|(?:empty|fresh(?:ly (?:created|made|formatted|provisioned))?|newly created|otherwise unused) (?:\w+ )?(?:file ?system|system|cluster|volume)|idle",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"(?:\d[\d,.]*|[一二三四五六七八九十百千万]+)[ -]?(?:[张颗]?卡|枚|GPUs?|[HABV]\d{3} ?GPUs?|张 ?[HABV]\d{3}|[HABV]\d{3}s|NPUs?|accelerators)(?!间|型)"
    r"|\d[\d,.]* ?(?:个)?(?:节点|nodes)|小集群|大规模集群|\d+ ?(?:机|台)(?=[)）,， ]|$)|\d+ ?台の"
)
_ANAPHOR = re.compile(r"\b(?:that|this|the same|those|these)\b|该|此|这|同一|同样", re.IGNORECASE)
_STORAGE_FIGURES = re.compile(r"[KMGTP]i?B/s|[KMGTP]i?Bps|IOPS")
_PROTOCOL = re.compile(r"TCP/IP|RDMA|RoCE|InfiniBand|NFSv?[34]?|POSIX|SMB", re.IGNORECASE)
_WORKLOAD = re.compile(
    r"单路(?:平均)?|single (?:path|stream|thread)|one stream|fio[^。；;\n)）]{0,60}|训推共池|全透读|全命中"
    r"|\bbatch(?: size)?(?: of)? ?\d+|批大小 ?\d+|batch ?size|(?:输入|输出|上下文)(?:长度)? ?\d|\d+K? (?:input"
    r"|output|prompt) tokens|TPOT|(?:并发|concurrency)(?: of)? ?\d+|simulated [\w ]{2,24}|worst case|多核压测|\d+B model|千亿参数(?:模型)?|大模型训练"
    r"|(?:DeepSeek|LLaMA|Llama|Qwen|GPT|Mixtral|Kimi|GLM)[-\w. ]{0,8}\w|MoE|混合专家模型(?:训练)?"
)


_WORKED_AT = re.compile(
    r"(?:\b(?:on|across|with|at|over|using)|在|于) ?(?:(?:a|an|one) (?:\w+ )?(?:cluster|run|job|system) of |an? )?"
    r"[\d,]+[KkM]?[ -]?(?:张|块|枚)? ?(?:(?:[A-Z]\w+ ){0,2}GPUs?|卡|[HABV]\d{3}|NPUs?|accelerators)"
)
_ASIDE = re.compile(r" ?[(（][^()（）]{1,30}[)）]")
_ASIDE_BEFORE = re.compile(r"[(（]([^()（）]{1,30})[)）][^\d,，。;；]{0,8}$")
_OF_A_RUN = frozenset(
    {
        "mfu",
        "scaling_efficiency",
        "allreduce_efficiency",
        "effective_training_time",
        "mtbf",
        "interruption_interval",
    }
)
_MEASURED_UNITS = ("fraction", "s", "1/s", "byte/s", "ratio")


def condition_of(metric: Metric, mention: Mention, around: Surroundings) -> dict[str, str]:
    """What is stated of how the figure was measured: access, size, scale, load, workload, protocol."""
    out: dict[str, str] = {}
    sentence = (
        around.sentence
        + "\n"
        + "\n".join(around.headers)
        + "\n"
        + around.text_of("note", "lead", "intro", "caption")
    )
    if (
        metric.family == "storage"
        and metric.unit in ("byte/s", "1/s", "s")
        and (access := _access_of(metric, around))
    ):
        out["access"] = access
    if metric.name in (
        "fs_latency",
        "block_latency",
        "fs_iops",
        "block_iops",
        "network_latency",
        "message_rate",
        "allreduce_efficiency",
    ):
        for size in _SIZE.finditer(sentence):
            inside = mention.start <= around.sentence_start + size.start() < mention.end
            if not inside and size.group()[-1] not in "Mm":
                out["size"] = size.group().strip()
                break
    if metric.name == "checkpoint_time":
        out |= _of_checkpoint(sentence)
    if metric.unit in _MEASURED_UNITS and (
        scale := _scale(
            around,
            metric_is_share=metric.name in _OF_A_RUN
            or (metric.unit == "fraction" and metric.name != "relative_improvement"),
        )
    ):
        out["scale"] = scale.group().strip()
    if load := _load(sentence):
        out["load"] = load
    if workload := _WORKLOAD.search(sentence):
        out["workload"] = workload.group().strip()
    elif around.run and metric.unit in ("fraction", "s") and metric.name in _OF_A_RUN:
        out["workload"] = around.run  # a report of one training run says so once, at its top
    if metric.name == "network_latency" and (
        protocol := _PROTOCOL.search(around.text_of("near", "column", "row"))
    ):
        out["protocol"] = protocol.group()
    return out


def _of_checkpoint(sentence: str) -> dict[str, str]:
    """How large a checkpoint is and how often one is written."""
    found = {"size": _CHECKPOINT_SIZE.search(sentence), "frequency": _FREQUENCY.search(sentence)}
    return {name: match.group().strip() for name, match in found.items() if match}


def _load(sentence: str) -> str | None:
    if _EMPTY.search(sentence):
        return "empty"
    return "loaded" if _LOADED.search(sentence) else None


def condition_in(key: str, text: str) -> str | None:
    """What a folded text states of one condition (access, load, scale, size, workload, protocol), in its words."""
    if key == "access":
        return _access(text)
    if key == "load":
        return _load(text)
    pattern = {"scale": _SCALE, "size": _SIZE, "workload": _WORKLOAD, "protocol": _PROTOCOL}[key]
    found = pattern.search(text)
    return found.group().strip() if found else None


def is_vague(baseline: str) -> bool:
    """Whether words name nothing that a figure could be compared with ("than before")."""
    return len(baseline.strip()) < 2 or _VAGUE.match(baseline.strip()) is not None


def _access_of(metric: Metric, around: Surroundings) -> str | None:
    """Read, write or mixed: beside the figure and over it, then in its notes, then in a sentence about it alone."""
    if behind := _ACCESS_BEHIND.match(around.after):
        return "read" if behind[1].lower().startswith("read") else "write"
    for names in (
        ("near", "column", "row", "label"),
        ("near", "segment", "column", "row", "label", "caption"),
        ("note", "lead"),
    ):
        if access := _access(around.text_of(*names)):
            return access
    alone = len(_STORAGE_FIGURES.findall(around.sentence)) <= 1
    if alone and metric.name.startswith(("fs_t", "fs_i", "fs_l", "client")):
        return _access(around.sentence)
    return None


def _scale(around: Surroundings, *, metric_is_share: bool) -> re.Match[str] | None:
    """The scale at which a figure holds: beside it, in its headers, or named in its sentence as such."""
    found = _SCALE.search(
        around.text_of("near", "column", "row", "label", "note", "lead", "intro", "caption")
    )
    if found is None and (aside := _ASIDE.match(around.after)):
        found = _SCALE.search(aside.group())
    if found is None and (opened := _ASIDE_BEFORE.search(around.before[-48:])):
        found = _SCALE.search(opened[1])
    if found is None and (worked := _WORKED_AT.search(around.sentence)):
        found = _SCALE.search(worked.group())
    if found is None and metric_is_share:
        found = _SCALE.search(around.sentence)
        if found is None and _ANAPHOR.search(around.sentence):
            found = _SCALE.search(around.text_of("earlier")[-240:] or _paragraph_before(around))
    if found is not None:
        return found
    for text, behind in ((around.before, True), (around.after[:24], False)):
        for match in reversed(list(_SCALE.finditer(text))):
            between = text[match.end() :] if behind else text[: match.start()]
            if not re.search(r"[\d、;；]", between) and SCALE_OF.match(text[match.end() :] + " "):
                return match
    return None


def _paragraph_before(around: Surroundings) -> str:
    """What stands before the sentence's paragraph in its section, for "that is the sample behind …"."""
    return around.section[: max(0, around.section.find(around.sentence))][-240:]


def _access(text: str) -> str | None:
    if _READ_WRITE.search(text):
        return "mixed"
    read, write = _READ.search(text), _WRITE.search(text)
    if read and write:
        return None
    return "read" if read else "write" if write else None


_VERSION_BASELINE = re.compile(r"(?:较|相比|than) ?(?P<version>v?\d+\.\d+)(?! ?[%倍xX×])")
_BASELINE = re.compile(
    r"(?:相比|较|相对|(?<!相)比)(?!例|如|特|率|拟|赛|特|较) ?(?P<zh>[A-Za-z][\w /.-]{1,24}|[^,，。;；、]{2,20}?)"
    r"(?= ?(?:提升|降低|缩短|縮短|提高|压低|减少|減少|快|高|低|的|,|，|相比))"
    r"|与 ?(?P<with>[^\s,，。;；、\d]{2,12}(?: ?\d[\d.]{0,4})?) ?相比"
    r"|than (?P<terms>on[ -]demand|pay[- ]as[- ]you[- ]go|list price|reserved)\b"
    r"|(?:(?:×|x|times|-fold) |^ )(?:the|as many|more|fewer) [\w -]{2,24} (?:of|than|as) (?:an? |the )?(?P<whom>[A-Z][\w.-]{2,24})"
    r"|(?:较|相比|对比|比)(?:于)? ?(?P<header>[A-Za-z\u4e00-\u9fff][\w .-]{1,20}?)(?: ?(?:相比|的?(?:提升|倍数|加速比|变化))?$)"
    r"|(?P<ja>[A-Za-z][\w .-]{2,24}?) ?(?:と比べて?|に比べて?|と比較して|比で)"
    r"|(?:和|跟|同|与) ?(?P<same>[A-Za-z][\w ./-]{1,20}?) ?相比"
    r"|(?:对比|相较于?|相比(?:于|之)?) ?(?P<aside>[A-Za-z][\w ./-]{1,20}|自建[\u4e00-\u9fff]{2,4})(?=[)）。，,]|$)"
    r"|(?:×|x|times) what (?P<what>[A-Z][\w.-]{2,24}) (?:got|did|achieved|reached)"
    r"|[以拿与同] ?(?P<ref>[^,，。;；、]{2,16}?) ?[作为]?(?:对照|基准|基线|参照)"
    r"|[是为](?P<of>[^,，。;；、\d]{2,14}?)的? ?$"
    r"|(?:(?:fast|quick|high|large|many|much|cheap) as|gegenüber(?: der| dem)?|than(?: in)?|over|above|versus"
    r"|vs\.?|[Aa]gainst|next to|relative to|[Ss]et against|[Cc]ompared (?:with|to)) (?:\d[\d.]* ?(?:seconds|minutes|s|ms|[GT]B/s|%)? (?=(?:on|with|for|in) ))?"
    r"(?:on |with |using |plain |stock |upstream |its |their |our "
    r"|the |a |an |(?:previous|prior|last|earlier)[- ]generation )*"
    r"(?P<en>(?:previous|former|old|existing|legacy) [A-Z][\w-]+"
    r"|[a-z]{0,3}[A-Z][\w-]*(?: [A-Z]?[\w.-]*\d[\w.-]*){0,3}|the (?:previous|earlier|last|old|first|second|third"
    r"|three|two|usual|standard)[ -][\w -]{3,24}|the [a-z][\w-]* (?:algorithm|design|library|system|model|setup"
    r"|cluster|path|stack|baseline)|(?:(?:release|version) )?v?\d+\.\d+|(?:a |an )?(?:classic|conventional|plain|vanilla|self-managed"
    r"|hand-tuned|eight-card|on-demand|pay-as-you-go)[\w -]{0,24}|engineers \w+)",
)
_VAGUE = re.compile(
    r"^(?:以往|之前|以前|过去|原本|原来|传统(?:方案|方式|架构)?$|前(?!一代.)|基线|before|the previous|行业|其他|同类)"
)


def baseline_of(around: Surroundings) -> str | None:
    """What a relative claim is compared with, where that is named; "than before" names nothing."""
    if version := _VERSION_BASELINE.search(around.before[-20:]):
        return version["version"]
    for text in (
        around.before[-80:],
        around.after[:48],
        around.text_of("label", "lead", "note"),
        around.text_of("column", "row"),
    ):
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
