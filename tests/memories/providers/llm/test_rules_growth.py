"""What is said may be long and hostile: the rules read each text in linear time."""

from __future__ import annotations

import pytest

from memories.providers.llm.rules.clauses import split_clauses
from memories.providers.llm.rules.cutting import cut_reply, cut_run_on
from memories.providers.llm.rules.foreign import read_foreign
from memories.providers.llm.rules.leads import strip_leads, strip_trail
from tests.growth import assert_linear, repeated

SIZE = 16_000
READERS = {
    "cut_reply": lambda text: list(cut_reply(text)),
    "cut_run_on": cut_run_on,
    "strip_leads": strip_leads,
    "strip_trail": strip_trail,
    "read_foreign": read_foreign,
    "split_clauses": lambda text: split_clauses(text, True),
}


@pytest.mark.parametrize("name", READERS)
def test_hostile_lengths_are_read_in_linear_time(name: str) -> None:
    for unit in (" ", "a", ", ", " and ", "that and ", "ich, ", "hab einen ", "so would "):
        assert_linear(READERS[name], lambda size, unit=unit: f"x{repeated(unit)(size)}!", SIZE)
