"""A Redis of one's own for as long as a command runs: the machine's `redis-server`, on loopback, in memory alone.

    .venv/bin/python -m tools.redis .venv/bin/python -m pytest tests/memsite/test_redis.py

The command finds its address in TEST_BROKER_URL. Without a `redis-server` it runs all the same, and is told so.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from tools import call
from tools.ports import free_port

ALONE = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning")
PATIENCE_SECONDS = 60


def main(command: list[str]) -> int:
    """Return the command's exit code."""
    program = shutil.which("redis-server")
    if program is None:
        print("There is no redis-server here: what needs one is skipped.", file=sys.stderr)  # noqa: T201
        return call(command)
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="memsite-redis-") as folder,
        subprocess.Popen([program, "--port", str(port), "--dir", folder, *ALONE]) as server,  # noqa: S603
    ):
        try:
            wait_for(port, server)
            address = f"redis://127.0.0.1:{port}/0"
            return call(command, {**os.environ, "TEST_BROKER_URL": address})
        finally:
            server.terminate()


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """SystemExit if it does not come."""
    until = time.monotonic() + PATIENCE_SECONDS
    while server.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return
    sys.exit("redis-server did not start.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
