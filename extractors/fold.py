"""Folding of characters that differ in form and not in meaning, one to one, so that every offset holds."""

from __future__ import annotations

import re

_SPACE_IN_NUMBER = "[\u00a0\u2009\u202f\u2007'’]"
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
    # A space that does not break, or an apostrophe, between groups of three digits groups them: 10 000.
    return _GROUPED.sub(lambda m: m.group()[:-1] + "'", text).translate(_TABLE)
