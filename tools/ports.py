"""Ports for servers that are started a moment later."""

from __future__ import annotations

import socket
from contextlib import suppress
from random import SystemRandom

CHOICE = range(20_000, 32_000)
"""Whoever leaves the choice to the system gets one above these, on Linux as elsewhere."""
MOST_TRIES = 1_000


def free_port() -> int:
    """One of this machine that nobody listens on. RuntimeError if none is found."""
    # Whoever makes chance repeatable, as tests do, would be given the same ones in each of their processes.
    chance = SystemRandom()
    for _ in range(MOST_TRIES):
        port = chance.choice(CHOICE)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError(f"No port is free from {CHOICE.start} to {CHOICE.stop}.")
