"""The MCP server of the bundle: passes each message on to the Memsite server that its user has named."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lib"))

from memsite_client.configuration import find_server
from memsite_client.mcp_stdio import Bridge

for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
    stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")
Bridge(find_server()).run(sys.stdin, sys.stdout)
