"""Folding of characters that differ in form and not in meaning, one to one, so that every offset holds."""

from __future__ import annotations

import re

_SPACE_IN_NUMBER = "[\u00a0\u2009\u202f\u2007'’]"
_SPACE = re.compile(_SPACE_IN_NUMBER)
_GROUPED = re.compile(
    rf"(?<![A-Za-z0-9.,])\d{{1,3}}{_SPACE_IN_NUMBER}(?=\d{{3}}(?!\d))"
    rf"|(?<={_SPACE_IN_NUMBER})\d{{3}}{_SPACE_IN_NUMBER}(?=\d{{3}}(?!\d))"
)
_TRADITIONAL = (
    "萬万億亿兩两數数幾几張张顆颗塊块臺台級级時时鐘钟間间週周個个餘余約约過过達达頻频寬宽網网節节點点機机"
    "單单雙双較较壓压擴扩緩缓遲迟總总線线測测試试載载傳传輸输訊讯儲储檔档統统戶户雲云叢丛規规劃划開开關关"
    "處处發发現现檢检復复癒愈業业務务實实際际條条價价錢钱滿满縮缩減减損损歷历轉转換换產产運运訓训練练學学"
    "習习參参標标準准確确續续斷断額额體体記记憶忆顯显讀读寫写雖虽與与從从對对應应連连證证監监顧顾員员華华"
    "為为騰腾訂订費费計计圖图戰战術术異异聯联絡络協协議议類类選选擇择極极陣阵電电腦脑獨独專专長长靈灵駿骏"
    "穩稳鏈链鍵键認认佔占儘尽幣币銷销將将來来後后當当問问題题請请說说還还進进遠远邊边遞递適适裝装號号飛飞齊齐壞坏隊队階阶隨随難难靜静須须預预風风飆飙饋馈驗验驅驱據据擁拥擔担擬拟攜携敗败晝昼暫暂會会構构樣样"
    "橋桥櫃柜權权歐欧歲岁殘残毀毁氣气決决沒没淺浅溫温滯滞漲涨潛潜灣湾災灾爭争狀状獲获環环畫画疊叠盡尽碼码礎础稅税積积競竞筆笔簡简終终組组結结絕绝給给經经綜综綠绿縣县織织繞绕繼继聽听職职腳脚臨临舊旧莊庄葉叶"
    "蓋盖藝艺蘭兰螢萤衝冲補补裡里製制複复見见覺觉觀观訪访設设許许訴诉詞词詢询該该詳详語语誤误調调談谈論论諮咨講讲謝谢譯译護护豐丰貝贝負负財财貢贡貨货貫贯責责貴贵買买資资賣卖賽赛質质賬账購购贏赢趨趋跡迹躍跃"
    "車车軌轨軟软輔辅輕轻輛辆輪轮轄辖農农迴回遊游違违鄰邻釋释鈕钮針针鈉钠銀银銅铜鋪铺錄录錯错鎖锁鏡镜鐵铁閉闭閒闲閱阅闆板闊阔陸陆陽阳雜杂離离霧雾頁页頂顶項项順顺頓顿領领頭头館馆馬马駐驻鬆松鬧闹魚鱼鮮鲜齡龄"
    "龐庞們们備备債债傷伤傾倾僅仅儀仪優优償偿兒儿冊册凍冻創创劑剂動动勝胜勞劳勢势匯汇區区卻却厭厌啟启嚴严圍围園园圓圆堅坚報报場场墊垫墜坠壘垒奪夺奮奋奧奥婦妇孫孙寧宁審审導导尋寻屆届岡冈島岛嶄崭幀帧庫库廠厂"
    "廣广廳厅彈弹強强彎弯徑径徵征惡恶態态慣惯慮虑憑凭懷怀懸悬戲戏掃扫掛挂採采揮挥搖摇撥拨撐撑擊击擋挡擾扰攔拦"
    "磐磐夠够維维團团屬属於于這这個个種种應应稱称無无並并內内讀读団团処处広广図图読读書书"
)
_TABLE: dict[int, int] = {
    ord(_TRADITIONAL[i]): ord(_TRADITIONAL[i + 1]) for i in range(0, len(_TRADITIONAL), 2)
}
_TABLE.update({code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)})  # full-width ASCII
_TABLE.update(dict.fromkeys((0x00A0, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006), 0x20))
_TABLE.update(dict.fromkeys((0x2007, 0x2008, 0x2009, 0x200A, 0x202F, 0x205F, 0x3000), 0x20))
_TABLE.update(dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212, 0xFE63), ord("-")))
_TABLE.update(dict.fromkeys((0x223C, 0x301C, 0x2248), ord("~")))
_TABLE.update(dict.fromkeys((0x00B5, 0x03BC), ord("u")))
_TABLE.update(dict.fromkeys((0x00D7, 0x2715, 0x2A2F), ord("×")))
_TABLE.update({0x2267: ord("≥"), 0x2A7E: ord("≥"), 0x2266: ord("≤"), 0x2A7D: ord("≤"), 0x2044: ord("/")})
_TABLE[0xFFE5] = ord("¥")
_TABLE.update({0x3001: ord("、"), 0x2215: ord("/")})


def fold(text: str) -> str:
    """The text with full-width, traditional and typographic variants replaced, of the same length."""
    if text.isascii() and "'" not in text:
        return text
    if _SPACE.search(text) is None:
        return text.translate(_TABLE)
    # A space that does not break, or an apostrophe, between groups of three digits groups them: 10 000.
    return _GROUPED.sub(lambda m: m.group()[:-1] + "'", text).translate(_TABLE)
