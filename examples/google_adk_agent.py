"""An agent of Google's ADK that remembers: `python examples/google_adk_agent.py "I am vegan."`, then `… "Am I?"`."""

import asyncio
import sys
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part
from memsite_google_adk import MemsiteMemoryService

from memsite_client import Memsite


class Scripted(BaseLlm):  # a model's name stands here, such as "gemini-flash-latest"
    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        prompt = "\n".join(part.text or "" for content in llm_request.contents for part in content.parts)
        known = prompt.partition("<PAST_CONVERSATIONS>")[2].partition("</PAST_CONVERSATIONS>")[0]
        yield LlmResponse(content=Content(role="model", parts=[Part(text=known or "I know nothing of that yet.")]))


async def main(said: str) -> None:
    with Memsite() as memsite:
        sessions, memory = InMemorySessionService(), MemsiteMemoryService(memsite)
        agent = LlmAgent(name="helper", model=Scripted(), tools=[preload_memory])
        runner = Runner(app_name="kitchen", agent=agent, session_service=sessions, memory_service=memory)
        session = await sessions.create_session(app_name="kitchen", user_id="ann")
        message = Content(role="user", parts=[Part(text=said)])
        async for event in runner.run_async(user_id="ann", session_id=session.id, new_message=message):
            print(event.content.parts[0].text)
        session = await sessions.get_session(app_name="kitchen", user_id="ann", session_id=session.id)
        await memory.add_session_to_memory(session)


asyncio.run(main(sys.argv[1]))
