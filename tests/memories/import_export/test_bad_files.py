"""A file in which anything is wrong is refused with the line, and nothing of it is kept."""

from __future__ import annotations

import gzip
import zipfile
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from django.test import override_settings

from memories.import_export.files import BadFile
from memories.models import Import, ImportPart, Memory
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from sessions.models import Resource
from tests.conftest import Caller, fresh_caller, make_app, make_caller
from tests.memories.import_export.moving import agent_of, export, joined, lines, take_in
from tests.shared_data import module_fixture
from tests.tables import each_row

Rows = list[dict[str, Any]]


def build_source() -> tuple[Caller, bytes, App]:
    """Return an agent of an app, the file of this app, and an empty app that takes files in."""
    sara = make_caller(make_app("source"), "sara")
    session = sara.start_session(external_id="x")["id"]
    sara.put(f"sessions/{session}/turns/1", {"llm_output": "[MEMORY:timing:dns] Takes 5s"})
    sara.remember("Whales sing", subject="whales")
    return sara, export(sara.app), make_app("copy")


built = module_fixture(build_source)


@pytest.fixture
def rows(built: tuple[Caller, bytes, App]) -> Rows:
    return lines(built[1])


@pytest.fixture
def source(built: tuple[Caller, bytes, App], db: None) -> App:
    return fresh_caller(built[0]).app


@pytest.fixture
def copy(built: tuple[Caller, bytes, App], db: None) -> App:
    return App.objects.select_related("policy").get(pk=built[2].pk)


def change(of: str, **values: Any) -> Callable[[Rows], Rows]:
    """The first row of a kind, with other values."""

    def changed(rows: Rows) -> Rows:
        place = next(place for place, row in enumerate(rows) if row["type"] == of)
        return [*rows[:place], {**rows[place], **values}, *rows[place + 1 :]]

    return changed


BAD: dict[str, tuple[Callable[[Rows], Rows], str]] = {
    "another format": (change("header", format="zip"), "Line 1: This is no file"),
    "a later version": (change("header", version=2), "Line 1: The file is of version 2"),
    "no header": (lambda rows: rows[1:], "Line 1: This is no file"),
    "an unknown type": (change("agent", type="spy"), "there is no type 'spy'"),
    "an unknown field": (change("agent", spy=1), "agent: 'spy' is not known"),
    "a number for a text": (change("memory", content=3), "memory: content is of the wrong type"),
    "a text for a number": (change("memory", importance="3"), "memory: importance is of the wrong type"),
    "a number that no column holds": (
        change("memory", turn_number=2**31), "memory: turn_number is not from 0 to 2,147,483,647",
    ),
    "a turn that no column holds": (change("turn", number=2**31), "turn: number is not from 0 to 2,147,483,647"),
    "a negative number": (change("memory", access_count=-1), "memory: access_count is not from 0 to 1,073,741,823"),
    "a version that cannot rise": (
        change("memory", version=2**31 - 1), "memory: version is not from 0 to 1,073,741,823",
    ),
    "a policy's number that no column holds": (change("policy", memory_limit=2**31), "memory_limit is not from"),
    "no content": (change("memory", content=""), "memory: it has no content"),
    "too sure": (change("memory", confidence=1.5), "memory: confidence is wrong"),
    "not a status": (change("memory", status="eaten"), "memory: status cannot be 'eaten'"),
    "cold without a past": (change("memory", status="cold"), "a cold memory tells what it was"),
    "a role that is no text": (change("resource", role=5), "resource: role is of the wrong type"),
    "no id": (change("memory", uid="7"), "memory: uid is no id"),
    "no time zone": (change("memory", created_at="2026-01-01T00:00:00"), "does not tell its time zone"),
    "a foreign session": (change("memory", session=str(uuid4())), "its session names no session of this file"),
    "an absent memory": (change("revision", memory=str(uuid4())), "its memory names no memory of this file"),
    "a past of another kind": (
        change("revision", after={"confidence": "high"}), "revision: confidence is of the wrong type",
    ),
    "a past that cannot be": (change("revision", before={"status": "eaten"}), "revision: status cannot be 'eaten'"),
    "a past that nobody knows": (change("revision", after={"mood": "good"}), "revision: 'mood' is not known"),
    "a past with a text for a list": (change("revision", before={"tags": "x"}), "tags and entities are lists of texts"),
    "a past behind what has no id": (
        change("revision", before={"superseded_by": {"7": "2026-01-01T00:00:00+00:00"}}),
        "revision: superseded_by has a time for each id",
    ),
    "a past behind something since no time": (
        change("revision", before={"superseded_by": {str(uuid4()): "soon"}}), "superseded_by has a time for each id",
    ),
    "a loose end": (lambda rows: rows[:-1], "The file ends before its last line"),
    "a line less": (lambda rows: [*rows[:-2], rows[-1]], "and has"),
    "something behind the end": (lambda rows: [*rows, rows[-1]], "Nothing comes after the end"),
    "the same twice": (lambda rows: [*rows[:3], rows[2], *rows[3:]], "stands in the file twice"),
    "a policy that cannot be": (change("policy", memory_limit=0), "policy:"),
    "a policy of another kind": (change("policy", capture_facts="yes"), "policy: capture_facts is of the wrong type"),
    "a policy whose origins are no list": (change("policy", review_origins=None), "policy: A list of different ones"),
}  # fmt: skip


def test_a_vector_of_what_is_no_number_is_named(alice: Caller, copy: App) -> None:
    alice.remember("Whales sing")
    data = b64encode(np.array([1, np.nan], "<f4").tobytes()).decode()
    rows = change("vector", dim=2, data=data)(lines(export(alice.app, vectors=True)))
    with pytest.raises(BadFile, match="vector: data has a number that is none"):
        take_in(copy, joined(rows))


@each_row("name", BAD, rolled_back=True)
def test_a_bad_line_is_named_and_nothing_is_kept(name: str, rows: Rows, copy: App) -> None:
    spoil, message = BAD[name]
    with pytest.raises(BadFile) as wrong:
        take_in(copy, joined(spoil(rows)))
    assert str(wrong.value).startswith("Line ")
    assert message in str(wrong.value)
    assert not Memory.objects.for_app(copy).exists()
    assert not Import.objects.exists()
    assert not ImportPart.objects.exists()


@each_row(
    "word, role",
    [
        ("developer", "system"),
        ("Human", "user"),
        ("USER", "user"),
        ("function", "tool"),
        ("critic", "tool"),
        ("ai", "assistant"),
    ],
    rolled_back=True,
)
def test_a_role_that_was_once_taken_is_read(word: str, role: str, rows: Rows, copy: App) -> None:
    assert take_in(copy, joined(change("resource", role=word)(rows))).status == "done"
    assert Resource.objects.for_app(copy).get().role == role


@each_row("line", [b"{", b"[]", b'"x"', b"\xff", b'{"type": 1}', b'{"type": "memory", "a": NaN}'], rolled_back=True)
def test_a_line_that_is_no_row_is_named(line: bytes, rows: Rows, copy: App) -> None:
    content = joined(rows[:1]) + line + b"\n" + joined(rows[1:])
    with pytest.raises(BadFile, match=r"^Line 2: "):
        take_in(copy, content)


def test_the_number_is_that_of_the_line(rows: Rows, copy: App) -> None:
    place = next(place for place, row in enumerate(rows) if row["type"] == "memory")
    with pytest.raises(BadFile, match=f"^Line {place + 1}: "):
        take_in(copy, joined(change("memory", kind="x")(rows)))


def test_ids_of_another_app_lead_nowhere(charlie: Caller, rows: Rows, copy: App) -> None:
    """Neither by naming its rows, nor by having the same: those are rows of their own."""
    foreign = charlie.remember("Bears sleep")["id"]
    with pytest.raises(BadFile):
        take_in(copy, joined(change("revision", memory=foreign)(rows)))
    before = export(charlie.app)
    memory = next(row for row in rows if row["type"] == "memory")
    spy = lines(joined(rows).replace(memory["uid"].encode(), foreign.encode()))
    row = take_in(copy, joined(spy), trust=True)
    assert (row.status, row.counts["memory"]) == ("done", {"new": 2})
    assert export(charlie.app) == before
    assert charlie.get(f"memories/{foreign}").json()["content"] == "Bears sleep"


def test_a_gzip_file_is_read_and_a_bomb_is_not(rows: Rows, copy: App) -> None:
    small = replace(get_conf(), import_megabytes=1)
    with override_settings(MEMSITE=small):
        with pytest.raises(BadFile, match="more than 1,048,576 bytes when unpacked"):
            take_in(copy, gzip.compress(joined(rows[:1]) + b" " * 2_000_000))
        with pytest.raises(BadFile, match="damaged gzip"):
            take_in(copy, gzip.compress(joined(rows))[:-20])
        assert take_in(copy, gzip.compress(joined(rows))).status == "done"


def test_a_zip_file_that_unpacks_without_end_is_refused_whatever_it_says_of_its_size(copy: App) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"note-{number}.md", b"# A note\n" + b"x" * 400_000)
    # The sizes that its directory tells are those of empty files.
    lying = packed.getvalue().replace((400_009).to_bytes(4, "little"), (0).to_bytes(4, "little"))
    with override_settings(MEMSITE=replace(get_conf(), import_megabytes=1)):
        for content in (packed.getvalue(), lying):
            with pytest.raises(BadFile):
                agent_of(copy).survey_import(BytesIO(content), "markdown")
    assert not Import.objects.exists()


def test_a_line_without_end_is_refused_before_it_fills_the_memory(rows: Rows, copy: App) -> None:
    bounded = override_settings(MEMSITE=replace(get_conf(), max_line_bytes=10_000))
    with bounded, pytest.raises(BadFile, match=r"^Line 2: It has more than 10,000 bytes"):
        take_in(copy, joined(rows[:1]) + b"x" * 300_000)


def test_a_dry_run_says_of_the_policy_what_the_import_does(rows: Rows, copy: App) -> None:
    fresh = agent_of(copy).survey_import(BytesIO(joined(rows)), "memsite")
    assert (fresh["policy"], take_in(copy, joined(rows)).counts["policy"]) == ({"new": 1}, {"new": 1})
    later = agent_of(copy).survey_import(BytesIO(joined(rows)), "memsite")
    assert (later["policy"], take_in(copy, joined(rows)).counts["policy"]) == ({"left_out": 1}, {"left_out": 1})


def test_a_dry_run_counts_and_keeps_nothing(rows: Rows, copy: App, source: App) -> None:
    content = joined(rows)
    counts = agent_of(copy).survey_import(BytesIO(content), "memsite", trust=True)
    assert (counts["memory"], counts["session"]) == ({"new": 2, "known": 0}, {"new": 1, "known": 0})
    assert not Import.objects.exists()
    counts = agent_of(source).survey_import(BytesIO(content), "memsite")
    assert counts["memory"] == {"new": 0, "known": 2}
