"""A site on several hosts of this machine, until Ctrl-C: prints where it is and a key.

    sudo .venv/bin/python -m tools.hosts [--port 8613]

Nothing is left of it. What another stand has left behind is removed first, so there is one at a time.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tools.hosts.network import PREFIX, address_of, addresses, inside
from tools.hosts.stand import Stand

CHUNK_BYTES = 65_536


def main(arguments: list[str]) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--port", type=int, default=8613, help="on this machine's loopback (8613)")
    given = options.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("Starting eight hosts. That takes about a minute …", flush=True)  # noqa: T201
    with (
        socket.create_server(("127.0.0.1", given.port)) as listener,
        tempfile.TemporaryDirectory(prefix="memsite-hosts-", ignore_cleanup_errors=True) as folder,
        Stand(Path(folder)) as stand,
    ):
        print(description(stand, given.port), flush=True)  # noqa: T201
        with suppress(KeyboardInterrupt), inside("clients"):
            asyncio.run(forward(listener))
        print("Stopping.", flush=True)  # noqa: T201
    return 0


def description(stand: Stand, port: int) -> str:
    lines = [f"  {name:9} {address}  {', '.join(service.name for service in stand.services[name])}"
             for name, address in addresses().items()]  # fmt: skip
    return "\n".join((
        *lines,
        "",
        f"Memsite:       http://127.0.0.1:{port}  (the balancer)",
        f"Operator's key: {stand.operator_key}",
        f"Login and keys: {stand.folder}/web1/memsite/first-start.txt",
        f"Logs and data:  {stand.folder}",
        f"On a host:      ip netns exec {PREFIX}web1 …",
        "Ctrl-C stops all of it.",
    ))  # fmt: skip


async def forward(listener: socket.socket) -> None:
    """Pass on what comes in on this machine; sockets that are opened here are on the clients' host."""

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            there, to = await asyncio.open_connection(address_of("balancer"), 80)
            await asyncio.gather(copy(reader, to), copy(there, writer))

    async with await asyncio.start_server(pass_on, sock=listener) as server:
        await server.serve_forever()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
    writer.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
