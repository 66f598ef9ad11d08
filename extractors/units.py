"""Units as pages write them: what each spelling measures, and the factor to its dimension's base unit.

Base units: data rates in bit/s, data in bytes, times in seconds, densities per TiB. Whether bits or bytes were
written is kept apart from the factor, because the letter case is what vendors get wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache


class Dimension(StrEnum):
    """What a unit measures."""

    DATA_RATE = "data_rate"
    DATA = "data"
    RATE_DENSITY = "rate_density"
    OPS_DENSITY = "ops_density"
    OPS = "ops"
    TIME = "time"
    FRACTION = "fraction"
    RATIO = "ratio"
    ACCELERATORS = "accelerators"
    FILES = "files"
    CLIENTS = "clients"
    COUNT = "count"
    MODELS = "models"
    SKUS = "skus"
    MONEY = "money"
    TOKENS = "tokens"
    FLOPS = "flops"
    TRUNCATED = "truncated"
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as written. `factor` leads to the base unit; for data rates that is bit/s, for data the byte.

    `bytes_written`: b or B stood there (None where neither did). `binary_denominator`: a density per TiB
    (True) or TB (False). `currency`: for money. `noun`: the counted thing, for counts.
    """

    dimension: Dimension
    factor: Decimal
    bytes_written: bool | None = None
    binary_denominator: bool | None = None
    currency: str = ""
    noun: str = ""


_DECIMAL = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6, "m": 2, "g": 3, "t": 4}
_WORDS = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E"} | {
    "キロ": "k",
    "メガ": "M",
    "ギガ": "G",
    "テラ": "T",
    "ペタ": "P",
}
_TIB_IN = {"TiB": Decimal(1), "GiB": Decimal(1024), "PiB": Decimal(1) / 1024} | {
    "TB": Decimal(2) ** 40 / Decimal(10) ** 12,
    "GB": Decimal(2) ** 40 / Decimal(10) ** 9,
    "PB": Decimal(2) ** 40 / Decimal(10) ** 15,
}


def tib_in(capacity: str) -> Decimal:
    """How many of a capacity (TB, GiB, in any case of letters) one TiB holds, for a figure that is given for each."""
    return _TIB_IN[capacity[0].upper() + ("iB" if len(capacity) == 3 else "B")]


_TIMES: dict[str, Decimal] = {}
for _names, _factor in (
    ("纳秒 ns nanosecond nanoseconds ナノ秒", "0.000000001"),
    ("微秒 us usec microsecond microseconds マイクロ秒 Mikrosekunden", "0.000001"),
    ("毫秒 ms msec millisecond milliseconds ミリ秒 Millisekunden", "0.001"),
    ("秒 秒钟 s sec secs second seconds Sekunde Sekunden detik secondes", "1"),
    ("分钟 分 min mins minute minutes Minute Minuten menit", "60"),
    ("小时 个小时 时间 h hr hrs hour hours Stunde Stunden jam heures", "3600"),
    (
        "天 d day days 日 个工作日 工作日 个日历日 日历日 个自然日 自然日 营业日 営业日 个营业日 Tage Tagen hari jours",
        "86400",
    ),
    ("周 星期 周间 week weeks Wochen minggu semaines", "604800"),
    ("个月 月 month months Monate Monaten bulan mois", "2592000"),
    ("年 year years", "31536000"),
):
    for _name in _names.split():
        _TIMES[_name] = Decimal(_factor)
for _kind in ("working", "business", "calendar"):
    _TIMES |= {f"{_kind} day": Decimal(86_400), f"{_kind} days": Decimal(86_400)}

_PER_SECOND = r"(?: ?/ ?[sS](?:ec(?:ond)?)?(?![a-z])|ps(?![a-z])| ?/ ?秒|每秒| per second| a second)"
_DATA_WORD = (
    r"(?:(?:kilo|mega|giga|tera|peta|exa)(?:bit|byte)s?|(?:キロ|メガ|ギガ|テラ|ペタ)(?:ビット|バイト))"
)
_DATA_SHORT = r"(?:[kKMGTPE](?:i?(?:bits?|Bits?|[Bb]ytes?|b|B)|i?o(?![A-Za-z]))|(?:bits?|[Bb]ytes?))"
_PER_CAPACITY = r"(?: ?(?:/|per|pro|je|for (?:each|every)|a) ?(?:[TGP]i?B)(?![A-Za-z/])|每 ?[TGP]i?B(?!/))"
_TIME_PATTERN = (
    r"(?:纳秒|微秒|毫秒|ミリ秒|マイクロ秒|ナノ秒|秒钟?|分钟|分(?= ?\d{1,2} ?秒|内|级|以内|间|で|程度|まで)|个?小时|个?(?:日历|自然)日"
    r"|时间(?=[でにがをはの、])|[nu]s|usec|msec|ms|(?:nano|micro|milli)?seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h"
    r"|(?:(?:working|business|calendar) )?days?|天|个?工作日|个?[营営]业日|日(?=[间でにの])|weeks?|周间?|星期|个月|months?|月(?=级)|年(?![度代级])|years?"
    r"|(?:Milli|Mikro)?[Ss]ekunden?|Minuten?|Stunden?|Tagen?|Wochen|Monaten?|secondes|heures|jours|semaines|mois"
    r"|detik|menit|jam|hari|minggu|bulan)"
)

UNIT_PATTERN = (
    rf"(?:(?P<density>(?:{_DATA_WORD}|{_DATA_SHORT}){_PER_SECOND}{_PER_CAPACITY})"
    rf"|(?P<rate>(?:{_DATA_WORD}|{_DATA_SHORT}){_PER_SECOND}|[gmt]bps(?![A-Za-z]))"
    rf"|(?P<opsdensity>(?i:(?:(?:random|sequential|read|write) ){{0,2}}IOPS){_PER_CAPACITY})"
    r"|(?P<ops>(?i:(?:(?:random|sequential|metadata|read|write|4 ?KB?) ){0,3}IOPS|(?:随机|顺序)?[读写]{1,2} ?IOPS"
    r"|I/O operations per second|ops/s|OPS(?![A-Za-z])|messages?(?: per second|/s)|条/秒|次/秒|QPS|(?<=million)/s(?![A-Za-z])|(?<=million )per second(?! of)"
    r"|[Mk]?pps|packets per second|msgs?/s))"
    r"|(?P<tokens>(?i:tokens?|tok) ?(?:/ ?s(?:ec(?:ond)?)?|/秒|per second|每秒))"
    r"|(?P<flops>[TPEG][Ff][Ll][Oo][Pp][Ss]?(?:/s)?|P(?= ?(?:以上)?(?:的)? ?(?:算力|以上)))"
    r"|(?P<ethernet>G(?:bE|E)(?![A-Za-z])|[Gg]ig(?= (?:NIC|network|Ethernet|port)))"
    rf"|(?P<data>(?:{_DATA_WORD}|{_DATA_SHORT}))"
    rf"|(?P<time>{_TIME_PATTERN})"
    r"|(?P<percent>%|‰|percentage points?|percent|per cent|个?百分点|割(?![りれ引合])|成(?![本功为立果员]))"
    r"|(?P<many>[x×*] ?(?:(?:NVIDIA|AMD|Intel|AWS|Nvidia) )?(?:[HABVLP]\d{2,3}[A-Za-z]*|G[HB]\d{3}|MI\d{3}\w*"
    r"|RTX \w+|GPUs?|(?:昇腾|Ascend)(?: ?\d+\w*)?|910[BC]|昆仑芯?(?: ?[A-Z]\d+)?|寒武纪|Trainium\d?|Gaudi ?\d?"
    r"|TPU\w*)(?![A-Za-z0-9]))"
    r"|(?P<ratio>倍|-fold|×(?! ?(?:\d|G(?:b?E|bps)))|x(?![A-Za-z0-9])(?! ?\d)|times(?= (?:faster|more|higher|lower|as|the|better)))"
    r"|(?P<accel>(?:张|颗|块|枚|片|个)? ?(?:(?:国产|高端|自研|英伟达|海光|寒武纪|昆仑芯?|旗舰|AI|NVIDIA|AMD"
    r"|智算|训练|推理|SXM\d?|PCIe|OAM) ?){0,3}(?:加速卡|加速器|智算卡|算力卡|AI ?芯片|昇腾(?: ?[GN]PU)?|GPU卡"
    r"|(?:[GNX]PU)(?!s| (?:SKU|model|type|flavou?r)s)|卡(?!型|顿|时|槽|片机)|显卡)|张(?=GPU|加速)|[张块颗枚片](?= ?(?:(?:NVIDIA|英伟达"
    r"|AMD) ?)?(?:[HABVL]\d{2,3}|MI\d{3}|G[BH]\d{3}|P800|RTX|T4|昆仑|910|[45]090)(?!\d))|枚规模|枚(?=规模)|基の?GPU|チップ(?!あたり|セット)|基(?=まで|规模"
    r"|。|を|の|搭)"
    r"|(?:[A-Z][\w-]* ){0,4}(?:GPU|accelerator|chip|[NTX]PU)s?(?![A-Za-z])(?! (?:SKU|model|type|flavou?r)s)"
    r"|[HABV]\d{2,3}s?(?![A-Za-z0-9])|颗(?=昇腾)|(?:AI )?chips|(?:(?!ConnectX|BlueField|Mellanox|Ethernet|InfiniBand"
    r"|NIC|PCIe|RDMA|SSD)[A-Z][\w-]* ){0,3}cards?(?![A-Za-z]))"
    r"|(?P<files>个?(?:小)?(?:文件|档案)(?!系统|存储|夹)|files?(?![ -]?systems?|[A-Za-z]))"
    r"|(?P<clients>(?:个|台)?(?:并发)?(?:客户端|用户端|挂载点|挂载节点)|(?:concurrent )?(?:clients?|mounts)(?![A-Za-z]))"
    r"|(?P<models>[个款]?(?:主流|开源|第三方)?大?模型|(?:[a-z-]+ ){0,2}models?(?![A-Za-z]))"
    r"|(?P<skus>款(?:卡型|GPU|机型)?|种 ?(?:卡型|GPU|加速卡|算力规格|GPU ?规格)|可选卡型"
    r"|(?:(?:GPU|accelerator|chip) )?(?:SKU|flavou?r)s(?![A-Za-z])|(?:GPU|accelerator|chip) (?:model|type)s(?![A-Za-z]))"
    r"|(?P<cpu>颗 ?(?:鲲鹏|CPU)|v?CPUs?(?![A-Za-z]))"
    r"|(?P<money>亿?(?:元|人民币)|块(?=多|钱)钱?|美元|ドル|欧元|CNY|RMB|USD|EUR|€)"
    r"|(?P<truncated>[TG](?:(?=RDMA|RoCE|InfiniBand)|(?![A-Za-z0-9_+]|-[A-Za-z])))"
    r"|(?P<count>个9|nines|个(?!性|人|月|小)|条(?!件)|台|套|次(?!之)|篇|项|参数|characters|nodes?(?![A-Za-z])|servers?(?![A-Za-z])))"
)
_UNIT = re.compile(UNIT_PATTERN)
_NAMED = re.compile(r"(?!GPU|NPU|XPU|TPU)[A-Z]")


def unit_at(text: str, position: int) -> tuple[Unit, int] | None:
    """The unit that begins at `position` of a folded text, with its end; None where there is none."""
    match = _UNIT.match(text, position)
    if match is None or match.lastgroup is None:
        return None
    group, written = match.lastgroup, match.group()
    end = match.end()
    if group == "accel" and _NAMED.match(written) and text[position - 1 : position].isalnum():
        return None  # 910C NPU: the digits belong to the name
    following = text[end : end + 1]
    wordy = written[-1].isascii() and written[-1].isalpha() and following.isascii() and following.isalnum()
    # Inline elements glue words together: /s before a capital (3.2 Tbit/sInfiniBand) is whole.
    glued = written.endswith("/s") and following.isupper()
    if wordy and not glued and group not in ("ops", "accel", "skus", "truncated"):
        return None  # 5Mx, GB200: a word, not a unit
    return _unit(group, written), end


@lru_cache(maxsize=4096)
def _unit(group: str, written: str) -> Unit:
    builder = _BUILDERS.get(group)
    if builder is not None:
        return builder(written)
    dimension, noun = _COUNTS[group]
    return Unit(dimension, Decimal(1), noun=noun or written.strip())


def _data_part(written: str) -> tuple[Decimal, bool]:
    """(factor to the unit without prefix, whether bytes) of kB, Gbit, TiB, terabits."""
    lowered = written.lower()
    for word, letter in _WORDS.items():
        if lowered.startswith(word):
            return Decimal(1000) ** _DECIMAL[letter], "byte" in lowered or "バイト" in lowered
    match = re.match(r"([kKMGTPEgmt]?)(i?)(bits?|Bits?|[Bb]ytes?|b|B|o)", written)  # o: octet, a byte
    if match is None:  # pragma: no cover - the caller matched UNIT_PATTERN
        raise ValueError(f"{written!r} is no data unit")
    base = Decimal(1024) if match[2] else Decimal(1000)
    return base ** _DECIMAL[match[1]], match[3].lower().startswith("byte") or match[3] in ("B", "o")


def _rate(written: str) -> Unit:
    factor, is_bytes = _data_part(written)
    return Unit(Dimension.DATA_RATE, factor * (8 if is_bytes else 1), bytes_written=is_bytes)


def _density(written: str) -> Unit:
    factor, is_bytes = _data_part(written)
    per = re.search(r"([TGP]i?B)$", written)
    name = per[1] if per else "TiB"
    return Unit(
        Dimension.RATE_DENSITY,
        factor * (Decimal(1) if is_bytes else Decimal("0.125")) * _TIB_IN[name],
        bytes_written=is_bytes,
        binary_denominator="i" in name,
    )


def _ops_density(written: str) -> Unit:
    name = written[-3:] if written[-2] == "i" else written[-2:]
    return Unit(Dimension.OPS_DENSITY, _TIB_IN[name], binary_denominator="i" in name)


def _data(written: str) -> Unit:
    factor, is_bytes = _data_part(written)
    return Unit(Dimension.DATA, factor if is_bytes else factor / 8, bytes_written=is_bytes)


def _ops(written: str) -> Unit:
    letter = written[0] if re.fullmatch(r"[Mk]pps", written) else ""
    return Unit(Dimension.OPS, Decimal(1000) ** _DECIMAL[letter])


def _flops(written: str) -> Unit:
    return Unit(Dimension.FLOPS, Decimal(1000) ** _DECIMAL[written[0]])


def _time(written: str) -> Unit:
    return Unit(Dimension.TIME, _TIMES[written])


def _percent(written: str) -> Unit:
    return Unit(Dimension.FRACTION, Decimal({"‰": "0.001", "成": "0.1", "割": "0.1"}.get(written, "0.01")))


def _money(written: str) -> Unit:
    scale = Decimal(10) ** 8 if written.startswith("亿") else Decimal(1)
    name = written.removeprefix("亿")
    currency = {"美元": "USD", "ドル": "USD", "USD": "USD", "欧元": "EUR", "EUR": "EUR", "€": "EUR"}.get(
        name, "CNY"
    )
    return Unit(Dimension.MONEY, scale, currency=currency)


def _truncated(written: str) -> Unit:
    return Unit(Dimension.TRUNCATED, Decimal(1000) ** _DECIMAL[written])


def _ethernet(written: str) -> Unit:
    return Unit(Dimension.DATA_RATE, Decimal(10) ** 9, bytes_written=False, noun=written)


_BUILDERS: dict[str, Callable[[str], Unit]] = {
    "density": _density,
    "rate": _rate,
    "opsdensity": _ops_density,
    "ops": _ops,
    "flops": _flops,
    "data": _data,
    "time": _time,
    "percent": _percent,
    "money": _money,
    "truncated": _truncated,
    "ethernet": _ethernet,
}
_COUNTS: dict[str, tuple[Dimension, str]] = {
    "many": (Dimension.ACCELERATORS, "accelerator"),
    "tokens": (Dimension.TOKENS, "token"),
    "ratio": (Dimension.RATIO, "times"),
    "accel": (Dimension.ACCELERATORS, "accelerator"),
    "files": (Dimension.FILES, "file"),
    "clients": (Dimension.CLIENTS, "client"),
    "skus": (Dimension.SKUS, "sku"),
    "models": (Dimension.MODELS, "model"),
    "cpu": (Dimension.COUNT, "CPU"),
    "count": (Dimension.COUNT, ""),
}
CURRENCY_SIGNS = {
    "$": "USD",
    "US$": "USD",
    "USD": "USD",
    "¥": "CNY",
    "CNY": "CNY",
    "RMB": "CNY",
    "€": "EUR",
    "EUR": "EUR",
}
