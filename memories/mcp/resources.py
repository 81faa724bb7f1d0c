"""What can be read without asking for it by a tool: lessons, and what is written about each category."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

import mcp_types as mcp
from mcp.shared.exceptions import MCPError

from memories.api.storing import StoringView

LESSONS = "memsite://lessons"
CATEGORIES = "memsite://categories/"
MARKDOWN = "text/markdown"


def list_resources(door: StoringView, params: Any) -> mcp.ListResourcesResult:
    lessons = mcp.Resource(
        name="lessons", title="Lessons", uri=LESSONS, mime_type=MARKDOWN,
        description="What users corrected and agents learnt.",
    )  # fmt: skip
    return mcp.ListResourcesResult(
        resources=[lessons, *(of_category(one.name) for one in door.memory_agent().categories(""))]
    )


def of_category(name: str) -> mcp.Resource:
    return mcp.Resource(
        name=name, title=f"Category {name}", uri=CATEGORIES + quote(name, safe=""), mime_type=MARKDOWN,
        description=f"What is known in the category {name}.",
    )  # fmt: skip


def list_templates(params: Any) -> mcp.ListResourceTemplatesResult:
    template = mcp.ResourceTemplate(
        name="category", title="A category", uri_template=CATEGORIES + "{name}", mime_type=MARKDOWN,
        description="What is known in one category.",
    )  # fmt: skip
    return mcp.ListResourceTemplatesResult(resource_templates=[template])


def read_resource(door: StoringView, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
    text = text_of(door, params.uri)
    if text is None:
        raise MCPError(code=mcp.INVALID_PARAMS, message="There is nothing at this address.", data={"uri": params.uri})
    return mcp.ReadResourceResult(contents=[mcp.TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=text)])


def text_of(door: StoringView, uri: str) -> str | None:
    agent = door.memory_agent()
    if uri == LESSONS:
        return agent.lessons_file(None)
    name = unquote(uri.removeprefix(CATEGORIES))
    if not uri.startswith(CATEGORIES) or "\0" in name:
        return None
    summary = agent.summary(name, "")
    return summary.content if summary else None
