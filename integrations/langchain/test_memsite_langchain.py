"""LangChain's own tests of a retriever, and a conversation that comes back as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_tests.integration_tests import RetrieversIntegrationTests
from memsite_langchain import MemsiteChatMessageHistory, MemsiteRetriever

from memsite_client import Memsite

CONVERSATION = [
    SystemMessage("Be brief."),
    HumanMessage([{"type": "text", "text": "I am vegan."}, {"type": "image", "url": "https://example.org/a.png"}]),
    AIMessage("", tool_calls=[{"name": "look_up", "args": {"what": "vegan", "n": 1.5}, "id": "call_1"}]),
    ToolMessage("Noted \n", tool_call_id="call_1", artifact={"raw": [None, True]}),
    AIMessage("Noted.", id="run-1", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
]


class TestMemsiteRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def known(self, memsite: Memsite) -> None:
        TestMemsiteRetriever.client = memsite
        for place in ("Porto", "Lisbon", "Braga", "Faro"):
            memsite.create_memory(f"Ann likes the beaches of {place}", dedupe=False)

    @property
    def retriever_constructor(self) -> type[MemsiteRetriever]:
        return MemsiteRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memsite": self.client}

    @property
    def retriever_query_example(self) -> str:
        return "which beaches does Ann like?"


def test_a_document_has_the_memorys_text_its_id_and_the_rest_as_metadata(memsite: Memsite) -> None:
    stored = memsite.create_memory("Ann is vegan", user_id="ann", metadata={"from": "chat"})
    memsite.create_memory("Ben is vegan", user_id="ben")
    (document,) = MemsiteRetriever(memsite=memsite, user_id="ann").invoke("who is vegan?")
    assert (document.page_content, document.id) == ("Ann is vegan", stored["id"])
    assert document.metadata["metadata"] == {"from": "chat"}
    assert document.metadata["score"] > 0


def test_a_question_takes_options_of_the_search(memsite: Memsite) -> None:
    memsite.create_memory("Ann is vegan", category="food")
    retriever = MemsiteRetriever(memsite=memsite, options={"filters": {"category": "work"}})
    assert asyncio.run(retriever.ainvoke("who is vegan?")) == []
    assert len(retriever.invoke("who is vegan?", filters={"category": "food"})) == 1


def test_a_conversation_comes_back_as_it_was(memsite: Memsite) -> None:
    MemsiteChatMessageHistory("chat-1", memsite).add_messages(CONVERSATION[:2])
    MemsiteChatMessageHistory("chat-1", memsite).add_messages(CONVERSATION[2:])
    assert MemsiteChatMessageHistory("chat-1", memsite).messages == CONVERSATION
    assert MemsiteChatMessageHistory("chat-2", memsite).messages == []


def test_clearing_deletes_the_session(memsite: Memsite) -> None:
    history = MemsiteChatMessageHistory("chat-1", memsite)
    history.add_user_message("I am vegan.")
    history.clear()
    assert history.messages == []
    assert list(memsite.list_resources()) == []


def test_what_is_said_is_learnt(memsite: Memsite, learnt: Callable[[str], str]) -> None:
    MemsiteChatMessageHistory("chat-1", memsite).add_messages([HumanMessage("I am vegan."), AIMessage("Noted.")])
    assert learnt("vegan")


def test_a_chain_with_history_goes_on_where_it_was(memsite: Memsite) -> None:
    seen: list[int] = []

    def answer() -> str:
        model = GenericFakeChatModel(messages=iter([AIMessage("Yes.")]))
        chain = RunnableWithMessageHistory(
            (lambda messages: seen.append(len(messages)) or messages) | model,
            lambda session_id: MemsiteChatMessageHistory(session_id, memsite),
        )
        return str(chain.invoke([HumanMessage("Go on?")], {"configurable": {"session_id": "chat-1"}}).text)

    assert [answer(), answer()] == ["Yes.", "Yes."]
    assert seen == [1, 3]
