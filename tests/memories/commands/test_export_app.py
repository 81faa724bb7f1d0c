"""`manage.py export_app`: an app into a file, without a server."""

from __future__ import annotations

import gzip
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import Caller
from tests.memories.import_export.moving import export


def run(file: Path) -> str:
    out = StringIO()
    call_command("export_app", "acme", str(file), stdout=out)
    return out.getvalue()


def test_the_file_is_the_apps_and_takes_the_place_of_the_one_before(alice: Caller, tmp_path: Path) -> None:
    alice.remember("Whales sing")
    for name in ("acme.ndjson", "acme.ndjson", "acme.ndjson.gz"):
        assert run(tmp_path / name).startswith(f"{tmp_path / name}: ")
    assert (tmp_path / "acme.ndjson").read_bytes() == export(alice.app)
    assert gzip.decompress((tmp_path / "acme.ndjson.gz").read_bytes()) == export(alice.app)
    assert len(list(tmp_path.iterdir())) == 2


def test_where_a_link_leads_is_written_and_the_link_stays(alice: Caller, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to("acme.ndjson")
    run(tmp_path / "latest")
    assert (tmp_path / "latest").is_symlink()
    assert (tmp_path / "acme.ndjson").read_bytes() == export(alice.app)


def test_folders_and_devices_stay_what_they_are(alice: Caller, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path, Path(), Path("/")):
        with pytest.raises(CommandError, match="is no file"):
            run(place)
    assert (tmp_path / "pipe").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_an_end_user_without_a_name_is_a_mistake(alice: Caller, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="argument --user: 1 to 200 characters"):
        call_command("export_app", "acme", str(tmp_path / "one.ndjson"), "--user", "")
    assert not list(tmp_path.iterdir())
