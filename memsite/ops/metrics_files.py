"""Several processes count, and whichever of them is asked tells the counts of all.

prometheus_client keeps what a process counts in files of its own, mapped into memory, and adds them up. Beside them
each process holds a lock as long as it lives: so whoever comes next knows who is gone, however that one ended and
whatever its number was, which may be another's by now, or another container's on the same volume. What those who are
gone have counted is put together into one file, so that nothing counts backwards; when nobody is left, all begins anew.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from prometheus_client import CollectorRegistry, generate_latest, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.values import MultiProcessValue

GATE, LOCK = "gate", ".lock"
KINDS_OF_FILE = ("counter", "histogram")
GONE = "gone"
FILE_BYTES = 1 << 20
"""Room for some thousand series."""

_folder: Path | None = None


def join(folder: Path, process: str) -> None:
    """Let this process, of the kind `process`, count in `folder` from here on. Once, before it counts anything."""
    global _folder
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name, pid = f"{process}-{token_hex(8)}", os.getpid()
    with gate(folder, fcntl.LOCK_EX):
        tidy(folder)
        hold(folder / f"{name}{LOCK}")
        for kind in KINDS_OF_FILE:
            # Whole, and on the disk: where that is full, growing a file in memory would end the process.
            (folder / f"{kind}_{name}.db").write_bytes(bytes(FILE_BYTES))
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    # A process that this one forks has files of its own.
    values.ValueClass = MultiProcessValue(  # type: ignore[no-untyped-call]
        lambda: name if os.getpid() == pid else f"{name}.{os.getpid()}"
    )
    _folder = folder


def counts_of_all(own: CollectorRegistry) -> bytes:
    """Return the exposition of what all processes have counted; of `own`, where each counts for itself."""
    if _folder is None:
        return generate_latest(own)
    with gate(_folder, fcntl.LOCK_SH):
        together = CollectorRegistry()
        MultiProcessCollector(together, str(_folder))  # type: ignore[no-untyped-call]
        return generate_latest(together)


def processes() -> dict[str, int]:
    """Return how many count at the moment, by kind; none where each counts for itself."""
    if _folder is None:
        return {}
    with gate(_folder, fcntl.LOCK_SH):
        return dict(Counter(lock.name.partition("-")[0] for lock in locks(_folder) if is_held(lock)))


@contextmanager
def gate(folder: Path, how: int) -> Iterator[None]:
    """Let nobody join or be put together while others read."""
    handle = os.open(folder / GATE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)


def hold(lock: Path) -> None:
    """Hold it until the process ends."""
    fcntl.flock(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_held(lock: Path) -> bool:
    handle = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def locks(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{LOCK}"))


def tidy(folder: Path) -> None:
    living = {lock.stem for lock in locks(folder) if is_held(lock)}
    files = sorted(folder.glob("*.db"))
    dead = [path for path in files if name_in(path) not in living]
    for kind in KINDS_OF_FILE:
        some = [path for path in dead if path.name.startswith(f"{kind}_")]
        if living and [path for path in some if name_in(path) != GONE]:
            put_together(some, folder / f"{kind}_{GONE}.db")
        elif not living:
            drop(some)
    drop(lock for lock in locks(folder) if lock.stem not in living)


def name_in(path: Path) -> str:
    """Return the name of the process that counts, or counted, in this file."""
    return path.stem.partition("_")[2].partition(".")[0]


def put_together(files: Iterable[Path], target: Path) -> None:
    """Replace them by their sums. `target` may be one of them."""
    sums = Counter[str]()
    for path in files:
        for key, value, _, _ in MmapedDict.read_all_values_from_file(path):  # type: ignore[no-untyped-call]
            sums[key] += value
    draft = target.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    counters = MmapedDict(str(draft))  # type: ignore[no-untyped-call]
    for key, value in sums.items():
        counters.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]
    counters.close()  # type: ignore[no-untyped-call]
    draft.replace(target)
    drop(path for path in files if path != target)


def drop(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
