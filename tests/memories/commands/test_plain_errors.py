"""What goes wrong on a machine is told in one sentence, with advice that fits it."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError

from memories.management import database_message, os_message
from tests.conftest import Caller


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    settings.MEMSITE = replace(settings.MEMSITE, data_dir=tmp_path / "srv" / "data")
    return tmp_path / "srv" / "data"


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("srv/data", errno.EACCES),
        ("srv/data/setup.lock", errno.EACCES),
        ("srv/data/static/dashboard.css", errno.EROFS),
        ("srv", errno.ENOENT),
        ("srv/data", errno.ENOTDIR),
        ("srv/data/static", errno.EEXIST),
    ],
)
def test_what_is_wrong_with_the_data_directory_can_be_helped_by_another(
    data: Path, tmp_path: Path, place: str, number: int
) -> None:
    answer = os_message(OSError(number, "wrong", str(tmp_path / place)))
    assert answer.startswith(f"{tmp_path / place}: wrong. ")
    assert "set MEMSITE_DATA_DIR" in answer


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("facts.json", errno.ENOENT),
        ("srv/facts.json", errno.EACCES),
        ("srv/data/facts.json", errno.ENOENT),
        ("srv/database/facts.json", errno.ENOTDIR),
    ],
)
def test_a_file_that_was_named_has_nothing_to_do_with_it(data: Path, tmp_path: Path, place: str, number: int) -> None:
    assert os_message(OSError(number, "wrong", str(tmp_path / place))) == f"{tmp_path / place}: wrong."


def test_a_full_disk_is_one_wherever_it_is(data: Path, tmp_path: Path) -> None:
    for path in (data / "x", tmp_path / "x", None):
        assert "disk is full" in os_message(OSError(errno.ENOSPC, "No space left", path and str(path)))


def test_what_the_database_says_is_one_line_without_the_statement() -> None:
    error = ProgrammingError('relation "tenancy_app" does not exist\nLINE 1: SELECT "secret" FROM\n              ^\n')
    answer = database_message(error)
    assert answer.endswith('cannot be used: relation "tenancy_app" does not exist. Run `manage.py setup` first.')
    assert "\n" not in answer


@pytest.mark.parametrize(
    "command",
    [
        ("import_app", "acme", "{missing}"),
        ("import_knowledge_graph", "--app", "acme", "{missing}"),
        ("export_app", "acme", "{missing}/acme.ndjson"),
    ],
)
def test_a_mistyped_name_is_a_file_that_is_not_there(alice: Caller, tmp_path: Path, command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"missing[^:]*: No such file or directory\.$"):
        call_command(*(part.format(missing=tmp_path / "missing") for part in command))
