"""Which mentions are no claims: what a buyer asks, how large one run was, what somebody lacks, plain chrome."""

from __future__ import annotations

import re
from functools import lru_cache

from extractors.mention import Mention
from extractors.scale import SCALE_OF
from extractors.scopes import Surroundings
from extractors.units import Dimension
from schemas.document import BlockKind
from schemas.quantity import Bound

_SCALE_BEFORE = re.compile(
    r"(?:在|申请|使用|从|(?<!达)到|至|(?<![不少低大高多小])于|推到|跨过|(?<!不)(?<!不得)(?<!不会)(?<!不能)(?<!不应)(?<!不可)超过|trained \w+ \w+ \w+ on"
    r"|(?<!each )\bon|(?<!starts )\bat|(?:runs?|jobs?) (?:grew|scaled|grow|scale) (?:up )?to"
    r"|(?:runs?|jobs?) of|(?:that|[,:]|^)\s?with|(?:all-?reduce|collectives?|jobs?|runs?|train(?:ed|ing)) over|bring(?:s|ing)? up"
    r"|(?:on|across|with|at) (?:a|one|an?) (?:\w+ ){0,2}(?:cluster|run|job|system) of) ?$",
    re.IGNORECASE,
)
_BUYER = re.compile(
    r"(?<![需须可交经])申请(?=[^,，。;；]{0,8}\d)|选型|优先(?:看|评估|选)|采购|你的|我们?建议|要求提供|招标|索取|应该|预算|可以先|如果|若你|for example, a|e\.g\."
    r"|[Aa] (?:team|lab|startup|company|customer|buyer) (?:with|that)"
)
_FEW_CARDS = re.compile(r"(?:搭载|配备|支持|内置|每台|单机|集成|配置) ?$")
_FORMER = re.compile(
    r"^[^。;；]{0,12}(?:缩短|降低|降至|降到|减少|压缩|减至|かかっていた|to (?:just|under|only)|down to)"
)
_FORMER_BEFORE = re.compile(r"(?:从|由|from) ?(?:平均)?$", re.IGNORECASE)
_SUPPLY = re.compile(
    r"支持|上线|提供|推出|具备|达到|可达|给出|写(?:的是|到|了)|组网|公开|做到|扩展|交付能力|offer|support|provid|scale|grow|reach",
    re.IGNORECASE,
)
_OF_SIZE = re.compile(
    r"[- ]?(?:cluster|fabric|job|run|pod|deployment|system)?s? (?:keeps?|comes?|boots?|starts?|takes?|is ready|are ready|delivers?|sustains?"
    r"|holds?|runs?|is up|are up|gets?|goes|go|reach(?:es|ed)? \d+ ?%)\b",
    re.IGNORECASE,
)
_SIZED = re.compile(
    r"(?:clusters?|jobs?|runs?|pods?|deployments?) (?:of|with|above|over|beyond) $", re.IGNORECASE
)
_PART_OF = re.compile(r"(?:the (?:first|last|next)|sample(?: of|:)?|样本[:：为]?|前) ?$", re.IGNORECASE)
_A_CARD = re.compile(r"(?:一|单) ?[张块颗] ?(?:GPU|NPU|卡|显卡)")
_RATIO_BEFORE = re.compile(r"(?:^|[^\w.])\d{1,3} ?[:：] ?$")
_MANY = 64
_ON_A = re.compile(r"\b(?:on|in|across|of|for) (?:a|an|the|that|this|our)(?: single| one)? ?$", re.IGNORECASE)
_BEHIND_A_FIGURE = re.compile(
    r"(?:\d ?(?:%|‰|秒|分钟|小时|天|倍|[μumn]?s|min|h|hours?|minutes?|seconds?|[KMGT]i?B/s|[GT]bps)) ?[(（][^()（）]{0,30}$"
)
_CJK_COUNT = re.compile(r"^[一二两三四五六七八九十]")
_CHOICE = re.compile(
    r"\b(?:[Ss]cale|[Gg]row|[Ss]tretch|[Ee]xpand)s? (?:an? |one |the |your )?(?:single )?(?:\w+ )?(?:cluster"
    r"|fabric|pod)s? from|支持|可选|range|提供|offer|规模为?",
    re.IGNORECASE,
)
_OFFERED = re.compile(r"(?:单一?集群|最大で?|最多可?(?:用|调度|支持)|可扩展(?:到|至)|规模达) ?$")
_NOT_A_LIMIT = re.compile(r"^ ?并发(?:的)?(?:场景|下|时|压测|测试|访问)")
_PITCH = re.compile(
    r"cookie|min(?:ute)?s? (?:to )?read\b|min(?:ute)? read\b|reading time|阅读(?:时间|时长|需)|sponsored|赞助|广告|招标|\bRFP\b|\btender\b",
    re.IGNORECASE,
)
_OUTDATED = re.compile(
    r"(?:\bformer(?:ly)?|\bpreviously|\bno longer|\bused to\b|\bup from|\bdown from|\binstead of|\brather than|此前|原先|旧版|曾经?"
    r"|(?<![较比])(?<!相比)(?<!对比)(?:过去|以前|(?:原来|原本)(?!的)|改造前|升级前|优化前)(?:(?!现在|如今|目前|今年|改|降|缩|后)[^。;；]){0,30}$)"
    r"[^。;；,，]{0,30}$",
    re.IGNORECASE,
)
_OLD_COLUMN = re.compile(
    r"^ ?(?:旧值|原值|原|变更前|调整前|修改前|升级前|优化前|上一代|before|old(?: value)?|previous(?:ly)?|was|prior|former)\s*$",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"^ ?(?:(?:其他|其它|相关|同类|更多|热门|猜你)[^,，。]{0,6}(?:产品|推荐|服务|阅读|文章|内容|喜欢|SLA)"
    r"|推荐(?:产品|阅读)|延伸阅读|最新消息|最新动态|新闻动态"
    r"|(?:related|other|more|similar|popular|recommended|featured|latest) (?:\w+ )?(?:products?|services?|reading"
    r"|articles?|posts?|offers?|news|resources?|links?|solutions?)"
    r"|also from|popular now|trending|you (?:may|might) also (?:like|need)|see also|from our blog|customers? also"
    r"|explore (?:more|also)|関連(?:製品|サービス|記事)|その他の(?:製品|サービス)|相关 ?Related|Related ?相关"
    r"|Related)\b",
    re.IGNORECASE,
)
_ADVERTISES = re.compile(
    r"\W*(?:(?:相关|更多|热门|其他)(?:推荐|产品|阅读|文章|服务)|猜你喜欢|推荐(?:阅读|产品)|related (?:products?|reading|articles?|services?)"
    r"|see also|you may also like|関連(?:製品|サービス|記事)) ?[:：]",
    re.IGNORECASE,
)
_SETUP = re.compile(
    r"^\W*(?:[\d.]+ ?)?(?:(?:测试|实验|压测|评测)?环境(?:说明|配置)?|(?:test|benchmark|lab) ?(?:set-?up"
    r"|environment|bed|rig)|environment|(?:our )?set-?up)\s*$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:没有|没给|未(?:给出|披露|写)|不能(?:推出)?|不足以|无法|without any|no (?:published|public))[^,，。;；\s]{0,16}$"
)
_QUESTION = re.compile(r"还是|是否|哪个|多少|[?？]$|是指")
_VERSION = re.compile(
    r"(?:v|V|Xid|XID|错误码|版本|version|release|edition|Rev\.?|CUDA|Driver|驱动|内核|fio|Kubernetes|CSI|NFS|API|SDK|Ubuntu|CentOS) ?$"
)
_SCORE_CONTEXT = re.compile(
    r"得分|评分|权重|\d ?分(?!钟)|分差|(?<!时长)(?<!时间)(?<!训练)(?<!耗时)(?<!开销)(?<!通信)(?<!AllReduce)占比|同比"
    r"|\b(?:analysts?|market)\b|市场|营收|收入|CAGR|复合增长"
)


# What looks like a product's figure and is none, by the kind of unit it has: words beside it or over it.
_DISTRACTIONS: dict[Dimension, re.Pattern[str]] = {
    Dimension.DATA_RATE: re.compile(
        r"免费|赠送|(?:显存|内存|HBM\w*)(?:总)?(?:带宽|频宽|速率)|(?:memory|HBM\w*|DRAM|VRAM) bandwidth|メモリ帯域|\bbus[- ]?(?:bandwidth"
        r"|bw)\b(?! utili)|\balg(?:orithm)?[- ]?(?:bandwidth|bw)\b|总线带宽(?!利用)|算法带宽"
        r"|DDoS|高防|清洗|(?:告警|报警)(?:阈值|条件|规则)|alarm|alert (?:when|if|at|threshold)|threshold|阈值|[a-z]+_[a-z_]+ ?[<>=]",
        re.IGNORECASE,
    ),
    Dimension.TIME: re.compile(
        r"备份|backup|退订|退还|提出(?:赔偿)?申请|赔偿申请|申请赔偿|索赔|claims? must|到账|发票|开票|包年享|优惠"
        r"|续费|起租|租期|赠送|合同期|合约期|回收站|recycle|快照保留|数据盘|云盘.{0,6}保留|(?:首次)?响应(?:时间"
        r"|时限)?|(?:出具|提交|发布|给出)[^,，。;；]{0,6}(?:报告|复盘)"
        r"|post-?mortem|incident report|first (?:answer|response|reply)|response time|support (?:hours|ticket)"
        r"|free trial|试用|有效期|保修|质保|warranty"
        r"|自然日|审核(?!通过后?)|审批|受理|计为(?:故障|不可用)|连续[^,，。;；]{0,12}(?:无法|不可)|将?(?:发送|触发|产生)(?:告警|报警)|min(?:ute)?s?[- ]read"
        r"|notice period|(?:seconds?|minutes?|days?|hours?|weeks?)['’]? notice|notice of|提前 ?$|提前(?=\d)|cookies?|session|令牌"
        r"|token (?:expires|lifetime)|账单|invoice|退款|refund|计费周期|billing (?:period|cycle)",
        re.IGNORECASE,
    ),
    Dimension.DATA: re.compile(
        r"(?:粒度(?:为|是|可?达|小至|细至)?|\b(?:chunk|stripe|block|object|file(?! ?system)|message|shard|sample|packet)s?\b(?: size)?|buffers?|条带|分片"
        r"|块大小|单个?(?:文件(?!系统)|对象)|小文件|消息)[^,，。;；]{0,14}$"
        r"|^[- ]?Bl[öo]ck|^ ?(?:chunk|stripe|block|object|file|message|shard|packet|buffer)s?\b(?! ?system)"
        r"|^ ?(?:的)?(?:小文件|数据块|分片|消息|对象|权重|检查点|模型)",
        re.IGNORECASE,
    ),
}
_IN_BRACKETS = re.compile(r"[(（\[][^()（）\[\]]{0,24}$")


_STATISTICS = re.compile(r"^ ?(?:的|内|间)?(?:统计|观察|数据|均值|抽样)|^ ?(?:里|期间|内共)")
_TIME_TO_ASK = re.compile(
    r" ?(?:之)?内[^,，。;；\d]{0,4}(?:申请|申報|申报|提出|提交|反馈|书面|续期|支付|付款|确认|退订)(?!后)"
)
_OTHER_MONEY = re.compile(
    r"(?:新?台币|港[币元]?|澳门?[币元]|日[币元]|新加坡[币元]|新币|韩[币元]|加[币元]|NTD|TWD|HKD) ?$"
)
_SIZE_COLUMN = re.compile(
    r"(?:message|block|chunk|I/?O|object|file|transfer|request|payload|packet|buffer)s? ?size|(?:消息|报文"
    r"|块|文件|对象|传输|请求|数据包)(?:大小|长度|尺寸)|メッセージサイズ",
    re.IGNORECASE,
)


def _distracts(mention: Mention, around: Surroundings) -> bool:
    pattern = _DISTRACTIONS.get(mention.dimension)
    if pattern is None:
        return False
    if mention.dimension is Dimension.DATA:
        sizes = _SIZE_COLUMN.search(around.text_of("column", "row")) is not None
        return sizes or bool(pattern.search(around.before[-24:]) or pattern.search(around.after[:16]))
    return pattern.search(around.text_of("segment", "column", "row", "label")) is not None


def is_claimable(mention: Mention, around: Surroundings, *, article: bool) -> bool:
    """False where the number states nothing of a product."""
    if (
        around.block.chrome
        or around.asks
        or _is_elsewhere(around)
        or _ADVERTISES.match(around.sentence)
        or _is_old(mention, around)
    ):
        return False
    if _PITCH.search(around.sentence) or _NOT_A_LIMIT.match(around.after):
        return False
    if _NEGATED.search(around.before[-40:]) or _VERSION.search(around.before[-12:]):
        return False
    if mention.dimension is Dimension.RATE_DENSITY and _TIER_NAME.match(around.after):
        return False  # the 500 MB/s/TiB tier's read bandwidth
    if _EQUALS_AFTER.match(around.after) or _EQUALS_BEFORE.search(around.before[-16:]):
        return False  # 1 GiB/s = 1024 MiB/s
    if _distracts(mention, around) or _PARAMETER.search(around.before[-16:]):
        return False
    if mention.dimension is Dimension.DATA_RATE and _NEEDS.search(around.before[-24:]):
        return False  # what the buyer's machine must have
    if mention.dimension in _COUNTS and mention.low is not None and mention.low % 1:
        return False
    if mention.dimension is Dimension.FRACTION and _FORMER_SHARE.search(around.before[-14:]):
        return _THEN_ROSE.match(around.after) is None
    if mention.dimension is Dimension.TIME:
        return not (_is_former(around) or _STATISTICS.match(around.after) or _TIME_TO_ASK.match(around.after))
    if mention.dimension is Dimension.MONEY and _OTHER_MONEY.search(around.before[-12:]):
        return False  # 新台币 135 元: the unit's word is shared, the money is not
    return mention.dimension is not Dimension.ACCELERATORS or _is_held(mention, around, article=article)


def _is_elsewhere(around: Surroundings) -> bool:
    """Whether the section is about other products or news, or says on what was measured."""
    return any(_leads_away(heading) for heading in around.block.headings[-1:])


@lru_cache(maxsize=1024)
def _leads_away(heading: str) -> bool:
    return _ELSEWHERE.search(heading) is not None or _SETUP.search(heading) is not None


def _is_old(mention: Mention, around: Surroundings) -> bool:
    """Whether the figure is what was, by the words before it or the column it stands in."""
    if _OLD_COLUMN.search(around.text_of("column").split("\n")[0]):
        return True
    relative = mention.dimension in (Dimension.RATIO, Dimension.FRACTION)
    compared = relative and around.before.rstrip().endswith("的")  # 原来的 5 倍
    return _OUTDATED.search(around.before[-40:]) is not None and not compared


_ANY = re.compile(r"(?:任意|任何|两两|\bany) ?$", re.IGNORECASE)
_FOR_EACH = re.compile(r" ?(?:あたり|当たり|につき)")
_RESULTS = re.compile(
    r"\bMFU\b|efficien|goodput|speed-?up|scaling|线性|加速比|扩展效率|吞吐|利用率|耗时", re.IGNORECASE
)
_SCALE_COLUMN = re.compile(
    r"(?:number of )?(?:GPUs?|accelerators?|cards|卡数|GPU ?数量?|规模|加速卡数?|规模 ?[(（]卡[)）])",
    re.IGNORECASE,
)
_FRACTION_OF = re.compile(r"(?:粒度|切分|切片|细至|fraction|slice)[^\d]{0,12}(?:1 ?)?/")
_TIER_NAME = re.compile(r" ?[型档](?:的|替换)")
_EQUALS_AFTER = re.compile(r" ?= ?\d[\d,.]* ?[kKMGTPE]i?[Bb]")
_EQUALS_BEFORE = re.compile(r"(?<!\d)1 ?[kKMGTPE]i?[Bb](?:/s|ps)? ?= ?$")
_PARAMETER = re.compile(
    r"[A-Za-z_]\w*=$|(?:内核|驱动|固件|\b(?:kernel|driver|firmware)\b)[^\d,，。;；]{0,6}$", re.IGNORECASE
)
_NEEDS = re.compile(r"(?:需要|要求|requires?|needs?) ?[^\d,，。;；]{0,14}$", re.IGNORECASE)
_FORMER_SHARE = re.compile(r"(?:从|由)[^,，。;；\d]{0,10}$|\bfrom $", re.IGNORECASE)
_THEN_ROSE = re.compile(r"^ ?(?:提高|提升|上升|升|增|涨|降|下降|缩|跌|to |up to )")
_COUNTS = frozenset({Dimension.FILES, Dimension.CLIENTS, Dimension.MODELS, Dimension.SKUS})
_COMPARED = re.compile(
    r"(?:versus|vs\.?|\bthan|against|compared (?:with|to)|classic|较|相比|对比)[^.;。；,，]{0,16}$",
    re.IGNORECASE,
)


def _is_held(mention: Mention, around: Surroundings, *, article: bool) -> bool:
    """Whether a number of accelerators is what a machine or a cluster has or can have."""
    if (
        around.block.cell is not None
        and _RESULTS.search(around.top)
        and _SCALE_COLUMN.fullmatch(around.text_of("column").split("\n")[0].strip())
    ):
        return False  # a table of results by number of cards
    if _FRACTION_OF.search(around.before[-20:] + around.after[:8]):
        return False  # 1/8 卡
    if mention.low is not None and (mention.low < 1 or mention.low != mention.low.to_integral_value()):
        return False
    words = around.sentence[mention.start - around.sentence_start : mention.end - around.sentence_start]
    if words.lower().startswith("one ") or _A_CARD.match(words) or _COMPARED.search(around.before[-28:]):
        return False  # "one GPU" is a way of speaking
    if _ANY.search(around.before[-8:]) or _FOR_EACH.match(around.after):
        return False  # between any two cards; 1 GPU あたり
    if around.block.kind is BlockKind.CAPTION:
        return False  # a table's caption gives the scale of what it shows
    few = article and _CJK_COUNT.match(words) and (mention.low or 0) < 100
    if few and not _FEW_CARDS.search(around.before):
        return False  # in an article 八卡整机 names a kind of machine
    if _RATIO_BEFORE.search(around.before[-6:]):
        return False  # 1:1 GPU to NIC
    opens = not around.before.strip() and around.block.cell is None
    if mention.bound is Bound.RANGE and not opens and not _CHOICE.search(around.before[-40:]):
        return False  # 8 to 1,024 GPUs is how far something was scaled, or what a buyer has
    return not is_scale(mention, around)


def _is_former(around: Surroundings) -> bool:
    """Whether the figure is what something was before (从数周缩短至 72 小时)."""
    from_here = _FORMER_BEFORE.search(around.before[-8:]) is not None
    return (from_here and _FORMER.match(around.after) is not None) or around.after.startswith("かかっていた")


def is_supplied(mention: Mention, around: Surroundings, *, vendor_known: bool) -> bool:
    """In an article about no one vendor: whether somebody offers this, or it is only talked about."""
    if _BUYER.search(around.sentence) or _QUESTION.search(around.sentence):
        return False
    loose = mention.bound in (Bound.ORDER_OF_MAGNITUDE, Bound.RANGE)
    if mention.dimension is Dimension.ACCELERATORS and (loose or not vendor_known):
        told = around.block.cell is not None and vendor_known  # a table of vendors states what each offers
        return told or _SUPPLY.search(around.sentence) is not None or bool(around.text_of("flat"))
    return True


def is_scale(mention: Mention, around: Surroundings) -> bool:
    """Whether a number of accelerators only says at which size something else was true or is wanted."""
    if _BEHIND_A_FIGURE.search(around.before[-48:]) and re.match(r"[^()（）]{0,24}[)）]", around.after):
        return True  # 0.8 秒（MoE 236B，1,024 卡）
    if _OF_SIZE.match(around.after) and (
        around.before.rstrip().endswith((" a", " an", "A", "An")) or _SIZED.search(around.before[-24:])
    ):
        return True  # a 4,096-GPU fabric keeps 1.6 Pbit/s; clusters of 1,024 GPUs come up in 25 minutes
    if _PART_OF.search(around.before[-24:]):
        return True  # no sales call for the first 32 GPUs; (sample: 512 GPUs)
    if SCALE_OF.match(around.after):
        return _OFFERED.search(around.before[-12:]) is None
    if (mention.low or 0) >= _MANY and _ON_A.search(around.before[-16:]):
        return True  # on a 2,048-GPU cluster
    if mention.bound is not Bound.AT_MOST and _SCALE_BEFORE.search(around.before[-40:]) and not mention.level:
        return re.search(r"(?:两层|单层|扩展|可|支持|grow|scale)", around.before[-12:]) is None
    return _BUYER.search(around.sentence) is not None or _QUESTION.search(around.sentence) is not None


def is_market_or_score(around: Surroundings) -> bool:
    """Whether the sentence is about scores, weights or markets, whose figures are no product's."""
    return _SCORE_CONTEXT.search(around.sentence) is not None
