"""Words that make a number of accelerators the scale at which something else holds, not a claim of its own."""

from __future__ import annotations

import re

# After an accelerator count: it is the scale at which something else holds, or a buyer's own size.
SCALE_OF = re.compile(
    r"^ ?(?:以上|级|及以上)?(?:的)?(?:规模)?(?:下|上|的?(?:大模型)?(?:预训练|微调|训练任务|场景)|多机|线性|并行|訓練|训练集群|训练任务"
    r"|(?:规模)?训练(?!集群)|集群(?:的)?(?:月度|年度|服务)?(?:可用性|可用率|SLA)|规模(?:的)? ?(?:MFU|算力利用率|线性|加速|训练|吞吐|通信)|集群(?:的)?(?:日均|平均"
    r"|连续|稳定|故障|训练| ?\d)|规模(?:实测|测试)"
    r"|(?:的)?(?:加速比|AllReduce|训练的|通信效率|任务)| AllReduce|集群的?平均|规模?(?:测试|实测)? ?[)）]|集群(?:交付)?(?:案例|验收)"
    r"|(?:[- ]?(?:\w+ )?(?:production|reference|customer|training|test|internal|research"
    r"|fine-tuning)[- ](?:cluster|job|run|fleet|workload)s?\b)|(?: (?:[A-Z]\w+ )?(?:job|run)s?\b)"
    r"|为例| in (?:around|about|under|less)|榜|翻倍"
    r"|量级|级?拓扑|级?规划|级?场景|级?任务|で|の|规模で|规模の|规模下|以上规模(?!组网)|以上的| at (?!most|least|best|peak|once))"
)
