"""A plugin for `make statements`: write into REPEATED the tests whose every SQL statement another test sends, too.

Two statements are the same if their texts are, but for numbers and the lengths of lists. Tests are chosen until
every statement is sent by one of them, first who sends most new ones in a second (greedy set cover). REPEATED has the
rest, which run on SQLite only. Never in it: tests of searches, in which the databases differ most, tests with
transactions of their own, and tests that sent nothing from this process.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from django.db.backends.utils import CursorWrapper

REPEATED = Path(__file__).with_name("repeated.txt")
ALWAYS = ("tests/memories/retrieve/", "tests/memories/index/")
LEAST_SECONDS = 0.05
"""What a test costs at least: so much is its set-up."""
NUMBER = re.compile(r"\d+")
VALUES = re.compile(r"%s(?:, ?%s)+")
ROWS = re.compile(r"\(%s\)(?:, ?\(%s\))+")

sent: dict[str, set[int]] = defaultdict(set)
seconds: Counter[str] = Counter()
always: set[str] = set()
running = ""


def function_of(nodeid: str) -> str:
    """Return the name of a test without those of its case and of its group."""
    return re.split(r"[\[@]", nodeid, maxsplit=1)[0]


def noting(send: Callable[..., Any]) -> Callable[..., Any]:
    def note_and_send(cursor: CursorWrapper, sql: Any, *arguments: Any) -> Any:
        text = ROWS.sub("(%s)", VALUES.sub("%s", NUMBER.sub("0", str(sql))))
        sent[running].add(crc32(text.encode()))
        return send(cursor, sql, *arguments)

    return note_and_send


def pytest_configure() -> None:
    CursorWrapper.execute = noting(CursorWrapper.execute)  # type: ignore[method-assign]
    CursorWrapper.executemany = noting(CursorWrapper.executemany)  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    global running  # one test runs at a time
    running, began = function_of(item.nodeid), time.process_time()
    mark = item.get_closest_marker("django_db")
    if "transactional_db" in getattr(item, "fixturenames", ()) or (mark and mark.kwargs.get("transaction")):
        always.add(running)
    try:
        return (yield)
    finally:
        seconds[running] += time.process_time() - began


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["sent"] = {name: sorted(statements) for name, statements in sent.items()}
        output["seconds"] = dict(seconds)
        output["always"] = sorted(always)
    else:
        write_repeated()


def pytest_testnodedown(node: Any) -> None:
    for name, statements in node.workeroutput["sent"].items():
        sent[name].update(statements)
    seconds.update(node.workeroutput["seconds"])
    always.update(node.workeroutput["always"])


def write_repeated() -> None:
    sent.pop("", None)
    chosen = {name for name in sent if name in always or name.startswith(ALWAYS)}
    open_ones = set().union(*sent.values()).difference(*(sent[name] for name in chosen))
    while open_ones:
        best = max(sent, key=lambda name: len(sent[name] & open_ones) / max(seconds[name], LEAST_SECONDS))
        open_ones -= sent[best]
        chosen.add(best)
    REPEATED.write_text("".join(f"{name}\n" for name in sorted(sent.keys() - chosen)))
