"""How work grows with what is given to it, measured against itself: a slow machine says the same as a quick one."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time
from typing import TypeVar

Given = TypeVar("Given")
TIMES = 8
ROUNDS = 10
PATIENCE = 2.0
"""Seconds: a busy machine makes each of a few short rounds several times as long as it should be."""


def assert_linear(work: Callable[[Given], object], given: Callable[[int], Given], size: int) -> None:
    assert_power(1, work, given, size)


def assert_quadratic(work: Callable[[Given], object], given: Callable[[int], Given], size: int) -> None:
    assert_power(2, work, given, size)


def assert_power(power: int, work: Callable[[Given], object], given: Callable[[int], Given], size: int) -> None:
    """`work(given(size))` takes less than 4 * 8**power times as long as `work(given(size // 8))`.

    Half of what the next power would take. Of as many rounds as it needs, ten and two seconds at most, the quickest
    counts on either side. What `given` does is not counted, nor what other threads do.
    """
    most = TIMES ** (power + 1) / 2
    smalls: list[float] = []
    larges: list[float] = []
    while len(larges) < ROUNDS or sum(larges) < PATIENCE:
        smalls.append(seconds(work, given(size // TIMES)))
        larges.append(seconds(work, given(size)))
        small, large = min(smalls), min(larges)
        if large < most * small:
            return
    raise AssertionError(f"{TIMES} times as much took {large / small:.0f} times as long: {small:.6f} s and {large:.6f}")


def repeated(unit: str) -> Callable[[int], str]:
    """Texts of so many characters that say `unit` again and again."""
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def seconds(work: Callable[[Given], object], given: Given) -> float:
    """Of the processor, without the collector, which takes longer the more tests came before."""
    gc.disable()
    try:
        started = thread_time()
        work(given)
        return thread_time() - started
    finally:
        gc.enable()
