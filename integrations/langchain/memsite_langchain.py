"""A Memsite server in LangChain: `MemsiteRetriever` finds memories, `MemsiteChatMessageHistory` keeps conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, messages_from_dict, messages_to_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from memsite_client import Memsite
from memsite_client.history import History

__all__ = ["MemsiteChatMessageHistory", "MemsiteRetriever"]


class MemsiteRetriever(BaseRetriever):
    """Find what is known: one document for each memory, best first; none if nothing fits.

    `options` are those of `search_memories`, such as `filters` and `min_score`. `invoke` takes them, too.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memsite: Memsite = Field(default_factory=Memsite, exclude=True)
    k: int = 10
    user_id: str | None = None
    options: dict[str, Any] = {}

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **options: Any
    ) -> list[Document]:
        given = {"limit": k or self.k, "user_id": self.user_id, **self.options, **options}
        return [document_of(hit) for hit in self.memsite.search_memories(query, **given)["results"]]


def document_of(hit: Any) -> Document:
    """Return a memory as a document. Its own metadata stand beside the rest, as `metadata`."""
    told = {name: value for name, value in hit.items() if name not in ("id", "content")}
    return Document(page_content=hit["content"], id=hit["id"], metadata=told)


class MemsiteChatMessageHistory(BaseChatMessageHistory):
    """Keep a conversation word for word, in a session with this `external_id`; what people say in it is learnt from.

    `clear` deletes the session for good, with what was learnt in it: begin another session to forget only the words.
    """

    def __init__(self, session_id: str, memsite: Memsite | None = None, *, user_id: str | None = None) -> None:
        self.history = History(memsite or Memsite(), session_id, user_id=user_id)

    @property
    def messages(self) -> list[BaseMessage]:
        return messages_from_dict(self.history.read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.history.add(
            messages_to_dict(messages),
            user_input=said(messages, "human"),
            llm_output=said(messages, "ai"),
        )

    def clear(self) -> None:
        self.history.clear()


def said(messages: Sequence[BaseMessage], kind: str) -> str:
    return "\n\n".join(text for message in messages if message.type == kind and (text := str(message.text).strip()))
