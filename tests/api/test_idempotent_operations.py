"""`Idempotency-Key` at every operation that changes something: one effect, one answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from django.apps import apps
from django.db.models import Model
from django.urls import resolve
from rest_framework.test import APIClient

from memories.api.base import takes_idempotency_key
from memsite.tenancy.models import ApiKey, IdempotentAnswer
from tests.conftest import Caller
from tests.policy.test_openapi import answers_of_all
from tests.routes import routes_below

ROOT = "/api/v1/"
SHOWN_ONCE = ("secret", "api_key")
OF_ANY_REQUEST = (ApiKey, IdempotentAnswer)
OTHERS = [
    ("PUT", f"{ROOT}energy", json.dumps({"level": 0.125})),
    ("POST", f"{ROOT}apps", json.dumps({"app_id": "other", "name": "Other"})),
]
"""Something else of an agent, and of an operator."""
send = APIClient.generic


def changing() -> Iterator[tuple[type, str]]:
    """View and method of each operation that takes a key."""
    for pattern in routes_below(ROOT[1:]).values():
        view: Any = pattern.callback.view_class  # type: ignore[union-attr]
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            is_there = hasattr(view, method.lower()) and method.lower() in view.http_method_names
            if is_there and takes_idempotency_key(view, method, ROOT):
                yield view, method


def rows() -> dict[str, list[Any]]:
    """All that is kept, but for what any request leaves."""
    models: list[type[Model]] = [model for model in apps.get_models() if model not in OF_ANY_REQUEST]
    return {model.__name__: list(model._base_manager.order_by("pk").values_list()) for model in models}


def assert_told_again(first: Any, again: Any) -> None:
    expected = {**first.json(), **{name: None for name in SHOWN_ONCE if name in first.json()}}
    assert (again.status_code, again.json()) == (first.status_code, expected), again.content
    assert (again.get("Idempotency-Replayed"), again.get("ETag")) == ("true", first.get("ETag"))


class Twice:
    """Sends each request twice with a key of its own, and something else with it."""

    def __init__(self) -> None:
        self.numbers = count()
        self.tried: set[tuple[type, str]] = set()

    def send(self, client: APIClient, method: str, path: str, *more: Any, **extra: Any) -> Any:
        view: Any = getattr(resolve(path.partition("?")[0]).func, "view_class", None)
        if not takes_idempotency_key(view, method, path):
            return send(client, method, path, *more, **extra)
        key = {"Idempotency-Key": f"key-{next(self.numbers)}"}
        extra["headers"] = {**(extra.get("headers") or {}), **key}
        first = send(client, method, path, *more, **extra)
        assert first.status_code < 300, (method, path, first.content)
        before = rows()
        assert_told_again(first, send(client, method, path, *more, **extra))
        assert changed(before) == [], (method, path)
        others = [send(client, *one, "application/json", headers=key).status_code for one in OTHERS]
        assert sorted(others) == [403, 422], (method, path, others)
        assert changed(before) == [], (method, path)
        self.tried.add((view, method))
        return first


def changed(before: dict[str, list[Any]]) -> list[str]:
    return [name for name, told in rows().items() if told != before[name]]


@pytest.mark.usefixtures("noon")
def test_every_operation_that_changes_something_does_so_once(
    alice: Caller, operator: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = Twice()
    monkeypatch.setattr(APIClient, "generic", lambda client, *given, **extra: twice.send(client, *given, **extra))
    for _, answer in answers_of_all(alice, operator):
        answer.close()
    assert twice.tried == set(changing())
