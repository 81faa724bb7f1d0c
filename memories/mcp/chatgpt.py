"""The tools `search` and `fetch` as ChatGPT's connectors and deep research ask for them, at `/mcp/chatgpt`.

Both take one text and answer with one document, as JSON in a text and as structured content. Our own `search` answers
otherwise, so these have an address of their own.
"""

from __future__ import annotations

from typing import Annotated, Any

from django.urls import reverse
from django.utils.http import urlencode
from mcp.server.lowlevel.server import Server
from pydantic import Field

from memories.api.base import memory_with, or_404
from memories.api.fields import validated
from memories.api.pagination import as_uuid, search_page
from memories.api.serializers.memories import SearchQuestion, show_memory
from memories.mcp.server import serving
from memories.mcp.toolbox import Toolbox, ToolContext
from memories.models import Memory
from memories.models.document import citation_of
from memories.retrieve.injection_guard import safe_memories
from memsite.tenancy.authentication import Principal

MOST_RESULTS = 10
TITLE_CHARACTERS = 100
MOST_PASSAGES = 500
METADATA = ("category", "subject", "kind", "tags", "confidence", "status", "user_id", "created_at", "updated_at")
toolbox = Toolbox()


@toolbox.reads("Search memories")
def search(ctx: ToolContext, query: Annotated[str, Field(description="What you want to know.")]) -> dict[str, Any]:
    """Finds memories and documents by meaning, the best first: id, title and address of each. `fetch` reads one."""
    question = validated(SearchQuestion, {"query": query, "limit": MOST_RESULTS})
    recall, _ = search_page(ctx.agent, question)
    rows = safe_memories([hit.memory for hit in recall.hits], ctx.agent.app.policy)
    # Several passages of a document are one result.
    results = {result["id"]: result for result in (result_of(ctx, row) for row in reversed(rows))}
    return {"results": [*results.values()][::-1]}


@toolbox.reads("Read a memory or document")
def fetch(ctx: ToolContext, id: Annotated[str, Field(description="As `search` tells it.")]) -> dict[str, Any]:
    """The whole text of one memory or document."""
    agent, uid = ctx.agent, as_uuid("id", id)
    document = agent.documents().filter(uid=uid).first()
    if document is None:
        memory = memory_with(agent, uid)
        [memory] = or_404(safe_memories([memory], agent.app.policy) or None)
        fields = show_memory(memory)
        about = {name: fields[name] for name in METADATA if fields.get(name) not in (None, "", [])}
        return {**result_of(ctx, memory), "text": memory.text, "metadata": about}
    passages = safe_memories(list(agent.passages_of(document)[:MOST_PASSAGES]), agent.app.policy)
    text = "\n\n".join(row.content for row in passages)
    return {
        **document_result(ctx, document.uid, document.name),
        "text": text,
        "metadata": {"pages": document.pages, "passages": document.passages, "status": document.status},
    }


def result_of(ctx: ToolContext, memory: Memory) -> dict[str, Any]:
    if place := citation_of(memory):
        return document_result(ctx, place["id"], place["name"])
    line = " ".join(memory.text.split())
    title = line if len(line) <= TITLE_CHARACTERS else f"{line[:TITLE_CHARACTERS].rpartition(' ')[0]} …"
    return {"id": memory.uid, "title": title, "url": address(ctx, "memories-one", memory.uid)}


def document_result(ctx: ToolContext, uid: Any, name: str) -> dict[str, Any]:
    return {"id": uid, "title": name, "url": address(ctx, "knowledge-documents-one", uid)}


def address(ctx: ToolContext, name: str, uid: Any) -> str:
    """Return the dashboard's page: ChatGPT cites what has an address."""
    return f"{ctx.root}{reverse(name, args=[uid])}?{urlencode({'app': ctx.agent.app.app_id})}"


def make_server(caller: Principal, root: str) -> Server[Any]:
    return serving("memsite", toolbox, ToolContext(caller, root), title="Memsite")
