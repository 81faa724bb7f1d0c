"""A context does not wait for a model that rewrites the question slowly, and says that rules did."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from tests.conftest import Caller
from tests.memories.providers.llm.servers import Fails, Hangs, Says, Server
from tests.with_model import CHATS, HASTE, answers

MESSAGES = [{"role": "user", "content": "Which port does the shop's database use?"}]


@pytest.fixture(autouse=True)
def known(alice: Caller, model: Server) -> None:
    alice.remember("The shop's database uses port 5433")


def degraded(caller: Caller) -> list[str]:
    answer = caller.post("context", {"messages": MESSAGES})
    assert "5433" in answer.json()["text"]
    return list(answer.json()["degraded"])


def test_a_model_that_hangs_is_not_waited_for(alice: Caller, model: Server) -> None:
    model.always(Hangs())
    with patch.dict(HASTE):
        del HASTE["rewrite"]
        assert degraded(alice) == ["rewrite"]


def test_its_other_questions_are_asked_all_the_same(alice: Caller, model: Server) -> None:
    model.always(Hangs())
    with patch.dict(HASTE):
        del HASTE["rewrite"]
        for _ in range(6):
            degraded(alice)
    (chat,) = CHATS
    assert (len(model.seen), chat.state()) == (5, "closed")


@pytest.mark.parametrize("behaviour", [Fails(500), Says("prose")])
def test_nor_is_one_that_fails_used(alice: Caller, model: Server, behaviour: Fails | Says) -> None:
    model.always(behaviour)
    assert degraded(alice) == ["rewrite"]


def test_a_model_in_time_is_not_spoken_of(alice: Caller, model: Server) -> None:
    model.always(answers())
    model.then(Says({"query": "port of the shop's database"}))
    assert degraded(alice) == []
