"""OAuth 2.1 for MCP clients that cannot be given a key: what they get in the end is one, of an agent, for an hour."""
