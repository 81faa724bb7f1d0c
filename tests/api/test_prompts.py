"""What an agent of each tier is told to do, and how to note down what it learns."""

from __future__ import annotations

import re

import pytest

from memories.capture.ingest_messages import find_memories
from memories.inject.prompts import EXPLAINED
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES, PERSONAL_CATEGORIES
from sessions.models import TIERS
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_app, make_caller
from tests.memories.retrieve.asking import set_policy

MARKER = re.compile(r"^\[MEMORY:.+$", re.MULTILINE)


def prompt(caller: Caller, tier: int) -> str:
    answer = caller.get(f"prompts/{tier}.md")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    return str(answer.content.decode())


@pytest.mark.parametrize(("tier", "task"), [(1, "observe"), (2, "investigate"), (3, "remediate")])
def test_each_tier_has_a_task_of_its_own_and_the_same_section_on_recording(alice: Caller, tier: int, task: str) -> None:
    text = prompt(alice, tier)
    assert text.startswith(f"# Your task: {task}\n")
    assert text.partition("## Memory Recording")[2] == prompt(alice, 1).partition("## Memory Recording")[2] != ""


@pytest.mark.parametrize("tier", TIERS)
def test_the_section_has_the_format_the_categories_and_examples(alice: Caller, tier: int) -> None:
    section = prompt(alice, tier).partition("## Memory Recording")[2]
    assert "[MEMORY:category] " in section
    assert "[MEMORY:category:service] " in section
    assert re.findall(r"^- `([\w-]+)`: \w", section, re.MULTILINE) == list(OPERATIONAL_CATEGORIES)
    examples = MARKER.findall(section)[2:]
    assert len(examples) == len(OPERATIONAL_CATEGORIES)
    found = find_memories("\n".join(examples))
    assert [memory.category for memory in found.memories] == list(OPERATIONAL_CATEGORIES)
    assert found.refused == []


def test_every_category_of_the_presets_is_explained_in_plain_characters() -> None:
    assert EXPLAINED.keys() == {*OPERATIONAL_CATEGORIES, *PERSONAL_CATEGORIES}


def test_the_categories_are_those_of_the_app(db: None) -> None:
    agent = make_caller(make_app("lab", marker_categories=["timing", "health", "own-one"]), "agent")
    text = prompt(agent, 1)
    assert re.findall(r"^- `([\w-]+)`", text, re.MULTILINE) == ["timing", "health", "own-one"]
    assert "the user's health" in text, "it is Markdown, not HTML"


def test_an_app_that_reads_no_markers_asks_for_none(alice: Caller) -> None:
    set_policy(alice, capture_markers=False)
    assert "MEMORY" not in prompt(alice, 1)


def test_categories_without_an_example_have_none(alice: Caller) -> None:
    set_policy(alice, marker_categories=["own-one"])
    assert "For example" not in prompt(alice, 1)


@pytest.mark.parametrize("tier", ["0", "4", "11", "observe", "1.md/x"])
def test_there_are_three(alice: Caller, tier: str) -> None:
    assert_problem(alice.get(f"prompts/{tier}.md"), 404)
