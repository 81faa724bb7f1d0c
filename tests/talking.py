"""Conversations for tests of learning: who says what, what is learnt from it, and every text the database holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone
from time_machine import travel

from memories.models import Extraction, Memory
from memories.store.vacuum import merge_fulltext
from memsite.tenancy.models import App
from sessions.models import AgentSession
from tests.conftest import Caller
from tests.upkeep import upkeep_learn_due


def tell(caller: Caller, session: dict[str, Any], *texts: str, role: str = "user") -> dict[str, Any]:
    """Messages outside of turns."""
    messages = [{"role": role, "content": text} for text in texts]
    answer = caller.post(f"sessions/{session['id']}/messages", {"messages": messages})
    assert answer.status_code == 202, answer.content
    return dict(answer.json())


def turn(caller: Caller, session: dict[str, Any], number: int, user: str, assistant: str = "", **more: Any) -> Any:
    body = {"user_input": user, "llm_output": assistant, **more}
    answer = caller.put(f"sessions/{session['id']}/turns/{number}", body)
    assert answer.status_code in (200, 201), answer.content
    return answer


def hear(caller: Caller, *texts: str, role: str = "user", **session: Any) -> dict[str, Any]:
    """A session of its own in which this is said and learnt from."""
    started = caller.start_session(**session)
    tell(caller, started, *texts, role=role)
    upkeep_learn_due()
    return started


def contents(app: App) -> list[str]:
    """What is known, in the order it was learnt."""
    return list(Memory.objects.for_app(app).active().order_by("pk").values_list("content", flat=True))


def extractions(app: App) -> list[Extraction]:
    return list(Extraction.objects.for_app(app).order_by("pk"))


def statuses(app: App) -> list[str]:
    return [row.status for row in extractions(app)]


def row_of(app: App, session: dict[str, Any]) -> AgentSession:
    return AgentSession.objects.for_app(app).get(uid=session["id"])


def after(**delta: float) -> Any:
    """A context in which it is so much later."""
    return travel(timezone.now() + timedelta(**delta))


def at_time(moment: datetime) -> Any:
    return travel(moment, tick=False)


def tables() -> list[str]:
    return connection.introspection.table_names()


def row_counts() -> dict[str, int]:
    with connection.cursor() as cursor:
        counts = {}
        for table in tables():
            cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608
            counts[table] = cursor.fetchone()[0]
    return counts


def stored_values() -> Iterator[tuple[str, str]]:
    """(table, value as text) of every cell of every table."""
    with connection.cursor() as cursor:
        for table in tables():
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            for row in cursor.fetchall():
                for value in row:
                    if isinstance(value, bytes | memoryview):
                        yield table, bytes(value).decode("latin-1")
                    elif value is not None:
                        yield table, str(value)


def tables_with(word: str) -> set[str]:
    """The tables in which the word stands anywhere, in whatever case.

    SQLite's full-text index is a table that keeps what was deleted until it is merged, as a sweep does.
    """
    if connection.vendor == "sqlite":
        merge_fulltext()
    return {table for table, value in stored_values() if word.casefold() in value.casefold()}
