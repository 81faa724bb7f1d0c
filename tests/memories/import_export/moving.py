"""Apps that move: exported as bytes, imported from them."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from memories.models import Import, Memory
from memories.services import MemoryAgent
from memsite.tenancy.models import App

ACTOR = "operator:olga"


def agent_of(app: App) -> MemoryAgent:
    fresh = App.objects.select_related("policy").get(pk=app.pk)
    return MemoryAgent(fresh, None, ACTOR)


def export(app: App, **options: Any) -> bytes:
    with agent_of(app).export(**options) as file:
        return file.read()


def take_in(app: App, content: bytes, source: str = "memsite", **options: Any) -> Import:
    return agent_of(app).begin_import(BytesIO(content), source, **options)


def lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def joined(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def without_header(content: bytes) -> bytes:
    """The header tells the app's name."""
    return content.split(b"\n", 1)[1]


def freeze(app: App, content: str) -> None:
    """To the cold archive."""
    from django.utils import timezone

    from memories.store import writing

    with writing(app, ACTOR, timezone.now()) as write:
        write.freeze(list(Memory.objects.for_app(app).filter(content=content)), "nobody asks for it")
