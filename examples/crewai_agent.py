"""A crew of CrewAI that remembers: `python examples/crewai_agent.py "I am vegan."`, then `… "Is the user vegan?"`."""

import sys
from typing import Any

from crewai import Agent, BaseLLM, Crew, Task
from memsite_crewai import MemsiteMemory

from memsite_client import Memsite


class Scripted(BaseLLM):  # a model's name stands here, such as "gpt-5"
    def call(self, messages: Any, *given: Any, **options: Any) -> str:
        known = str(messages[-1]["content"]).partition("Relevant memories:")[2].strip()
        return f"Thought: I know.\nFinal Answer: {known or 'I know nothing of that yet.'}"


with Memsite() as memsite:
    cook = Agent(role="cook", goal="cook what people like", backstory="a cook", llm=Scripted(model="scripted"))
    task = Task(description=sys.argv[1], expected_output="an answer", agent=cook)
    print(Crew(agents=[cook], tasks=[task], memory=MemsiteMemory(memsite)).kickoff())
