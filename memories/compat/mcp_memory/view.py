"""The address of the dialect: the same transport as `/mcp`, other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memories.mcp.view import MCPView

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server


class ReferenceMemory(MCPView):
    def server(self) -> Server[Any]:
        from memories.compat.mcp_memory.server import make_server

        return make_server(self)
