"""What a dialect keeps of its own is found in whatever order the database has texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.compat import HASH_DIGITS, external_id, find_by_external_id
from memories.models import Memory
from memsite.db.expressions import outermost
from tests.conftest import Caller
from tests.memories.retrieve.asking import agent_of, store

ORDERS: dict[str, Callable[[str], object]] = {
    "by code": lambda text: text,
    "a semicolon before a colon": lambda text: text.translate({ord(":"): ";", ord(";"): ":"}),
    "signs last": lambda text: ("".join(filter(str.isalnum, text)), text),
    "aa last of all letters": lambda text: text.replace("aa", "å"),
}


@pytest.mark.parametrize("order", ORDERS)
@given(kind=st.sampled_from(["entity", "file-2", "mem0"]), name=st.text())
def test_each_id_is_within_its_bounds(order: str, kind: str, name: str) -> None:
    for digits in (external_id(kind, name), f"{kind}:{'aa' * 31}ff", f"{kind}:faaa{'f' * 60}"):
        first, *lasts = map(ORDERS[order], outermost(f"{kind}:", HASH_DIGITS))
        assert first <= ORDERS[order](digits) <= max(lasts)  # type: ignore[operator, type-var]  # of one type


def test_what_merely_begins_alike_is_of_another_kind(alice: Caller) -> None:
    item = store(alice, "whales sing", external_id=external_id("file", "whales"))
    for number, other in enumerate((external_id("files", "whales"), "file", "file;0", f"file0:{'a' * 64}")):
        store(alice, f"bears sleep {number}", external_id=other)
    assert list(find_by_external_id(agent_of(alice), "file")) == [item]
    assert Memory.objects.count() == 5
