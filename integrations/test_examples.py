"""Each example of `examples/` remembers in its second run what it was told in its first."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NEEDS = {
    "langgraph_agent": "langgraph",
    "langchain_agent": "langchain_core",
    "openai_agent": "agents",
    "llama_index_agent": "llama_index",
    "pydantic_ai_agent": "pydantic_ai",
    "google_adk_agent": "google.adk",
    "claude_agent": "claude_agent_sdk",
    "crewai_agent": "crewai",
}


def is_there(module: str) -> bool:
    with suppress(ModuleNotFoundError):  # of what holds it
        return find_spec(module) is not None
    return False


def test_every_example_is_tried() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*NEEDS, "scripted"}


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[[str, str], str]:
    """Return what runs an example anew and returns what it prints: only the server knows of both runs."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("HOME", str(tmp_path))

    def example(name: str, said: str) -> str:
        monkeypatch.setattr(sys, "argv", [name, said])
        run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return example


@pytest.mark.parametrize("name", [name for name, needed in NEEDS.items() if is_there(needed)])
@pytest.mark.usefixtures("memsite")
def test_an_example_remembers(name: str, run: Callable[[str, str], str], learnt: Callable[[str], str]) -> None:
    assert "vegan" not in run(name, "I am vegan.")
    learnt("vegan")
    assert "vegan" in run(name, "Am I vegan?")
