"""Web processes keep to a processor each, where they are as many as these."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memsite.ops.processes import Kept, keep_to_one, least_taken

ROOT = Path(__file__).resolve().parents[2]
PROCESSORS = len(os.sched_getaffinity(0)) if sys.platform.startswith("linux") else 0
needs_some = pytest.mark.skipif(PROCESSORS < 2, reason="needs Linux and two processors")
# Starts as many children as there are processors, and then, while the first ones live, as many again, one by one: as
# granian does when it gets new code. Each of the old ones ends after its successor was started.
PARENT = """
import os, signal, sys
from pathlib import Path
from memsite.ops.processes import keep_to_one

def start():
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        count = len(os.sched_getaffinity(0))
        processor = keep_to_one(count, Path(sys.argv[1]))
        threads = {tuple(os.sched_getaffinity(int(one))) for one in os.listdir("/proc/self/task")}
        assert threads == {(processor,)}, threads
        os.write(tell, str(processor).encode())
        signal.pause()
    return child, told

def processor_of(one):
    return int(os.read(one[1], 9))

def stop(one):
    os.kill(one[0], signal.SIGKILL)
    os.waitpid(one[0], 0)

old = [start() for _ in os.sched_getaffinity(0)]
print(*map(processor_of, old))
# One has died and is started anew: it takes what is free.
stop(old[0])
old[0] = start()
new = []
print(processor_of(old[0]))
for one in old:
    new.append(start())
    print(processor_of(new[-1]))
    stop(one)
for one in new:
    stop(one)
"""

# As `manage.py serve` has it: each has a parent of its own, and these have one in common.
COUSINS = """
import os, sys
from pathlib import Path
from memsite.ops.processes import keep_to_one
count = len(os.sched_getaffinity(0))
until, end = os.pipe()
for _ in range(count):
    told, tell = os.pipe()
    if os.fork() == 0:
        os.close(end)
        if os.fork() == 0:
            os.write(tell, str(keep_to_one(count, Path(sys.argv[1]))).encode())
        os.read(until, 1)
        os._exit(0)
    print(os.read(told, 9).decode())
"""


@needs_some
def test_each_has_its_own_where_each_has_a_parent_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-c", COUSINS, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    assert sorted(map(int, done.stdout.split())) == sorted(os.sched_getaffinity(0))


@needs_some
def test_each_has_its_own_also_after_a_crash_and_new_code(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    assert done.returncode == 0, done.stderr
    first, free, *new = done.stdout.splitlines()
    every = sorted(os.sched_getaffinity(0))
    assert sorted(map(int, first.split())) == every
    assert free == first.split()[0]
    assert sorted(map(int, new)) == every


@needs_some
@pytest.mark.parametrize("processes", [0, 1, PROCESSORS - 1])
def test_fewer_processes_than_processors_keep_to_none(tmp_path: Path, processes: int) -> None:
    before = os.sched_getaffinity(0)
    assert keep_to_one(processes, tmp_path) is None
    assert os.sched_getaffinity(0) == before


@needs_some
def test_where_the_folder_is_not_there_all_stays_as_it_is(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    assert keep_to_one(PROCESSORS, tmp_path / "nowhere") is None
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize(
    ("taken", "chosen"),
    [
        ([], 0),
        ([Kept(0, 5)], 1),
        ([Kept(1, 5)], 0),
        ([Kept(0, 5), Kept(1, 6)], 0),
        ([Kept(0, 5), Kept(0, 9), Kept(1, 6)], 1),
        # Old on both, and a new one that has replaced none yet on the first.
        ([Kept(0, 9), Kept(1, 6)], 1),
        ([Kept(7, 1)], 0),
    ],
)
def test_the_one_to_which_fewest_keep_or_that_was_taken_longest_ago(taken: list[Kept], chosen: int) -> None:
    assert least_taken({0, 1}, taken) == chosen
