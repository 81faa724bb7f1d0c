"""A LlamaIndex chat that remembers: `python examples/llama_index_agent.py "I am vegan."`, then `… "What do I eat?"`."""

import sys
from typing import Any

from llama_index.core.base.llms.types import CompletionResponse
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import CustomLLM, LLMMetadata
from llama_index.core.memory import Memory
from memsite_llama_index import MemsiteMemoryBlock
from scripted import reply

from memsite_client import Memsite


class Scripted(CustomLLM):  # your model stands here
    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=reply(prompt))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


with Memsite() as memsite:
    blocks = [MemsiteMemoryBlock(memsite=memsite)]
    memory = Memory.from_defaults(memory_blocks=blocks, tokenizer_fn=str.split)  # a new conversation each time
    print(SimpleChatEngine.from_defaults(llm=Scripted(), memory=memory).chat(sys.argv[1]))
