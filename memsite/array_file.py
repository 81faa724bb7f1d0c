"""Arrays in a file that processes map into their memory: those that read the same file share its pages.

What a process changes in its arrays is its own, and never reaches the file.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

MAGIC = b"memsite arrays 2"
PAGE = mmap.ALLOCATIONGRANULARITY
LENGTH_BYTES = 8
About = dict[str, Any]


def write_arrays(file: BinaryIO, about: About, arrays: Mapping[str, NDArray[Any]], capacity: int) -> None:
    """Arrays of one length, with room for `capacity` rows, which takes no place on the disk where files may have holes.

    `about` is what JSON can tell; `read_about` answers it. OSError where the disk is full.
    """
    places: dict[str, list[Any]] = {}
    end = 0
    for name, array in arrays.items():
        places[name] = [array.dtype.str, list(array.shape[1:]), layout_of(array), end]
        end += aligned(capacity * array.dtype.itemsize * int(np.prod(array.shape[1:], dtype=np.int64)))
    sums = {name: checksum(array) for name, array in arrays.items()}
    size = len(next(iter(arrays.values()), ()))
    told = {"about": about, "arrays": places, "capacity": capacity, "bytes": end, "size": size, "sums": sums}
    head = json.dumps(told).encode()
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
    """ "F" where a column's values lie side by side, "C" where a row's do."""
    return "F" if array.ndim == 2 and array.strides[0] < array.strides[1] else "C"


def aligned(size: int) -> int:
    return -(-size // PAGE) * PAGE


def read_about(path: Path) -> About:
    """ValueError if it is no such file, or not all of it; OSError if it cannot be read."""
    with path.open("rb") as file:
        about: About = read_head(file)[0]["about"]
        return about


def map_arrays(path: Path) -> tuple[About, dict[str, NDArray[Any]]]:
    """What is told of them, and the arrays, as long as there is room in the file. Errors are those of `read_about`;
    ValueError also where the arrays are not as they were written, which is found by reading all of them once: a third
    of a second for a million rows of signs and numbers, and a second for their vectors.

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
    """Of the numbers, as they lie in the file: column by column or row by row."""
    total = 0
    for part in array.T if layout_of(array) == "F" else (array,):
        total = zlib.adler32(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data, total or 1)
    return total


def read_head(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The head, and where the arrays begin."""
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
