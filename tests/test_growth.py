"""The measure of growth, by a clock that ticks with the work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import growth
from tests.growth import assert_linear, assert_quadratic, repeated


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], Callable[[int], None]]:
    """Work that takes `size ** power` seconds."""
    now = 0.0

    def of(power: float) -> Callable[[int], None]:
        def tick(size: int) -> None:
            nonlocal now
            now += size**power

        return tick

    monkeypatch.setattr(growth, "thread_time", lambda: now)
    return of


@pytest.mark.parametrize(
    ("measure", "passes", "fails"), [(assert_linear, (0, 1, 1.5), (2, 3)), (assert_quadratic, (0, 1, 2), (3, 4))]
)
def test_work_that_grows_faster_fails(work, measure, passes, fails) -> None:
    for power in passes:
        measure(work(power), int, 800)
    for power in fails:
        with pytest.raises(AssertionError, match="8 times as much took"):
            measure(work(power), int, 800)


def test_one_slow_round_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = iter([1.0, 1_000.0, 1.0, 8.0])
    monkeypatch.setattr(growth, "seconds", lambda *_: next(taken))
    assert_linear(int, int, 8)


def test_neither_do_some_that_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine: ten rounds take no time at all."""
    taken = iter([0.001, 0.044] * 40 + [0.001, 0.008])
    monkeypatch.setattr(growth, "seconds", lambda *_: next(taken))
    assert_linear(int, int, 8)


def test_a_unit_is_repeated_to_the_size() -> None:
    assert repeated("abc")(7) == "abcabca"
