"""Files that are whole from the moment they have their names: written under another one, to the disk, then renamed."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from memsite.config.conf import get_conf

LOCK, DRAFT = ".lock", ".draft"


@contextmanager
def draft_in(folder: Path, *, wait: bool = False) -> Iterator[Path]:
    """Yield a path to write to; whatever begins with its name is deleted in the end. One at a time.

    So is what a process left that was killed. Files there are for their owner only. BlockingIOError where somebody
    else writes there, unless it may `wait` for the end of that.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            drop_drafts(folder)
            yield folder / DRAFT
        finally:
            drop_drafts(folder)
    finally:
        os.close(lock)


def without_name() -> IO[bytes]:
    """Return a file in the data directory, made if `manage.py setup` never ran, that is gone when it is closed."""
    folder = get_conf().data_dir
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return TemporaryFile(dir=folder)


def drop_drafts(folder: Path) -> None:
    for draft in folder.glob(f"{DRAFT}*"):
        draft.unlink(missing_ok=True)


def private(path: Path) -> Path:
    """Return a new, empty file that only its owner may read."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def in_place(draft: Path, path: Path) -> Path:
    """Write it to the disk, then rename it."""
    sync(draft)
    draft.replace(path)
    sync(path.parent)
    return path


def sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


MAGIC = b"memsite arrays 2"
PAGE = mmap.ALLOCATIONGRANULARITY
LENGTH_BYTES = 8
About = dict[str, Any]


def write_arrays(file: BinaryIO, about: About, arrays: Mapping[str, NDArray[Any]], capacity: int) -> None:
    """Write arrays of one length, with space for `capacity` rows, which sparse files do not take on the disk.

    `about` is what JSON can tell; `read_about` answers it. OSError where the disk is full.
    """
    places: dict[str, list[Any]] = {}
    end = 0
    for name, array in arrays.items():
        places[name] = [array.dtype.str, list(array.shape[1:]), layout_of(array), end]
        end += aligned(capacity * array.dtype.itemsize * int(np.prod(array.shape[1:], dtype=np.int64)))
    sums = {name: checksum(array) for name, array in arrays.items()}
    size = len(next(iter(arrays.values()), ()))
    header = {"about": about, "arrays": places, "capacity": capacity, "bytes": end, "size": size, "sums": sums}
    head = json.dumps(header).encode()
    begin = aligned(len(MAGIC) + LENGTH_BYTES + len(head))
    file.write(MAGIC + len(head).to_bytes(LENGTH_BYTES, "little") + head)
    for name, array in arrays.items():
        start = begin + places[name][-1]
        if layout_of(array) == "C":
            write_at(file, start, array)
        else:
            for number, column in enumerate(array.T):
                write_at(file, start + number * capacity * array.dtype.itemsize, column)
    file.truncate(begin + end)


def write_at(file: BinaryIO, start: int, array: NDArray[Any]) -> None:
    file.seek(start)
    file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def layout_of(array: NDArray[Any]) -> str:
    """Return "F" where a column's values lie side by side, "C" where a row's do."""
    return "F" if array.ndim == 2 and array.strides[0] < array.strides[1] else "C"


def aligned(size: int) -> int:
    return -(-size // PAGE) * PAGE


def read_about(path: Path) -> About:
    """Read the header. ValueError if it is no such file, or not all of it; OSError if it cannot be read."""
    with path.open("rb") as file:
        about: About = read_head(file)[0]["about"]
        return about


def map_arrays(path: Path) -> tuple[About, dict[str, NDArray[Any]]]:
    """Return what is noted of them, and the arrays, as long as there is room.

    Errors are those of `read_about`; ValueError also where the arrays are not as they were written, which is found
    by reading all of them once: a third of a second for a million rows of signs and numbers, and a second for their
    vectors.

    The file may be replaced or deleted meanwhile: who has mapped it, has it.
    """
    with path.open("rb") as file:
        head, begin = read_head(file)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    arrays = {
        name: np.ndarray((head["capacity"], *shape), np.dtype(kind), mapped, begin + offset, order=layout)
        for name, (kind, shape, layout, offset) in head["arrays"].items()
    }
    size = head["size"]
    for name, array in arrays.items():
        if checksum(array[:size]) != head["sums"][name]:
            raise ValueError(f"{name} is not as it was written.")
    return head["about"], arrays


def checksum(array: NDArray[Any]) -> int:
    """Return the place of the numbers, as they lie in the file: column by column or row by row."""
    total = 0
    for part in array.T if layout_of(array) == "F" else (array,):
        total = zlib.adler32(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data, total or 1)
    return total


def read_head(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return the head, and where the arrays begin."""
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("It is no file of arrays.")
    size = int.from_bytes(file.read(LENGTH_BYTES), "little")
    whole = os.fstat(file.fileno()).st_size
    begin = aligned(len(MAGIC) + LENGTH_BYTES + size)
    if begin > whole:
        raise ValueError("It is not all there.")
    head: dict[str, Any] = json.loads(file.read(size))
    if begin + head["bytes"] != whole:
        raise ValueError("It is not all there.")
    return head, begin
