"""Processes that end with the process that started them, however that one ended.

Linux only: elsewhere `die_with_parent` does nothing, and children of a parent killed with -9 must be
stopped by hand.
"""

import ctypes
import fcntl
import os
import signal
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

PR_SET_PDEATHSIG = 1  # linux/prctl.h
LOAD_SDK_AFTER_SECONDS = 5.0
"""While processes start together, they have better things to do than what only MCP needs."""


def die_with_parent(parent_pid: int | None = None) -> None:
    """Have the kernel kill this process when its parent dies. Survives exec, is not inherited by children.

    SIGKILL, because it only ever comes when the parent ended without stopping its children in order.
    `parent_pid` is who the parent should be: if it already is another one, ours died before we could ask.
    """
    if not sys.platform.startswith("linux"):
        return
    expected = os.getppid() if parent_pid is None else parent_pid
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != expected:
        os.kill(os.getpid(), signal.SIGKILL)


def web_application() -> Any:
    """Run in each of granian's workers, as its factory: these outlive a killed granian otherwise."""
    starter = parent_process()
    die_with_parent(starter.pid if starter else None)
    from memsite.config.conf import get_conf
    from memsite.config.wsgi import application
    from memsite.ops.metrics import count_together

    keep_to_one(get_conf().web_processes, get_conf().data_dir)
    count_together("web")
    later = Timer(LOAD_SDK_AFTER_SECONDS, load_sdk)
    later.daemon = True
    later.start()
    return application


def load_sdk() -> None:
    """Load what MCP needs, a second or more, before somebody's first request would wait for it."""
    for name in ("mcp.server.streamable_http_manager", "mcp.server.mcpserver.utilities.func_metadata"):
        import_module(name)


PARENT, STARTED = 1, 19
"""Fields of /proc/PID/stat behind the name, from 0: proc(5) counts them from 3."""


class Kept(NamedTuple):
    """A process that keeps to a processor, and when it was started, in ticks since the machine was."""

    processor: int
    started: int


def keep_to_one(processes: int, folder: Path) -> int | None:
    """Keep this process and what it starts to one processor, if there are so many `processes` of its kind; says which.

    Of those that begin at the same time each looks what the others have taken, behind a lock on the `folder`. None
    where there are fewer processes than processors: each may need more than one then, as embedding does.
    """
    if not sys.platform.startswith("linux"):
        return None
    processors = os.sched_getaffinity(0)
    if not 1 < len(processors) <= processes:
        return None
    with suppress(OSError), alone(folder):
        processor = least_taken(processors, list(siblings()))
        for thread in Path("/proc/self/task").iterdir():
            os.sched_setaffinity(int(thread.name), {processor})
        return processor
    return None


def least_taken(processors: Collection[int], taken: Collection[Kept]) -> int:
    """Return the processor that fewest keep to; of equals the one taken longest ago, being replaced."""
    by_processor = {processor: [pin.started for pin in taken if pin.processor == processor] for processor in processors}
    return min(
        by_processor,
        key=lambda processor: (len(by_processor[processor]), max(by_processor[processor], default=0), processor),
    )


def siblings() -> Iterator[Kept]:
    """Yield those that keep to one, of the same parent or one beside it: `manage.py serve` has a granian each."""
    stats: dict[int, list[str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stats[int(folder.name)] = (folder / "stat").read_text().rpartition(")")[2].split()
    parents = {pid: int(stat[PARENT]) for pid, stat in stats.items()}
    own, parent = os.getpid(), os.getppid()
    grandparent = parents.get(parent)
    for pid, its in parents.items():
        if pid != own and (its == parent or (grandparent and parents.get(its) == grandparent)):
            with suppress(OSError):
                processors = os.sched_getaffinity(pid)
                if len(processors) == 1:
                    yield Kept(min(processors), int(stats[pid][STARTED]))


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
