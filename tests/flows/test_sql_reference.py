from __future__ import annotations

import pytest

from warehouse.home import Home
from warehouse.query import run_query
from warehouse.reference import DOCS, current_reference, read_questions

QUESTIONS = read_questions()


def test_docs_sql_md_is_what_the_views_and_the_questions_make() -> None:
    written = (DOCS / "sql.md").read_text(encoding="utf-8")
    assert written == current_reference(), "run `python -m warehouse.reference` and commit docs/sql.md"


def test_there_are_at_least_25_questions_and_none_twice() -> None:
    assert len(QUESTIONS) >= 25
    assert len({question["ask"] for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question["sql"] for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["ask"])
def test_a_question_is_answered(question: dict[str, str], played: Home) -> None:
    result = run_query(played, question["sql"])
    assert result.columns
    assert bool(result.rows) is not bool(question.get("empty"))
