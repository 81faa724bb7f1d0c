"""Where indexes are kept: beside a database that is a file, whatever its folders are called."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from django.db.utils import ConnectionHandler

from memsite.db import versions

ENGINE = "memsite.db.sqlite"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("/srv/memory/data/memsite.sqlite3", Path("/srv/memory/data/memsite.sqlite3-indexes")),
        (Path("/srv/data/memsite.sqlite3"), Path("/srv/data/memsite.sqlite3-indexes")),
        (":memory:", None),
        ("file:one?mode=memory&cache=shared", None),
    ],
)
def test_they_lie_beside_the_database(name: Any, folder: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        versions, "connection", ConnectionHandler({"default": {"ENGINE": ENGINE, "NAME": name}})["default"]
    )
    assert versions.index_folder() == folder


@pytest.mark.django_db
def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    name = tmp_path / "memsite.sqlite3"
    options = {"init_command": "PRAGMA journal_mode=WAL"}
    database = ConnectionHandler({"default": {"ENGINE": ENGINE, "NAME": str(name), "OPTIONS": options}})["default"]
    with database.cursor() as cursor:
        cursor.execute("CREATE TABLE said (text TEXT)")
        assert len(modes := {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}) == 3
    database.close()
    assert set(modes.values()) == {0o600}
    name.chmod(0o640)
    database.connect()
    database.close()
    assert stat.S_IMODE(name.stat().st_mode) == 0o640
