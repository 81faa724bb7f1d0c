"""Real agents on Pydantic AI's scripted models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memsite_pydantic_ai import MemsiteMemory
from pydantic_ai import Agent
from pydantic_ai.messages import ImageUrl, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memsite_client import Memsite


def instructions(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Answer with what the agent is told."""
    return ModelResponse([TextPart(info.instructions or "none")])


async def test_an_agent_is_told_what_is_known_of_the_question(memsite: Memsite) -> None:
    memsite.create_memory("Ann is vegan", user_id="ann")
    agent = Agent(
        FunctionModel(instructions), instructions="Be brief.", capabilities=[MemsiteMemory(memsite, user_id="ann")]
    )
    told = (await agent.run(["Is Ann vegan?", ImageUrl("https://example.org/a.png")])).output
    assert told.startswith("Be brief.")
    assert "Ann is vegan" in told


async def test_what_nobody_asks_for_is_not_told(memsite: Memsite) -> None:
    memsite.create_memory("Ann is vegan", user_id="ann")
    agent = Agent(FunctionModel(instructions), capabilities=[MemsiteMemory(memsite, user_id="ben")])
    assert (await agent.run("Is Ann vegan?")).output == "none"


async def test_question_and_answer_are_stored_in_the_conversation(memsite: Memsite) -> None:
    agent = Agent(FunctionModel(instructions), capabilities=[MemsiteMemory(memsite)])
    await agent.run("Hello", conversation_id="chat-1")
    await agent.run("Hello again", conversation_id="chat-1")
    assert sorted(row["raw_content"] for row in memsite.list_resources()) == ["Hello", "Hello again", "none", "none"]
    assert [session["external_id"] for session in memsite.list_sessions()] == ["chat-1"]


async def test_an_agent_stores_and_searches_by_itself(memsite: Memsite) -> None:
    results: list[Any] = []

    def work(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        results.extend(part.content for part in messages[-1].parts if isinstance(part, ToolReturnPart))
        calls = [
            ToolCallPart("store_memory", {"content": "The door code is blue"}),
            ToolCallPart("search_memory", {"query": "what is the door code?"}),
        ]
        return ModelResponse([calls[len(results)]] if len(results) < len(calls) else [TextPart("Done.")])

    await Agent(FunctionModel(work), capabilities=[MemsiteMemory(memsite)]).run("Go.")
    assert results == ["created", ["The door code is blue"]]


async def test_an_agent_knows_what_was_said_in_another_conversation(
    memsite: Memsite, learnt: Callable[[str], str]
) -> None:
    agent = Agent(FunctionModel(instructions), capabilities=[MemsiteMemory(memsite, tools=False)])
    await agent.run("I am vegan.", conversation_id="chat-1")
    learnt("vegan")
    assert "vegan" in (await agent.run("Am I vegan?", conversation_id="chat-2")).output
