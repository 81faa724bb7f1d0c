"""LlamaIndex's own Memory and a chat engine with our block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.memory import Memory
from memsite_llama_index import MemsiteMemoryBlock

from memsite_client import Memsite


def memory_of(memsite: Memsite, session_id: str, token_limit: int = 3000, **options: Any) -> Memory:
    block = MemsiteMemoryBlock(memsite=memsite, **options)
    return Memory.from_defaults(
        session_id=session_id, token_limit=token_limit, memory_blocks=[block], tokenizer_fn=str.split
    )


def said(memsite: Memsite) -> list[str]:
    return sorted(row["raw_content"] for row in memsite.list_resources())


async def test_what_is_known_stands_in_the_system_message(memsite: Memsite) -> None:
    memsite.create_memory("Ann is vegan", user_id="ann")
    memory = memory_of(memsite, "chat-1", user_id="ann")
    await memory.aput(ChatMessage(role="user", content="Is Ann vegan?"))
    first, second = await memory.aget()
    assert first.role.value == "system"
    assert "Ann is vegan" in first.content
    assert second.content == "Is Ann vegan?"


async def test_what_nobody_asks_for_is_not_told(memsite: Memsite) -> None:
    memsite.create_memory("Ann is vegan", user_id="ann")
    memory = memory_of(memsite, "chat-1", user_id="ben")
    await memory.aput(ChatMessage(role="user", content="Is Ann vegan?"))
    assert [message.role.value for message in await memory.aget()] == ["user"]


async def test_each_message_is_stored_once(memsite: Memsite) -> None:
    for _ in range(2):
        memory = memory_of(memsite, "chat-1")
        await memory.aput_messages(
            [ChatMessage(role="user", content="Hi"), ChatMessage(role="assistant", content="Yes?")]
        )
        await memory.aget()
        await memory.aget()
    assert said(memsite) == ["Hi", "Yes?"]


async def test_what_no_longer_fits_is_stored_in_its_conversation(memsite: Memsite) -> None:
    memory = memory_of(memsite, "chat-1", token_limit=30, learns_at_once=False)
    for number in range(8):
        await memory.aput(ChatMessage(role="user", content=f"Message {number} of some words that fill it"))
        await memory.aput(ChatMessage(role="assistant", content=f"Answer {number}"))
    assert "Message 0 of some words that fill it" in said(memsite)
    assert [session["external_id"] for session in memsite.list_sessions()] == ["chat-1"]


class Echo(CustomLLM):
    """Answers with its whole prompt."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        from llama_index.core.base.llms.types import CompletionResponse

        return CompletionResponse(text=prompt)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


async def test_a_chat_knows_what_was_said_in_another(memsite: Memsite, learnt: Callable[[str], str]) -> None:
    for session, question in (("chat-1", "I am vegan."), ("chat-2", "Am I vegan?")):
        engine = SimpleChatEngine.from_defaults(llm=Echo(), memory=memory_of(memsite, session, user_id="ann"))
        answer = await engine.achat(question)
        learnt("vegan")
    assert "memory-context" in str(answer)
    assert "vegan" in str(answer).partition("</memory-context")[0]
