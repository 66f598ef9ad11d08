"""The words that raise or answer a flag, by kind: on request, credited to others, terms of service, classes of fault."""

from __future__ import annotations

import re


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


ON_REQUEST = _any(
    # a ticket, an application, somebody's consent
    r"工单|申请(?:后)?(?:开通|开放|试用|使用|体验|获取|提额|提升|扩容|调整)|(?:需|须|可|请|要|提交|先)[^,，。;；]{0,8}申请|(?:经|需|通过)[^,，。;；]{0,6}审批",
    r"(?:找|联系|咨询)[^,，。;；]{0,6}(?:客户经理|销售|商务|架构师)(?!(?:人员)?(?:确认|了解|咨询|获取报价))|预约(?:开通|体验|交付)|按需定制|商务洽谈",
    r"(?:by|through|with|via|raise|open|file|submit|requires?|needs?) (?:an? )?(?:support )?ticket|a ticket|lewat tiket|チケット|要?申請",
    r"(?:up)?on request|by (?:special )?request|apply for|(?:subject to|requires?|needs?|after|upon|with) (?:\w+ )?approval",
    r"(?:contact|talk to|speak (?:to|with)|call|reach out to|through|via|ask) (?:our |your |the )?(?:account (?:team|manager|rep\w*)|sales|TAM)|お問い合わせ",
    # a circle of those admitted
    r"邀测|受邀|定向(?:邀请|开放)|邀请制|白名单|内测|灰度(?:开放|发布)?|仅对?部分(?:客户|用户)|(?<!无)需要?排队",
    r"invit(?:ation|ed|e-only)|allow-?list|whitelist|wait-?(?:ing )?list|招待制",
    r"(?:private|limited|closed|gated) (?:preview|beta|access|availability)|early[- ]access|select(?:ed)? customers",
)
FOR_MORE = _any(
    r"更[大高多]|以上的?(?:容量|规模|部分|需求|用量|数量|带宽)|超过(?:此|该|上述)|超出(?:部分|此|该)?|紧急|加急|特殊(?:需求|规格)|urgent|expedite",
    r"larger|bigger|greater|above that|higher|more than|beyond|raise|increase",
)
TABLE_ON_REQUEST = _any(
    r"(?:表中|上表|下表|表内|上述|以上|the (?:table|figures|limits) above|these (?:limits|ceilings|figures))[^。;；\n]{0,20}"
    r"(?:工单|申请|白名单|邀测|ticket|on request|allow-?list)",
)

CREDITED = _any(
    r"(?:公开)?论文(?=[^,，。;；]{0,8}(?:给出|报告|称|中|显示|数据|提到|披露|的))|报道|有公开分析|媒体(?:披露|称|援引|消息|爆料)|业内(?:人士|消息)|坊间|传闻|网传|知情人",
    r"(?<![数依证根])据(?!(?:我们|我司|本平台|自研|本|内部|自有|自测|实测|上|下|此|该表)|[^,，。;；]{0,8}(?:内部|自测|自己))(?=[^库此点量集中]{2,12}?(?:统计|测算|报告|估算|介绍|消息|透露|披露|发布|数据|分析|研究|评测|测试|显示|称|，|,))",
    r"(?:援引|转引|引述|引自|转述|转载)|第三方(?:机构|测试|评测|报告)|(?:友商|客户|用户|网友|博主)(?:反馈|称|表示|透露|自述|的博客)",
    r"Omdia|麦肯锡|沙利文|信通院|赛迪|Gartner|\bIDC\b|McKinsey|SemiAnalysis|Forrester|Reuters|Bloomberg|路透|彭博|财新",
    r"they (?:report|say|claim|quote)|according to (?!our|us\b|the (?:\w+ )?(?:table|agreement|SLA|contract|docs?|documentation|datasheet)|internal)",
    r"as (?:reported|measured|quoted|published|claimed|told|noted) (?:by|in) (?!us\b|our)|(?:reported|quoted|cited|published) by (?!us\b|our)",
    r"\b(?:paper|study|report|blog|article|post|press release|analyst|analysts|press|media|reporters?)(?:'s [\w ]{1,16})?"
    r" (?:puts? it|says?|said|reports?|reported|states?|claims?|claimed|estimates?|estimated|quotes?|mentions?|gives?|found|writes)\b",
    r"(?:reported|reportedly|allegedly|rumou?red|it is said)\b(?! (?:by us|monthly|daily|to|in the console))",
    r"(?-i:\b(?!We |Our |This |That |It |The |Page |Table |Section |Which |What |Who )[A-Z]\w+ (?:reports?|says?|claims?|states?) that\b)|\bputs (?:its|their) ",
    r"estimates? (?:by|from)|I (?:read|saw|think|heard)|\bcit(?:es|ing)\b|quoting|によると|によれば",
)

SLA_PERIOD = _any(
    r"每?月(?:度)?|每?年(?:度)?|季度?|(?:服务|计费|结算|统计)周期|自然[月年]|月间|月間|年間",
    r"monthly|annual(?:ly)?|yearly|quarterly|(?:billing|service) (?:cycle|period|month)",
    r"(?:per|a|every|each|calendar|in any|over a) (?:\w+ )?(?:month|quarter|year|cycle|period)",
    r"Monat|mensuel|Jahresmittel|pro Jahr",
)
SLA_TERMS = _any(
    r"赔付|赔偿|补偿|抵扣|代金券|减免|退还|返还|免责|不计入|不包括|除外|排除|维护(?:窗口|时间|时段)|计划内",
    r"\bcredit(?:s|ed)?\b|refund|compensat|remed(?:y|ies)|penalt|not? count|exclud|exclus|exempt|maintenance|planned|scheduled",
    r"Gutschrift|hors maintenance|Wartung|返金|賠償|補償|赔",
)
OTHER_TERMS = _any(
    r"另行(?:约定|规定|说明)|单独的?(?:标准|条款|约定)|separate (?:terms|agreement|standard)",
)
TARGET = _any(r"objective|target|goal|目标|仅供参考")

_THINGS = (
    r"服务器|物理机|宿主机|主机|机器|节点|整机|整柜|机柜|机架|机房|可用区|网卡|网络|光模块|光纤|线缆|电缆|链路|端口|硬件|软件|进程|容器|Pod|实例|虚拟机"
    r"|单机|单点|板卡|交换机|电源|供电|磁盘|硬盘|内存|显存|存储|风扇|散热|驱动|通信"
)
_BREAKS = r"宕机|故障|异常|掉线|失效|损坏|坏|断电|掉电|掉卡|下线|重启|崩溃|死机|卡死|挂死|挂起|中断|劣化|降速|失联|闪断|断连|过热|告警|问题|错误|报错"
_PARTS = (
    r"GPU|NPU|card|accelerator|host|node|server|machine|instance|VM|rack|zone|NIC|HCA|link|cable|switch|port|optic\w*|transceiver|disk|drive|SSD|PSU|power(?: supply)?"
    r"|fan|hardware|software|process|worker|rank|pod|container|network|fabric|storage|memory|HBM|DRAM|ECC|Xid|driver|kernel"
)
FAULT_CLASS = _any(
    rf"(?:{_THINGS})(?:级|类|发生|出现|突发)?的?(?:{_BREAKS})",
    # "GPU fault" alone names what heals itself, not the class of fault; a card that is lost or broken does.
    r"(?:GPU|NPU|显卡|加速卡|单卡|卡)(?:发生|出现|突发)?的?(?:损坏|坏|失效|掉线|掉电|异常|卡死|挂死|失联|过热|降速|宕机|重启)",
    rf"(?:故障|坏|慢|异常|失联)(?:的)?(?:{_THINGS}|机|卡|盘)|掉卡|掉电|断电|断[链线](?:重连)?|网卡断[線连連]|闪断",
    r"Xid|静默(?:错误|数据)|训练(?:挂起|卡死|hang)|(?:显存|内存)(?:溢出|错误)|OOM|NCCL ?(?:超时|错误)",
    rf"(?:degraded|slow|stuck|flapping|failed|faulty|bad|dead|lost|broken|failing|crashed|hung|unhealthy|uncorrectable|evicted) (?:NVLink|(?:{_PARTS})s?\b)",
    rf"(?:{_PARTS})s?\b[^.;,]{{0,16}}\b(?:died|dies|broke|breaks|fell|falls|fails?|failed|crash(?:es|ed)?|hangs?|hung"
    r"|goes down|went down|drops?|disappears?|reboots?|overheats?|loses?|lost)\b",
    rf"\b(?:{_PARTS})(?: (?:fault|failure|error|crash|outage|down|loss|hang|drop|reboot|flap|eviction|preemption))s?\b",
    rf"(?:loss|failure|death|crash|outage) of (?:an? |one |the )?(?:single )?(?:{_PARTS})|of a (?:{_PARTS})\b",
    r"(?:drops?|falls?|fell|fallen) off the bus|ECC error|link flap|goes dark|hang detector",
    r"out[- ]of[- ]memory|silent data|time-?outs? of NCCL|NCCL (?:time-?out|error|hang)",
    r"(?:GPU|ノード|サーバー|リンク|ディスク)の(?:故障|障害)|エラー|の故障|[Aa]usgefallene|[Dd]efekte",
)
FAULT_TYPES = _any(r"故障(?:类型|类别|场景|对象)|(?:fault|failure) (?:class|type|scenario)")
