"""Spans of searches, extractions and jobs, seen by a tracer that keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.jobs import JOBS
from memories.services import MemoryAgent
from memsite.jobs.engine import fire_now, work_off
from memsite.ops import tracing
from memsite.ops.tracing import span
from sessions.models import AgentSession
from tests.conftest import Caller


@dataclass
class Kept:
    """A tracer whose spans are kept, each a name with its attributes."""

    spans: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @contextmanager
    def start_as_current_span(self, name: str, attributes: dict[str, Any], **_: Any) -> Iterator[Any]:
        self.spans.append((name, name := dict(attributes)))
        yield type("Span", (), {"set_attributes": staticmethod(name.update)})

    def of(self, name: str) -> list[dict[str, Any]]:
        return [attributes for title, attributes in self.spans if title == f"memsite.{name}"]


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Kept:
    tracer = Kept()
    monkeypatch.setattr(tracing, "tracer", lambda: tracer)
    return tracer


def test_searches_extractions_and_jobs_have_spans_without_a_word_of_text(alice: Caller, traced: Kept) -> None:
    alice.remember("The blue stair leads to the archive")
    alice.post("memories/search", {"query": "where does the blue stair lead?"})
    session = alice.start_session()["id"]
    alice.post(f"sessions/{session}/messages", {"messages": [{"role": "user", "content": "I am vegan."}]})
    list(MemoryAgent(alice.app, alice.agent, "agent:alice").learn_session(AgentSession.objects.get(uid=session).pk))
    fire_now(JOBS["decay"], alice.app, timezone.now(), "test")
    work_off(JOBS, lambda app: MemoryAgent(app, None, "system:decay"), timedelta(minutes=1))
    search, *_ = traced.of("search")
    assert (search["app"], search["tier"], search["hits"]) == ("acme", "items", 1)
    assert traced.of("extraction")[0]["texts"] == 1
    assert traced.of("job") == [{"job": "decay", "outcome": "done"}]
    assert "stair" not in str(traced.spans)
    assert "vegan" not in str(traced.spans)


def test_an_error_is_told_by_its_class(traced: Kept) -> None:
    with pytest.raises(OSError, match="secret"), span("job", job="x"):
        raise OSError("secret words")
    assert traced.of("job") == [{"job": "x", "error.type": "OSError"}]


def test_tracing_is_off_without_an_exporter_or_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    tracing.tracer.cache_clear()
    assert tracing.tracer() is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    monkeypatch.setattr(tracing, "find_spec", lambda name: None)
    tracing.tracer.cache_clear()
    assert tracing.tracer() is None
    tracing.tracer.cache_clear()
