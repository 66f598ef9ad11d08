"""Stretches of time that a figure is a figure of: 2025H1, the second quarter, a full year."""

from __future__ import annotations

import re
from dataclasses import dataclass

_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?!\d)")
_HALF = re.compile(
    r"H([12])\b|([12])H\b|(上|下)半年|\b(first|second)[ -]half|半年|\bhalf\b|half-year", re.IGNORECASE
)
_QUARTER = re.compile(
    r"Q([1-4])\b|([1-4])Q\b|第?([一二三四1-4])季度?|\b(first|second|third|fourth)[ -]quarter|季度|\bquarter",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"(?:19|20)\d{2}[-/.](0?[1-9]|1[0-2])(?![\d])|(\d{1,2}) ?月|\bmonth(?:ly)?\b|每月|月度"
    r"|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?<!\d)((?:19|20)\d{2})(?:[-/.]| ?年 ?)(0?[1-9]|1[0-2])(?:[-/.]| ?月 ?)(0?[1-9]|[12]\d|3[01])(?!\d)"
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAYS = re.compile(r"\b(?:day|daily)\b|每[天日]|日均", re.IGNORECASE)
_ORDINAL = {
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "上": 1,
    "下": 2,
}


@dataclass(frozen=True, slots=True)
class Period:
    """A year (None where it is not said), its length in months (0: a day) and the month in which it begins."""

    year: int | None
    months: int
    begins: int = 1

    @property
    def place(self) -> float | None:
        """Where it begins, in years; None without a year. For counting years between two periods, no more."""
        return None if self.year is None else self.year + (self.begins - 1) / 12


def read_period(text: str) -> Period | None:
    """The period that the text names; None where it names none."""
    year = next((int(found[1]) for found in [_YEAR.search(text)] if found), None)
    if half := _HALF.search(text):
        return Period(year, 6, 7 if _which(half) == 2 else 1)
    if quarter := _QUARTER.search(text):
        return Period(year, 3, 3 * (_which(quarter) or 1) - 2)
    if month := _MONTH.search(text):
        number = next((_month(group) for group in month.groups() if group), 1)
        return Period(year, 1, number if 1 <= number <= 12 else 1)
    if _DAYS.search(text):
        return Period(year, 0)
    if year is not None or re.search(r"\b(?:annual|year|full[ -]year)|全年|年度|每年", text, re.IGNORECASE):
        return Period(year, 12)
    return None


def _month(said: str) -> int:
    return int(said) if said.isdigit() else _MONTHS.index(said.lower()) + 1


def read_day(text: str) -> tuple[int, int, int] | None:
    """Year, month and day where the text names all three; None where it does not."""
    found = _DAY.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _which(found: re.Match[str]) -> int | None:
    said = next((group for group in found.groups() if group), None)
    if said is None:
        return None
    return int(said) if said.isdigit() else _ORDINAL.get(said.lower())


def near(statement: str, value: str) -> Period | None:
    """The part of a year that stands right behind the value in a statement, in brackets or not."""
    for found in re.finditer(rf"(?<![\d.]){re.escape(value)}(?![\d.])", statement):
        behind = statement[found.end() : found.end() + 28]
        cut = re.split(r"[,，;；。]|\bto\b|\bin\b(?= \d+\.)|\d+\.\d", behind, maxsplit=1)[0]
        before = re.split(r"[,，;；。]|\bto\b", statement[max(0, found.start() - 20) : found.start()])[-1]
        for text in (cut, before):
            period = read_period(text)
            if period is not None:
                return period
    return None
