"""A Pydantic AI agent that remembers: `python examples/pydantic_ai_agent.py "I am vegan."`, then `… "Am I?"`."""

import sys

from memsite_pydantic_ai import MemsiteMemory
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from scripted import reply

from memsite_client import Memsite


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart(reply(info.instructions or ""))])


with Memsite() as memsite:
    agent = Agent(FunctionModel(answer), capabilities=[MemsiteMemory(memsite)])  # or "openai:gpt-5" for the model
    print(agent.run_sync(sys.argv[1]).output)
