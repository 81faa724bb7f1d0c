"""Google's own runner, session service and memory tools with a scripted model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part
from memsite_google_adk import MemsiteMemoryService

from memsite_client import Memsite

ANN = {"app_name": "kitchen", "user_id": "ann"}


class Echo(BaseLlm):
    """Answers with the memories in its prompt."""

    model: str = "echo"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        prompt = "\n".join(part.text or "" for content in llm_request.contents for part in content.parts)
        told = prompt.partition("<PAST_CONVERSATIONS>")[2].partition("</PAST_CONVERSATIONS>")[0]
        yield LlmResponse(content=Content(role="model", parts=[Part(text=told)]))


def event(text: str, author: str = "user", **fields: Any) -> Event:
    return Event(author=author, content=Content(parts=[Part(text=text)]), **fields)


def said(memsite: Memsite) -> list[str]:
    return sorted(row["raw_content"] for row in memsite.list_resources())


async def test_a_session_that_is_added_again_is_stored_once(memsite: Memsite) -> None:
    service, sessions = MemsiteMemoryService(memsite), InMemorySessionService()
    session = await sessions.create_session(**ANN, session_id="1")
    await sessions.append_event(session, event("I am vegan."))
    await service.add_session_to_memory(session)
    await sessions.append_event(session, event("Noted.", author="cook"))
    await sessions.append_event(session, Event(author="cook", content=Content(parts=[Part(text="Hm", thought=True)])))
    await service.add_session_to_memory(session)
    assert said(memsite) == ["I am vegan.", "Noted."]
    assert [row["user_id"] for row in memsite.list_sessions()] == ["kitchen/ann"]


async def test_events_are_added_to_their_session(memsite: Memsite) -> None:
    service = MemsiteMemoryService(memsite)
    for session_id in ("1", None):
        await service.add_events_to_memory(**ANN, events=[event("Hi"), event("H", partial=True)], session_id=session_id)
    assert said(memsite) == ["Hi", "Hi"]


async def test_users_and_apps_are_apart(memsite: Memsite) -> None:
    service = MemsiteMemoryService(memsite)
    entry = MemoryEntry(content=Content(parts=[Part(text="Ann is vegan")]), custom_metadata={"n": 1})
    await service.add_memory(**ANN, memories=[entry], custom_metadata={"by": "test"})
    (found,) = (await service.search_memory(**ANN, query="who is vegan?")).memories
    assert found.content.parts[0].text == "Ann is vegan"
    assert found.custom_metadata["metadata"] == {"by": "test", "n": 1}
    for other in ({**ANN, "user_id": "ben"}, {**ANN, "app_name": "garden"}):
        assert (await service.search_memory(**other, query="who is vegan?")).memories == []
        await service.delete_memory(**other, memory_id=found.id)
    assert len(list(memsite.list_memories())) == 1
    await service.delete_memory(**ANN, memory_id=found.id)
    await service.delete_memory(**ANN, memory_id=found.id)
    assert list(memsite.list_memories()) == []


async def test_an_agent_knows_what_was_said_in_another_session(memsite: Memsite, learnt: Callable[[str], str]) -> None:
    sessions, service = InMemorySessionService(), MemsiteMemoryService(memsite)
    agent = LlmAgent(name="cook", model=Echo(), tools=[preload_memory])
    runner = Runner(app_name="kitchen", agent=agent, session_service=sessions, memory_service=service)

    async def ask(session_id: str, text: str) -> str:
        await sessions.create_session(**ANN, session_id=session_id)
        message = Content(role="user", parts=[Part(text=text)])
        answers = [one async for one in runner.run_async(user_id="ann", session_id=session_id, new_message=message)]
        await service.add_session_to_memory(await sessions.get_session(**ANN, session_id=session_id))
        return str(answers[-1].content.parts[0].text)

    assert "vegan" not in await ask("1", "I am vegan.")
    learnt("vegan")
    assert "vegan" in await ask("2", "Am I vegan?")
