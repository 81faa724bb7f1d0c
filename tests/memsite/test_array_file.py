"""Arrays come out of a file as they went in, with room behind them; what a reader changes in them stays with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memsite.ops.files import map_arrays, read_about, write_arrays

ABOUT = {"whose": "acme", "names": ["Zürich", "東京"]}


def arrays_of(rows: int) -> dict[str, NDArray[Any]]:
    numbers = np.arange(rows)
    return {
        "number": numbers,
        "alive": numbers % 2 == 0,
        "vectors": np.arange(5 * rows, dtype=np.float32).reshape(rows, 5),
        "signs": np.asfortranarray(np.arange(3 * rows, dtype=np.uint64).reshape(rows, 3)),
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arrays"


def write(path: Path, arrays: dict[str, NDArray[Any]], capacity: int) -> None:
    with path.open("wb") as file:
        write_arrays(file, ABOUT, arrays, capacity)


@pytest.mark.parametrize("rows", [0, 1, 7, 5000])
def test_they_come_out_as_they_went_in(path: Path, rows: int) -> None:
    given = arrays_of(rows)
    write(path, given, rows + 100)
    about, arrays = map_arrays(path)
    assert about == read_about(path) == ABOUT
    assert list(arrays) == list(given)
    for name, array in arrays.items():
        assert array.dtype == given[name].dtype
        assert len(array) == rows + 100
        assert np.array_equal(array[:rows], given[name])
        assert not array[rows:].any()


def test_what_lies_side_by_side_still_does(path: Path) -> None:
    arrays = arrays_of(9)
    wide = np.zeros((20, 3), np.uint64, order="F")
    wide[:9] = arrays["signs"]
    write(path, {**arrays, "signs": wide[:9]}, 9)
    _, results = map_arrays(path)
    assert results["signs"].flags.f_contiguous
    assert results["vectors"].flags.c_contiguous
    assert np.array_equal(results["signs"], arrays["signs"])


def test_what_a_reader_changes_stays_with_it(path: Path) -> None:
    write(path, arrays_of(7), 9)
    before = path.read_bytes()
    _, mine = map_arrays(path)
    _, others = map_arrays(path)
    mine["number"][:] = 5
    assert list(others["number"][:7]) == list(range(7))
    assert path.read_bytes() == before


def test_a_file_that_is_deleted_or_replaced_is_still_there_for_its_readers(path: Path) -> None:
    write(path, arrays_of(7), 7)
    _, arrays = map_arrays(path)
    path.unlink()
    write(path, {name: array[::-1] for name, array in arrays_of(7).items()}, 7)
    assert list(arrays["number"]) == list(range(7))


def test_capacity_takes_no_place_on_the_disk(path: Path) -> None:
    write(path, arrays_of(7), 1_000_000)
    assert path.stat().st_size > 50_000_000
    if path.stat().st_blocks == 0:
        pytest.skip("This disk tells nothing.")
    assert path.stat().st_blocks * 512 < 1_000_000


@pytest.mark.parametrize("number", [0, 10, 30, -1])
def test_a_file_that_is_not_all_there_is_refused(path: Path, number: int) -> None:
    write(path, arrays_of(7), 7)
    path.write_bytes(path.read_bytes()[:number])
    for read in (read_about, map_arrays):
        with pytest.raises(ValueError, match=r"no file of arrays|not all there"):
            read(path)


def test_another_file_is_refused(path: Path) -> None:
    path.write_text("something else entirely")
    with pytest.raises(ValueError, match="no file of arrays"):
        map_arrays(path)
