"""The table of small models: all of its questions over the wire to a scripted server, and one to the smallest model."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from memories.language.messages import USER, Message
from memories.providers.llm.provider import Chunk, LLMUnusable, Setting
from memories.providers.llm.rules import RulesProvider
from tests.memories.providers.llm.servers import serve
from tests.with_model import answers, fact
from tools import try_models

STAMP = try_models.STAND.with_suffix(".stamp")
"""Written once all is installed: CI begins its long tests before."""
SAID = "My dentist is Dr. Berger, and I moved to Lisbon."
CHUNK = Chunk((Message(USER, SAID),), datetime(2026, 11, 16, 10, tzinfo=UTC))


@pytest.mark.long
@pytest.mark.skipif(not STAMP.exists(), reason="there is no model here: `make test-model` installs one")
def test_a_small_model_answers_over_the_wire_with_facts_or_with_nothing_that_fits():
    smallest = try_models.installed(try_models.STAND)[0]
    with try_models.asking(try_models.STAND, smallest, seconds=600, lean=True) as model:
        with suppress(LLMUnusable):
            model.provider.extract(CHUNK, Setting())
        answers = [(usage.operation, usage.outcome, usage.output_tokens > 0) for usage in model.usages]
    assert set(answers) <= {("extract_lean", "ok", True), ("extract_lean", "unusable", True)}
    assert answers


def test_every_question_of_the_table_goes_over_the_wire() -> None:
    labelled = {"sessions": [[{"role": "user", "content": SAID}]], "facts": [{"regex": "Berger"}, {"regex": "Oslo"}]}
    talk = try_models.Talk.of(labelled, RulesProvider())
    with serve("openai", "") as server, try_models.asking_at(server.url, "scripted") as model:
        server.always(answers(fact("User's dentist is Dr. Berger"), fact("User lives in Oslo")))
        rows = {row.question: row for row in try_models.try_all([talk], model)}
    assert {name: (row.parsed, row.pieces) for name, row in rows.items()} == dict.fromkeys(
        try_models.questions(talk), (1, 1)
    )
    extract = rows["extract"]
    assert (extract.accepted, extract.ungrounded, extract.labelled, extract.labels) == (1, 1, 1, 2)
    assert {(usage.operation, usage.outcome) for row in rows.values() for usage in row.usages} == {
        (name, "ok") for name in rows
    }
