"""The server of the dialect: nine tools, and the graph as a resource."""

from __future__ import annotations

from functools import partial
from typing import Any

import mcp_types as mcp
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from memories.api.storing import StoringView
from memories.compat.mcp_memory.tools import as_text, graph_of, toolbox
from memories.mcp.server import in_thread, serving

GRAPH = "memory://knowledge-graph"
JSON = "application/json"


def make_server(door: StoringView) -> Server[Any]:
    return serving(
        "memory-server", toolbox, door,
        on_list_resources=in_thread(list_resources),
        on_read_resource=in_thread(partial(read_resource, door)),
    )  # fmt: skip


def list_resources(params: Any) -> mcp.ListResourcesResult:
    graph = mcp.Resource(
        name="knowledge-graph", title="Knowledge Graph", uri=GRAPH, mime_type=JSON,
        description="All entities and relations.",
    )  # fmt: skip
    return mcp.ListResourcesResult(resources=[graph])


def read_resource(door: StoringView, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
    if params.uri != GRAPH:
        raise MCPError(code=mcp.INVALID_PARAMS, message="There is nothing at this address.", data={"uri": params.uri})
    text = as_text(graph_of(door).whole())
    return mcp.ReadResourceResult(contents=[mcp.TextResourceContents(uri=GRAPH, mime_type=JSON, text=text)])
