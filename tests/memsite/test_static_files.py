"""Pages have their style, whether or not static files were collected on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsite.http.static_files import StaticFiles


def test_where_nothing_was_collected_a_file_has_its_plain_name(tmp_path: Path) -> None:
    assert (
        StaticFiles(location=tmp_path, base_url="/static/").url("memsite/dashboard.css")
        == "/static/memsite/dashboard.css"
    )


def test_where_files_were_collected_their_names_are_hashed_and_others_are_none(tmp_path: Path) -> None:
    source = tmp_path / "source" / "page.css"
    source.parent.mkdir()
    source.write_text("a {}")
    storage = StaticFiles(location=tmp_path / "static", base_url="/static/")
    with source.open("rb") as file:
        storage.save("page.css", file)
    list(storage.post_process({"page.css": (storage, "page.css")}))
    collected = StaticFiles(location=tmp_path / "static", base_url="/static/")
    assert collected.url("page.css").startswith("/static/page.")
    assert collected.url("page.css") != "/static/page.css"
    with pytest.raises(ValueError, match=r"missing\.css"):
        collected.url("missing.css")


def test_a_plain_name_has_no_file_of_its_own_where_files_were_collected(tmp_path: Path) -> None:
    storage = StaticFiles(location=tmp_path, base_url="/static/")
    (tmp_path / "page.css").write_text("a {}")
    list(storage.post_process({"page.css": (storage, "page.css")}))
    assert [path.name for path in tmp_path.glob("page.css*")] == []
