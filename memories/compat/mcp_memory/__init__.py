"""The knowledge graph of MCP's reference memory server, on our store."""
