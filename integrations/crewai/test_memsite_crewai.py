"""CrewAI's own calls of a memory, its scopes, and a crew with a scripted model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from crewai import Agent, BaseLLM, Crew, Task
from memsite_crewai import MemsiteMemory

from memsite_client import Memsite


class Echo(BaseLLM):
    """Answers with its last prompt."""

    def call(self, messages: Any, *given: Any, **options: Any) -> str:
        text = messages if isinstance(messages, str) else str(messages[-1]["content"])
        return f"Thought: I know.\nFinal Answer: {text}"


def contents(found: Any) -> list[str]:
    return [match.record.content for match in found]


def test_a_record_comes_back_as_it_was(memsite: Memsite) -> None:
    memory = MemsiteMemory(memsite)
    kept = memory.remember("Ann is vegan", "/users/ann", ["food"], {"n": 1.5}, 0.9, source="chat", private=True)
    assert memory.list_records() == [kept]
    told = (kept.scope, kept.categories, kept.metadata, kept.importance, kept.source, kept.private)
    assert told == ("/users/ann", ["food"], {"n": 1.5}, 0.9, "chat", True)
    assert memory.remember("Ann is vegan", "/users/ann").id == kept.id


def test_what_answers_is_recalled_from_its_scope_category_and_source(memsite: Memsite) -> None:
    memory = MemsiteMemory(memsite, user_id="ann")
    memory.remember("Ann is vegan", "/users/ann", ["food"])
    memory.remember("Ann is allergic to nuts", "/users/ann/health", ["food"], source="doctor", private=True)
    question = "is Ann vegan or allergic?"
    assert contents(memory.recall(question)) == ["Ann is vegan"]
    assert contents(memory.recall(question, source="other")) == ["Ann is vegan"]
    assert len(memory.recall(question, "/users", source="doctor")) == 2
    assert contents(memory.recall(question, "/users/ann/health", include_private=True)) == ["Ann is allergic to nuts"]
    assert memory.recall(question, "/user") == memory.recall(question, categories=["work"]) == []
    assert MemsiteMemory(memsite, user_id="ben").recall(question, include_private=True) == []


def test_scopes_and_categories_are_listed(memsite: Memsite) -> None:
    memory = MemsiteMemory(memsite, root_scope="/crew")
    memory.remember("Whales sing", "/sea/animals", ["nature"])
    memory.remember("Bears sleep", "/land", ["nature", "sleep"])
    assert memory.list_scopes() == ["/crew/land", "/crew/sea"]
    assert memory.list_categories() == {"nature": 2, "sleep": 1}
    assert memory.info("/sea").child_scopes == ["/crew/sea/animals"]
    assert memory.tree().splitlines()[0] == "/crew (2 records)"
    assert contents(memory.scope("/sea").recall("what do whales do?")) == ["Whales sing"]


def test_records_are_changed_and_deleted(memsite: Memsite) -> None:
    memory = MemsiteMemory(memsite)
    first, second, third = memory.remember_many(["Whales sing", "Bees fly", "Ants dig"])
    memory.update(first.id, content="Whales sleep", categories=["sea"], scope="/sea")
    (changed,) = memory.list_records("/sea")
    assert (changed.id, changed.content, changed.categories) == (first.id, "Whales sleep", ["sea"])
    assert memory.forget(older_than=datetime.utcnow() - timedelta(days=1)) == 0
    assert memory.forget(record_ids=[second.id]) == memory.forget(categories=["sea"]) == 1
    assert [record.id for record in memory.list_records()] == [third.id]
    memory.reset()
    assert list(memsite.list_memories()) == []


def test_a_memory_that_is_read_only_stores_nothing(memsite: Memsite) -> None:
    assert MemsiteMemory(memsite, read_only=True).remember("Whales sing") is None
    assert list(memsite.list_memories()) == []


def test_a_crew_knows_what_another_was_told(memsite: Memsite, learnt: Callable[[str], str]) -> None:
    def work(description: str) -> str:
        agent = Agent(role="cook", goal="cook", backstory="a cook", llm=Echo(model="echo"))
        task = Task(description=description, expected_output="a sentence", agent=agent)
        return str(Crew(agents=[agent], tasks=[task], memory=MemsiteMemory(memsite)).kickoff())

    assert "Relevant memories" not in work("I am vegan.")
    learnt("vegan")
    assert "User is vegan" in work("Is the user vegan?").partition("Relevant memories")[2]
