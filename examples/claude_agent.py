"""A Claude agent that remembers: `python examples/claude_agent.py "I am vegan."`, then `… "Am I vegan?"`.

Claude Code itself runs here; only the model behind it is a stand-in. Leave `scripted_model` out to ask Anthropic's.
"""

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from memsite_claude_agent_sdk import memsite_hooks
from scripted import scripted_anthropic

from memsite_client import Memsite


async def main(said: str) -> None:
    with Memsite() as memsite, scripted_anthropic() as scripted_model:
        options = ClaudeAgentOptions(hooks=memsite_hooks(memsite), env=scripted_model, setting_sources=[], tools=[])
        async for message in query(prompt=said, options=options):
            if isinstance(message, ResultMessage):
                print(message.result)


asyncio.run(main(sys.argv[1]))
