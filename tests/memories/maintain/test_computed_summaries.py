"""A summary that is not stored is put together once, and anew as soon as anything of it is another thing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memories.maintain import summaries
from memories.maintain.summaries import compute_summary
from memories.models import Memory
from memories.providers.llm.provider import Written
from memories.store import Candidate, Writer, writing
from memsite.tenancy.models import App
from tests.conftest import make_app

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def app(db: None, monkeypatch: pytest.MonkeyPatch) -> App:
    """What a test's own transaction reads would not be kept."""
    monkeypatch.setattr(summaries, "is_committed", lambda: True)
    return make_app("library")


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The categories that were put together."""
    done: list[str] = []
    summarise = summaries.summarise

    def noting(category: str, *rest: Any) -> Written:
        done.append(category)
        return summarise(category, *rest)

    monkeypatch.setattr(summaries, "summarise", noting)
    return done


def tell(app: App, content: str, **fields: Any) -> Memory:
    with writing(app, "agent:alice", NOW) as write:
        return write.create(Candidate(content=content, **{"category": "work", **fields}))


def read(app: App, category: str = "work", user_id: str = "", now: datetime = NOW) -> str:
    return compute_summary(app, category, user_id, now).written.text


def test_what_is_as_it_was_is_not_put_together_again(app: App, written: list[str]) -> None:
    tell(app, "Ships on Tuesdays")
    first = read(app)
    tell(app, "Is vegan", category="health")
    tell(app, "Likes tea", user_id="nina")
    assert read(app) == first
    assert written == ["work"]
    assert "Is vegan" in read(app, "health")
    assert "Likes tea" in read(app, user_id="nina")
    assert written == ["work", "health", "work"]


def change_words(write: Writer, memory: Memory, other: Memory) -> None:
    write.edit(memory, {"content": "Ships on Wednesdays"})


def archive(write: Writer, memory: Memory, other: Memory) -> None:
    write.archive(memory)


def forget(write: Writer, memory: Memory, other: Memory) -> None:
    write.forget(Memory.objects.filter(pk=memory.pk))


def contradict(write: Writer, memory: Memory, other: Memory) -> None:
    write.link(memory, other, "contradicts")


@pytest.mark.parametrize("change", [change_words, archive, forget, contradict])
def test_what_has_changed_is_put_together_anew(
    app: App, written: list[str], change: Callable[[Writer, Memory, Memory], None]
) -> None:
    memory, other = tell(app, "Ships on Tuesdays"), tell(app, "Ships when it is done", confidence=0.95)
    assert "Tuesdays" in read(app)
    with writing(app, "operator:ed", NOW) as write:
        change(write, memory, other)
    assert "Tuesdays" not in read(app)
    assert written == ["work", "work"]


def test_what_is_over_meanwhile_is_told_no_more(app: App) -> None:
    tell(app, "The lift is out of order", valid_until=NOW + timedelta(hours=1))
    assert "lift" in read(app)
    assert read(app, now=NOW + timedelta(hours=2)) == ""


def test_how_often_a_fact_was_found_counts(app: App, written: list[str]) -> None:
    memory = tell(app, "Ships on Tuesdays")
    read(app)
    Memory.objects.filter(pk=memory.pk).update(access_count=99)
    read(app)
    assert written == ["work", "work"]
