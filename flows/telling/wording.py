"""A digest in words, Chinese or English: as plain text for people and as Markdown for Prefect's pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from flows.printing import clean
from flows.telling.digest import Digest

Language = Literal["zh", "en"]

MOST = 20
"""So many lines of each kind are told; how many more there are is told too."""

_WORDS = {
    "en": {
        "subject": "Koujing: {changes} changed, {moves} moved in the rankings, {troubles} pages in trouble",
        "quiet": "Koujing: nothing changed",
        "failed": "Koujing: run {run} ended as {status}",
        "run": "Run {run}{label}, {at} UTC: {pages} pages visited, {first} for the first time, {changed} changed, "
        "{failed} failed.",
        "changes": "What vendors changed",
        "moves": "Rankings that moved",
        "flags": "New questions",
        "troubles": "Pages that failed",
        "held": "Pages that are held",
        "nothing": "Nothing happened.",
        "more": "and {more} more",
        "lost": "{lost} of {before} claims would be lost; they stand (koujing held)",
        "as_before": "as the last time",
        "none": "not stated",
        "rank": "rank {rank}",
        "new": "unranked",
        "report": "Report",
        "desk": "Desk",
    },
    "zh": {
        "subject": "口径：{changes} 处指标有变，排名变动 {moves} 处，{troubles} 个页面异常",
        "quiet": "口径：没有变化",
        "failed": "口径：第 {run} 次运行的结果为 {status}",
        "run": "第 {run} 次运行{label}，{at} UTC：访问 {pages} 个页面，首次读取 {first} 个，内容有变 {changed} 个，失败 {failed} 个。",
        "changes": "厂商改动的指标",
        "moves": "排名变动",
        "flags": "新的待确认问题",
        "troubles": "失败的页面",
        "held": "暂缓采信的页面",
        "nothing": "没有发生变化。",
        "more": "另有 {more} 条",
        "lost": "将丢失 {before} 条中的 {lost} 条，原有指标暂予保留（koujing held）",
        "as_before": "与上次相同",
        "none": "未写明",
        "rank": "第 {rank} 名",
        "new": "此前未排名",
        "report": "报告",
        "desk": "审核台",
    },
}

Section = tuple[str, tuple[str, ...]]


def subject(digest: Digest, language: Language = "en") -> str:
    """One line that says what the digest is about."""
    words = _WORDS[language]
    if digest.status != "done":
        return words["failed"].format(run=digest.run_id, status=digest.status)
    if not digest.is_news:
        return words["quiet"]
    return words["subject"].format(
        changes=len(digest.changes), moves=len(digest.moves), troubles=len(digest.troubles) + len(digest.held)
    )


def sections(digest: Digest, language: Language = "en") -> tuple[Section, ...]:
    """Headings with their lines, empty ones left out. What comes from pages is one clean line."""
    words = _WORDS[language]
    found = {
        "changes": (
            f"{c.vendor} {c.metric}: {c.before or words['none']} → {c.after or words['none']} ({c.url})"
            for c in digest.changes
        ),
        "moves": (
            f"{m.scorecard}: {m.vendor} {_rank(m.rank_before, m.shown_before, language)} → "
            f"{_rank(m.rank, m.shown, language)}"
            for m in digest.moves
        ),
        "flags": (
            f"{f.vendor or ''} {f.metric} {f.text_value or ''}: {f.question_zh if language == 'zh' else f.question_en}"
            for f in digest.flags
        ),
        "troubles": (
            f"{t.source_id}: {t.status}, {t.reason or t.status}{'' if t.is_new else ' (' + words['as_before'] + ')'}"
            for t in digest.troubles
        ),
        "held": (
            f"{h.source_id}: {h.reason}; {words['lost'].format(lost=h.claims_lost, before=h.claims_before)}"
            for h in digest.held
        ),
    }
    return tuple(
        (words[name], lines) for name, told in found.items() if (lines := _bounded(told, words["more"]))
    )


def as_text(digest: Digest, language: Language = "en", links: Iterable[tuple[str, str]] = ()) -> str:
    """The digest as plain text. `links`: kind (report, desk) and address, told at the end."""
    parts = [_run_line(digest, language)]
    parts += [
        f"{name}\n" + "".join(f"- {line}\n" for line in lines) for name, lines in sections(digest, language)
    ]
    if len(parts) == 1:
        parts.append(_WORDS[language]["nothing"])
    parts += [f"{_WORDS[language].get(kind, kind)}: {url}" for kind, url in links]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def as_markdown(digest: Digest, language: Language = "en", links: Iterable[tuple[str, str]] = ()) -> str:
    """The digest as Markdown, in which nothing that a page said is markup."""
    parts = [escaped(_run_line(digest, language))]
    parts += [
        f"## {name}\n\n" + "".join(f"- {escaped(line)}\n" for line in lines)
        for name, lines in sections(digest, language)
    ]
    if len(parts) == 1:
        parts.append(_WORDS[language]["nothing"])
    parts += [f"[{_WORDS[language].get(kind, kind)}](<{url}>)" for kind, url in links]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~&$:-])", r"\\\1", clean(text))


def _run_line(digest: Digest, language: Language) -> str:
    label = f" ({clean(digest.label)})" if digest.label else ""
    return _WORDS[language]["run"].format(
        run=digest.run_id,
        label=label,
        at=f"{digest.at:%Y-%m-%d %H:%M}",
        pages=digest.pages,
        first=digest.first_read,
        changed=digest.changed,
        failed=digest.failed,
    )


def _rank(rank: int | None, shown: str | None, language: Language) -> str:
    words = _WORDS[language]
    return f"{words['rank'].format(rank=rank)} ({shown})" if rank is not None else words["new"]


def _bounded(lines: Iterable[str], more: str) -> tuple[str, ...]:
    told = [clean(line).strip() for line in lines]
    rest = len(told) - MOST
    return (*told[:MOST], more.format(more=rest)) if rest > 0 else tuple(told)
