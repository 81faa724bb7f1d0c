"""A processor of its own for each web process, where there are as many of these as processors.

The threads of a Python process take turns at its interpreter. Left alone they take each turn on whichever processor is
free, and what they need is in the cache of another one. Kept to one, two web processes on two processors answered a
quarter more searches a second (docs/adr/0027).

Linux only: elsewhere, and where the kernel does not let us, all stays as it is.
"""

import fcntl
import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

PARENT, STARTED = 1, 19
"""Fields of /proc/PID/stat behind the name, from 0: proc(5) counts them from 3."""


class Kept(NamedTuple):
    """A process that keeps to a processor, and when it was started, in ticks since the machine was."""

    processor: int
    started: int


def keep_to_one(processes: int, folder: Path) -> int | None:
    """Keeps this process and what it starts to one processor, if there are so many `processes` of its kind; says which.

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
    """The one to which fewest keep. Of equals the one that was taken longest ago: who took it is being replaced."""
    by_processor = {one: [kept.started for kept in taken if kept.processor == one] for one in processors}
    return min(by_processor, key=lambda one: (len(by_processor[one]), max(by_processor[one], default=0), one))


def siblings() -> Iterator[Kept]:
    """Those that keep to one, of the same parent or of one beside it: `manage.py serve` has a granian for each."""
    found: dict[int, list[str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found[int(folder.name)] = (folder / "stat").read_text().rpartition(")")[2].split()
    parents = {pid: int(told[PARENT]) for pid, told in found.items()}
    own, parent = os.getpid(), os.getppid()
    grandparent = parents.get(parent)
    for pid, its in parents.items():
        if pid != own and (its == parent or (grandparent and parents.get(its) == grandparent)):
            with suppress(OSError):
                processors = os.sched_getaffinity(pid)
                if len(processors) == 1:
                    yield Kept(min(processors), int(found[pid][STARTED]))


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
