"""The examples of docs/client.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.serving import Server

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "client.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_run_in_order(
    server: Server, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMSITE_URL", server.url)
    monkeypatch.setenv("MEMSITE_API_KEY", key)
    names: dict[str, object] = {}
    for example in EXAMPLES:
        code = example.replace("http://127.0.0.1:8000", server.url).replace("mst_…", key)
        exec(compile(code, "docs/client.md", "exec"), names)  # noqa: S102  # our own page
    output = capsys.readouterr().out
    assert "Takes 60s to start after restart" in output
    assert "importance" in output
    assert "Whales sing" in output


def test_every_exception_is_explained() -> None:
    from memsite_client import __all__ as names

    assert [name for name in names if f"`{name}" not in PAGE] == []
