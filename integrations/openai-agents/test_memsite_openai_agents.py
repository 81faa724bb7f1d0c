"""The same calls on the SDK's SQLite session and on ours; agents that go on, and know of other sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agents import Agent, Runner, SessionSettings, SQLiteSession, function_tool, set_tracing_disabled
from agents.memory import Session
from agents.testing import ScriptedModel, assistant_message, function_call
from memsite_openai_agents import MemsiteSession, with_memory

from memsite_client import Memsite

ITEMS: list[Any] = [
    {"role": "user", "content": "I am vegan. "},
    {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAAABo" + "Zm9vYmFyYmF6cXV4" * 20},
    {"type": "function_call", "call_id": "call_x1Y2z3A4b5C6d7E8f9", "name": "look", "arguments": '{"a": 1.50}'},
    {"type": "function_call_output", "call_id": "call_x1Y2z3A4b5C6d7E8f9", "output": "ü \n"},
    {"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Noted."}]},
]
set_tracing_disabled(True)


async def calls(session: Session) -> list[Any]:
    seen: list[Any] = [await session.pop_item(), await session.get_items()]
    await session.add_items([])
    await session.add_items(ITEMS[:2])
    await session.add_items(ITEMS[2:])
    seen += [await session.get_items(), *[await session.get_items(limit) for limit in (2, 5, 9, 0)]]
    seen += [await session.pop_item(), await session.pop_item(), await session.get_items()]
    await session.add_items(ITEMS[:1])
    seen.append(await session.get_items())
    await session.clear_session()
    seen += [await session.get_items(), await session.pop_item()]
    await session.add_items(ITEMS[:1])
    return [*seen, await session.get_items()]


def test_every_call_answers_as_with_sqlite(memsite: Memsite) -> None:
    session = MemsiteSession("chat-1", memsite)
    assert isinstance(session, Session)
    assert asyncio.run(calls(session)) == asyncio.run(calls(SQLiteSession("chat-1")))


def test_settings_say_how_many_items_come_back(memsite: Memsite) -> None:
    session = MemsiteSession("chat-1", memsite, session_settings=SessionSettings(limit=1))
    asyncio.run(session.add_items(ITEMS))
    assert asyncio.run(session.get_items()) == ITEMS[-1:]


def test_nothing_is_lost_where_several_add_at_once(memsite: Memsite) -> None:
    async def run() -> list[Any]:
        sessions = [MemsiteSession("chat-1", memsite) for _ in range(8)]
        await asyncio.gather(*(session.add_items(ITEMS[:1]) for session in sessions))
        return await sessions[0].get_items()

    assert asyncio.run(run()) == ITEMS[:1] * 8


@pytest.mark.parametrize("streamed", [False, True])
def test_an_agent_goes_on_where_it_was(memsite: Memsite, streamed: bool) -> None:
    @function_tool
    def look_up(what: str) -> str:
        """Look something up."""
        return f"{what}: found"

    async def ask(question: str, *steps: Any) -> Any:
        model = ScriptedModel([[step] for step in steps])
        agent = Agent("helper", model=model, tools=[look_up])
        session = MemsiteSession("chat-1", memsite)
        if streamed:
            result = Runner.run_streamed(agent, question, session=session)
            async for _ in result.stream_events():
                pass
        else:
            result = await Runner.run(agent, question, session=session)
        return result.final_output, model.last_call.input

    call = function_call("look_up", {"what": "vegan"}, call_id="call_1")
    first, _ = asyncio.run(ask("I am vegan.", call, assistant_message("Noted.")))
    second, given = asyncio.run(ask("And now?", assistant_message("Tofu.")))
    assert (first, second) == ("Noted.", "Tofu.")
    kinds = [item.get("type") or item["role"] for item in given]
    assert kinds == ["user", "function_call", "function_call_output", "message", "user"]


def test_an_agent_knows_what_was_said_in_another_session(memsite: Memsite, learnt: Callable[[str], str]) -> None:
    async def ask(session: str, question: str) -> str | None:
        model = ScriptedModel([[assistant_message("Yes.")]])
        agent = Agent("helper", model=model, instructions=with_memory("Be brief.", memsite, user_id="ann"))
        await Runner.run(agent, question, session=MemsiteSession(session, memsite, user_id="ann"))
        return model.last_call.system_instructions

    assert asyncio.run(ask("chat-1", "I am vegan.")) == "Be brief."
    learnt("vegan")
    told = asyncio.run(ask("chat-2", "Am I vegan?"))
    assert told.startswith("Be brief.\n\n<memory-context")
    assert "vegan" in told
