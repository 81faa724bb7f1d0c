"""`manage.py import_app`: a file into an app, without a server."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories.models import Memory
from memories.services import import_export
from memsite.tenancy.models import AppPolicy
from tests.conftest import Caller
from tests.memories.import_export.moving import take_in

FACTS = json.dumps([{"id": "1", "memory": "Likes tea"}, {"id": "2", "memory": "Lives in Porto"}]).encode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "facts.json"
    path.write_bytes(FACTS)
    return path


def run(file: Path, *arguments: str) -> str:
    out = StringIO()
    call_command("import_app", "acme", str(file), *arguments, stdout=out)
    return out.getvalue()


def test_it_says_what_came_of_it(alice: Caller, file: Path) -> None:
    assert run(file, "--source", "mem0") == "memory: 2 new\n2 lines imported.\n"
    assert run(file, "--source", "mem0") == "memory: 2 known\n2 lines imported.\n"
    file.write_text("# Notes\n\nI live in Porto.")
    run(file, "--source", "markdown")
    answer = run(file, "--source", "markdown").splitlines()
    assert sorted(answer) == ["1 lines imported.", "message: 1 known", "session: nothing new"]


def test_one_that_was_killed_is_gone_on_with(alice: Caller, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(import_export, "MOST_AT_ONCE", 0)
        take_in(alice.app, FACTS, "mem0")
    with pytest.raises(CommandError, match=r"under way.*`manage\.py run_job imports --app acme`"):
        run(file, "--source", "mem0")
    assert not Memory.objects.exists()
    call_command("run_job", "imports", app="acme", stdout=StringIO())
    assert Memory.objects.count() == 2
    assert run(file, "--source", "mem0") == "memory: 2 known\n2 lines imported.\n"


def test_a_full_app_is_told_with_one_full_stop(alice: Caller, file: Path) -> None:
    alice.remember("Whales sing", pinned=True)
    AppPolicy.objects.update(memory_limit=1)
    with pytest.raises(CommandError, match=r"^The import has failed: The app may hold 1 memories.*[^.]\.$"):
        run(file, "--source", "mem0")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--agent", "a b", "--source", "mem0"), "letters, digits"),
        (("--agent", "a" * 65, "--source", "mem0"), "64 at most"),
        (("--agent", "anna"), "tells its agents itself"),
        (("--user", "u" * 201, "--source", "mem0"), "1 to 200 characters"),
        (("--user", "", "--source", "mem0"), "1 to 200 characters"),
    ],
)
def test_names_that_cannot_be_are_refused(alice: Caller, file: Path, arguments: tuple[str, ...], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run(file, *arguments)
    assert not Memory.objects.exists()
