"""Hosts as network namespaces on one switch, which is a namespace, too: no route leads out of it, and none into it."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "memsite-"
SWITCH = f"{PREFIX}switch"
NETWORK = "10.77.0"
HOSTS = {
    "balancer": 10,
    "web1": 11,
    "web2": 12,
    "worker": 21,
    "db1": 31,
    "db2": 32,
    "db": 33,
    "queue": 41,
    "clients": 99,
}
"""The last number of each one's address. `db` is PgBouncer and `queue` Redis, as compose.postgres.yaml calls them."""
NAMES = Path("/etc/netns")
NAMESPACES = Path("/run/netns")
NOBODY = "02:00:00:00:00:01"
"""An address that no host has: what is sent there is lost, without a word."""
CLONE_NEWNET = 0x40000000
GONE_SECONDS = 5


def address_of(host: str) -> str:
    return f"{NETWORK}.{HOSTS[host]}"


def namespace_of(host: str) -> str:
    return f"{PREFIX}{host}"


def names() -> str:
    """Return /etc/hosts of every host."""
    return "".join(f"{address}\t{name}\n" for name, address in addresses().items()) + "127.0.0.1\tlocalhost\n"


def addresses() -> dict[str, str]:
    return {host: address_of(host) for host in HOSTS}


def ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True).stdout  # noqa: S603, S607


def build() -> None:
    """Make switch and hosts."""
    ip("netns", "add", SWITCH)
    ip("-n", SWITCH, "link", "add", "switch", "type", "bridge")
    ip("-n", SWITCH, "link", "set", "switch", "up")
    for host in HOSTS:
        namespace = namespace_of(host)
        files = NAMES / namespace
        files.mkdir(parents=True, exist_ok=True)
        (files / "hosts").write_text(names())
        # Nobody is asked for names.
        (files / "resolv.conf").write_text("")
        ip("netns", "add", namespace)
        ip("-n", SWITCH, "link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        ip("-n", SWITCH, "link", "set", host, "master", "switch", "up")
        ip("-n", namespace, "address", "add", f"{address_of(host)}/24", "dev", "eth0")
        ip("-n", namespace, "link", "set", "eth0", "up")
        ip("-n", namespace, "link", "set", "lo", "up")


def remove() -> None:
    """Kill what runs in the stand's namespaces, and nothing else; then remove these."""
    for namespace in [*(namespace_of(host) for host in HOSTS), SWITCH]:
        if (NAMESPACES / namespace).exists():
            kill(namespace)
            ip("netns", "delete", namespace)
        shutil.rmtree(NAMES / namespace, ignore_errors=True)


def processes(namespace: str) -> list[int]:
    # This process, or one of its threads, may be there as a client.
    return [int(pid) for pid in ip("netns", "pids", namespace).split() if int(pid) != os.getpid()]


def kill(namespace: str) -> None:
    until = time.monotonic() + GONE_SECONDS
    while (pids := processes(namespace)) and time.monotonic() < until:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def plug(host: str, *, in_: bool) -> None:
    """Plug a host's cable in, or pull it out: nobody hears of that."""
    ip("-n", SWITCH, "link", "set", host, "up" if in_ else "down")


def cut(first: str, second: str) -> None:
    """Lose all that two hosts send each other from now on."""
    for here, there in ((first, second), (second, first)):
        where = ("neigh", "replace", address_of(there), "lladdr", NOBODY, "dev", "eth0", "nud", "permanent")
        ip("-n", namespace_of(here), *where)


def mend(first: str, second: str) -> None:
    for here, there in ((first, second), (second, first)):
        ip("-n", namespace_of(here), "neigh", "del", address_of(there), "dev", "eth0")


@contextmanager
def inside(host: str) -> Iterator[None]:
    """Open this thread's sockets on that host."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open() as here, (NAMESPACES / namespace_of(host)).open() as there:
        enter(libc, there.fileno())
        try:
            yield
        finally:
            enter(libc, here.fileno())


def enter(libc: ctypes.CDLL, namespace: int) -> None:
    if libc.setns(namespace, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
