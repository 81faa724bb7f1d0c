"""How a text looks is kept beside it; what was not kept, or by another edition, is read when it matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memories.language import surface
from memories.language.surface import Look, kept_look, looks_kept
from memories.models import Memory
from memories.retrieve import pipeline
from memories.retrieve.pipeline import index_of
from tests.conftest import Caller
from tests.growth import assert_linear, repeated
from tests.memories.retrieve.asking import change, contents, embedder_of, search, store


def look_in_index(caller: Caller, memory: Memory) -> int:
    columns = index_of(caller.app, embedder_of(caller)).view().columns
    (row,) = (columns.pk == memory.pk).nonzero()[0][-1:]
    return int(columns.look[row])


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that a search had to read for their looks."""
    texts: list[str] = []

    def look_of(content: str, subject: str | None, kind: str) -> Look:
        texts.append(content)
        return surface.look_of(content, subject, kind)

    monkeypatch.setattr(pipeline, "look_of", look_of)
    return texts


@pytest.mark.parametrize(
    ("retained", "look"),
    [
        (kept_look("Where were you?", None), Look.READ | Look.ASKS | Look.PAST),
        (kept_look("", None), Look.READ),
        (0, 0),
        ((surface.EDITION + 1) << surface.EDITION_STARTS_AT_BIT | Look.READ, 0),
    ],
)
def test_a_look_is_kept_with_its_edition(retained: int, look: int) -> None:
    assert looks_kept(np.array([retained, 0])).tolist() == [look, 0]


@pytest.mark.parametrize("unit", ["[", "]", "[]", " ", "?", "? ", "a ", '"'])
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    for end in ("", "a", "]"):
        assert_linear(lambda text, end=end: kept_look(text + end, None), repeated(unit), 40_000)
    assert_linear(lambda size: kept_look("[" * size + "]" * size, None), int, 20_000)


def test_every_look_and_edition_has_capacity() -> None:
    assert sum(Look) < 1 << surface.EDITION_STARTS_AT_BIT
    assert kept_look("x", None) < 2**15


def test_a_search_reads_no_text_again_for_its_look(alice: Caller, read: list[str]) -> None:
    memory = store(alice, "Ann: Where were you?", subject="Ann")
    assert look_in_index(alice, memory) == Look.READ | Look.ASKS | Look.PAST | Look.SPOKEN
    change(alice, memory, content="I am here")
    assert look_in_index(alice, memory) == Look.READ | Look.FIRST_PERSON
    assert contents(search(alice, "who is here")) == ["I am here"]
    assert read == []


@pytest.mark.parametrize("retained", [None, 0, (surface.EDITION + 1) << surface.EDITION_STARTS_AT_BIT | Look.READ])
def test_what_is_not_known_is_read_once(alice: Caller, read: list[str], retained: Any) -> None:
    memory = store(alice, "I am here")
    Memory.objects.filter(pk=memory.pk).update(look=retained)
    for _ in range(2):
        assert contents(search(alice, "who is here")) == ["I am here"]
    assert read == ["I am here"]
    assert look_in_index(alice, memory) == Look.READ | Look.FIRST_PERSON
