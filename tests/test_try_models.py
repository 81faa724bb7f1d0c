"""The smallest real model, asked over the wire."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memories.language.messages import USER, Message
from memories.providers.llm.provider import Chunk, LLMUnusable, Setting
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
