"""Which mentions are no claims: what a buyer asks, how large one run was, what somebody lacks, plain chrome."""

from __future__ import annotations

import re

from extractors.quantities import Mention
from extractors.scopes import Surroundings
from extractors.units import Dimension

# After an accelerator count: it is the scale at which something else holds, or a buyer's own size.
_SCALE_OF = re.compile(
    r"^ ?(?:以上|级|及以上)?(?:的)?(?:规模)?(?:下|上|的?(?:大模型)?(?:预训练|微调|训练任务|场景)|多机|线性|并行|訓練|训练集群|训练任务"
    r"|榜|翻倍|量级|级?拓扑|级?规划|で|の|规模で|规模の|规模下|以上规模(?!组网)|以上的)"
)
_SCALE_BEFORE = re.compile(r"(?:在|申请|使用|从|到|至|于|推到|跨过|超过|trained \w+ \w+ \w+ on|(?<!each )\bon) ?$", re.IGNORECASE)
_BUYER = re.compile(r"申请|选型|优先(?:看|评估|选)|采购|你的|我们?建议|要求提供|索取|应该|预算|可以先|如果|若你|for example, a|e\.g\.")
_NEGATED = re.compile(r"(?:没有|没给|未(?:给出|披露|写)|不能(?:推出)?|不足以|无法|without any|no (?:published|public))[^,，。;；]{0,16}$")
_QUESTION = re.compile(r"还是|是否|哪个|多少|[?？]$|是指")
_VERSION = re.compile(r"(?:v|V|版本|version|release|edition|Rev\.?|CUDA|Driver|驱动|内核|fio|Kubernetes|CSI|NFS|API|SDK|Ubuntu|CentOS) ?$")
_SCORE_CONTEXT = re.compile(r"得分|评分|权重|\d ?分(?!钟)|分差|占比|同比|市场|营收|收入|CAGR|复合增长")


def is_claimable(mention: Mention, around: Surroundings) -> bool:
    """False where the number states nothing of a product."""
    if around.block.chrome:
        return False
    if _NEGATED.search(around.before[-40:]) or _VERSION.search(around.before[-12:]):
        return False
    return not (mention.dimension is Dimension.ACCELERATORS and is_scale(mention, around))


def is_scale(mention: Mention, around: Surroundings) -> bool:
    """Whether a number of accelerators only says at which size something else was true or is wanted."""
    if _SCALE_OF.match(around.after):
        return True
    if _SCALE_BEFORE.search(around.before[-16:]) and not mention.level:
        return re.search(r"(?:两层|单层|扩展|可|支持|grow|scale)", around.before[-12:]) is None
    return _BUYER.search(around.sentence) is not None or _QUESTION.search(around.sentence) is not None


def is_market_or_score(around: Surroundings) -> bool:
    """Whether the sentence is about scores, weights or markets, whose figures are no product's."""
    return _SCORE_CONTEXT.search(around.sentence) is not None
