"""`manage.py check_llm` says of each question whether the model can be used for it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.memories.providers.llm.servers import Says, Server, like_llama_cpp_python
from tests.with_model import answers

pytestmark = pytest.mark.django_db
QUESTIONS = ["gate", "extract", "relate", "summarise", "digest", "insight", "make_room", "rewrite"]


def run() -> tuple[list[list[str]], str]:
    """Return the lines of the table, and what is wrong in the end."""
    out, problem = StringIO(), ""
    try:
        call_command("check_llm", stdout=out)
    except CommandError as error:
        problem = str(error)
    return [line.split() for line in out.getvalue().splitlines()], problem


def test_each_question_is_asked_once(model: Server) -> None:
    lines, problem = run()
    assert [line[0] for line in lines[1:9]] == QUESTIONS
    assert (len(model.seen), problem) == (8, "")
    assert lines[1][1:4] == ["openai:small", "1,000", "200"]
    assert {line[-1] for line in lines[1:9]} == {"parsed"}


def test_the_format_is_what_the_server_took(model: Server) -> None:
    model.refuses(like_llama_cpp_python)
    assert run()[0][2][5:8] == ["json_object", "with", "schema"]


def test_what_cannot_be_read_is_named(model: Server) -> None:
    model.always(answers(extract=Says("prose")))
    lines, problem = run()
    assert "holds no complete JSON object" in " ".join(lines[2])
    assert problem.startswith("1 of the questions")


def test_without_a_model_there_is_nothing_to_check() -> None:
    out = StringIO()
    call_command("check_llm", stdout=out)
    assert "rules" in out.getvalue()
