"""Where indexes are kept: beside a database that is a file, whatever its folders are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db.utils import ConnectionHandler

from memsite.sqlite import files

ENGINE = "memsite.sqlite"


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
        files, "connection", ConnectionHandler({"default": {"ENGINE": ENGINE, "NAME": name}})["default"]
    )
    assert files.index_folder() == folder
