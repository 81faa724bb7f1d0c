"""What a dialect keeps of its own is found in whatever order the database has texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.compat.kept import bounds, external_id, kept
from memories.models import Memory
from tests.conftest import Caller
from tests.memories.retrieve.asking import agent_of, store

ORDERS: dict[str, Callable[[str], object]] = {
    "by code": lambda text: text,
    "a semicolon before a colon": lambda text: text.translate({ord(":"): ";", ord(";"): ":"}),
    "signs last": lambda text: ("".join(filter(str.isalnum, text)), text),
}


@pytest.mark.parametrize("order", ORDERS)
@given(kind=st.sampled_from(["entity", "file-2", "mem0"]), name=st.text())
def test_each_id_is_within_its_bounds(order: str, kind: str, name: str) -> None:
    first, last = map(ORDERS[order], bounds(kind))
    assert first <= ORDERS[order](external_id(kind, name)) <= last  # type: ignore[operator]  # of one type


def test_what_merely_begins_alike_is_of_another_kind(alice: Caller) -> None:
    one = store(alice, "whales sing", external_id=external_id("file", "whales"))
    for number, other in enumerate((external_id("files", "whales"), "file", "file;0", f"file0:{'a' * 64}")):
        store(alice, f"bears sleep {number}", external_id=other)
    assert list(kept(agent_of(alice), "file")) == [one]
    assert Memory.objects.count() == 5
