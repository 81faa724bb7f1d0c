"""The table of small models: all of its questions over the wire to a scripted server, and one to the smallest model."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memories.language.messages import USER, Message
from memories.providers.llm.provider import Chunk, LLMUnusable, Setting
from memories.providers.llm.rules import RulesProvider
from tests.memories.providers.llm.servers import serve
from tests.with_model import answers, fact
from tools import try_models

STAND = Path(os.environ.get("TEST_MODELS") or try_models.STAND)
SAID = "My dentist is Dr. Berger, and I moved to Lisbon."
CHUNK = Chunk((Message(USER, SAID),), datetime(2026, 11, 16, 10, tzinfo=UTC))


@pytest.mark.long
@pytest.mark.skipif(not try_models.installed(STAND), reason="there is no model here: `make try-models` installs one")
def test_a_small_model_answers_over_the_wire_with_facts_or_with_nothing_that_fits():
    with try_models.asking(STAND, try_models.installed(STAND)[0], seconds=600, lean=True) as model:
        with suppress(LLMUnusable):
            model.provider.extract(CHUNK, Setting())
        answers = [(usage.operation, usage.outcome, usage.output_tokens > 0) for usage in model.usages]
    assert set(answers) <= {("extract_lean", "ok", True), ("extract_lean", "unusable", True)}
    assert answers


def test_every_question_of_the_table_goes_over_the_wire() -> None:
    """The smallest model takes npm and 98 MB, which CI does without: here a script answers."""
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
