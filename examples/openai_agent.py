"""An agent of the OpenAI Agents SDK that remembers: `python examples/openai_agent.py "I am vegan."`, then `… "…?"`."""

import sys
from uuid import uuid4

from agents import Agent, Runner, set_tracing_disabled
from agents.testing import ModelStep, ScriptedModel, assistant_message
from memsite_openai_agents import MemsiteSession, with_memory
from scripted import reply

from memsite_client import Memsite

set_tracing_disabled(True)
# Leave `model` out to ask OpenAI's.
model = ScriptedModel([ModelStep.respond(lambda call: [assistant_message(reply(call.system_instructions or ""))])])

with Memsite() as memsite:
    agent = Agent("helper", model=model, instructions=with_memory("You help people cook.", memsite))
    session = MemsiteSession(f"chat-{uuid4()}", memsite)  # a new conversation each time
    print(Runner.run_sync(agent, sys.argv[1], session=session).final_output)
