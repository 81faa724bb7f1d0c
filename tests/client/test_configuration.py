"""Where the server is, and which key opens it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memsite_client import NotConfigured
from memsite_client.configuration import find_server, root_of, server_of


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def keep(home: dict[str, str], text: str) -> None:
    file = Path(home["HOME"], ".config", "memsite", "config.json")
    file.parent.mkdir(parents=True)
    file.write_text(text)


def test_it_is_on_this_machine_unless_said_otherwise(home: dict[str, str]) -> None:
    assert server_of(environment=home) == ("http://127.0.0.1:8000", "")


def test_what_is_given_counts_before_the_environment_and_that_before_the_file(home: dict[str, str]) -> None:
    keep(home, json.dumps({"url": "http://kept.test", "api_key": "mst_kept"}))
    assert find_server(environment=home) == ("http://kept.test", "mst_kept")
    output = {**home, "MEMSITE_URL": "http://told.test", "MEMSITE_API_KEY": "mst_told"}
    assert find_server(environment=output) == ("http://told.test", "mst_told")
    assert find_server("http://given.test", "mst_given", output) == ("http://given.test", "mst_given")


def test_a_kept_key_goes_to_the_server_it_was_kept_for_and_to_no_other(home: dict[str, str]) -> None:
    keep(home, json.dumps({"url": "http://kept.test", "api_key": "mst_kept"}))
    with pytest.raises(NotConfigured, match="MEMSITE_API_KEY"):
        find_server("http://elsewhere.test", environment=home)


def test_where_settings_lie_can_be_said(home: dict[str, str], tmp_path: Path) -> None:
    keep({"HOME": str(tmp_path / "other")}, json.dumps({"api_key": "mst_other"}))
    assert server_of(environment={**home, "XDG_CONFIG_HOME": str(tmp_path / "other" / ".config")}).key == "mst_other"


@pytest.mark.parametrize("text", ["not json", "[]", "\udcff"])
def test_a_file_that_cannot_be_read_is_told(home: dict[str, str], text: str) -> None:
    file = Path(home["HOME"], ".config", "memsite", "config.json")
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(NotConfigured, match=r"config\.json"):
        server_of(environment=home)
    output = {**home, "MEMSITE_URL": "http://told.test", "MEMSITE_API_KEY": "mst_told"}
    assert server_of(environment=output).key == "mst_told"


@pytest.mark.parametrize(
    "url", ["http://x.test", "http://x.test/", "http://x.test/api/v1", "http://x.test/api/v1/", " http://x.test\n"]
)
def test_an_address_may_end_as_it_likes(url: str) -> None:
    assert root_of(url) == "http://x.test"


def test_a_server_may_live_below_a_path() -> None:
    assert server_of("https://x.test/memsite/api/v1", "k", {}).api == "https://x.test/memsite/api/v1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x.test",
        "ftp://x.test",
        "http://",
        "http://x.test?a=1",
        "http://x.test#a",
        "http://[x",
        "http://x..test",
        f"http://{'x' * 64}.test",
    ],
)
def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(NotConfigured, match="address"):
        root_of(url)


@pytest.mark.parametrize("key", ["mst key", "mst_ü", "mst\nX-Evil: 1"])
def test_what_cannot_be_a_key_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(NotConfigured) as caught:
        server_of("http://x.test", key, {})
    assert key not in str(caught.value)
