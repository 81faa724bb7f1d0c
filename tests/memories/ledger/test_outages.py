"""A model that does not answer is told at once, by whichever process is asked of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories.ledger import lean_models
from memories.models import LedgerEntry
from memories.providers.llm.client import make_chat
from memories.providers.llm.provider import LLMUnavailable
from memories.services import MemoryAgent
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app
from tests.memories.providers.llm.servers import Fails, Server
from tests.tables import each_row
from tests.talking import at_time
from tests.upkeep import upkeep_learn_due
from tests.with_model import answers, forget_clients, say

pytestmark = pytest.mark.usefixtures("noon")


def called(app: App, *outcomes: str, model: str = "big", provider: str = "openai", operation: str = "gate") -> None:
    for outcome in outcomes:
        LedgerEntry.objects.create(
            app=app, operation=operation, provider=provider, model=model, outcome=outcome, day=timezone.now().date()
        )


@each_row("outcomes, lean", [
    ([], False), (["unusable"], False), (["unusable", "unusable"], True), (["ok", "unusable", "unusable"], True),
    (["unusable", "unusable", "ok"], False), (["unusable", "ok", "unusable"], False),
    (["unusable", "unavailable"], False),
], rolled_back=True)  # fmt: skip
def test_after_two_answers_of_no_use_in_a_row_a_model_is_asked_for_less(
    alice: Caller, outcomes: list[str], lean: bool
) -> None:
    called(alice.app, *outcomes, operation="extract")
    called(alice.app, "ok", operation="extract_lean")
    assert (lean_models(alice.app, timezone.now()).keys() == {"big"}) == lean


def test_after_a_day_it_is_asked_for_all_again(alice: Caller) -> None:
    called(alice.app, "unusable", "unusable", operation="extract")
    assert lean_models(alice.app, timezone.now() + timedelta(hours=23))
    assert not lean_models(alice.app, timezone.now() + timedelta(hours=24))


def hold(app: App) -> list[tuple[str, str]]:
    return [(item.kind, item.name) for item in MemoryAgent(app, None, "").held_back() if item.kind == "model"]


def degraded() -> list[str]:
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    output: list[str] = answer.json()["degraded"]
    return output


def test_a_model_that_fails_is_told_by_the_first_text_that_needed_it(alice: Caller, server: Server) -> None:
    assert (hold(alice.app), degraded()) == ([], [])
    server.always(lambda _: Fails(500))
    say(alice)
    upkeep_learn_due()
    forget_clients()  # Another process has asked it: here its circuit is closed.
    assert (hold(alice.app), degraded()) == ([("model", server.kind)], ["model"])
    server.always(answers())
    with at_time(timezone.now() + timedelta(minutes=2)):
        upkeep_learn_due()
        assert (hold(alice.app), degraded()) == ([], [])


def test_an_open_circuit_is_told_whatever_the_ledger_says(alice: Caller, model: Server) -> None:
    chat: Any = make_chat(get_conf().llm_settings)
    for _ in range(5):
        with suppress(LLMUnavailable), chat._circuit.guard():
            raise LLMUnavailable("away")
    assert (hold(alice.app), degraded()) == ([("model", "openai")], ["model"])


@each_row(
    "outcomes, is_told",
    [
        ((), False),
        (("unavailable",), False),
        (("unavailable", "unavailable"), True),
        (("unavailable", "unavailable", "ok"), False),
        (("unavailable", "unusable", "unavailable"), False),
        (("unusable",) * 5, False),
    ],
    rolled_back=True,
)
def test_the_last_answers_tell_whether_the_service_is_away(
    alice: Caller, model: Server, outcomes: tuple[str, ...], is_told: bool
) -> None:
    called(alice.app, *outcomes)
    assert degraded() == (["model"] if is_told else [])


def test_its_models_and_the_apps_that_asked_them_are_one_service(alice: Caller, model: Server) -> None:
    globex = make_app("globex")
    called(alice.app, "unavailable", model="small")
    called(globex, "unavailable", model="large")
    assert (hold(alice.app), hold(globex), degraded()) == ([("model", "openai")],) * 2 + (["model"],)
    called(globex, "ok", model="large")
    assert (hold(alice.app), degraded()) == ([], [])


def test_what_is_long_ago_or_of_another_service_tells_nothing(alice: Caller, model: Server, settings: Any) -> None:
    called(alice.app, "unavailable", "unavailable", provider="ollama")
    assert degraded() == []
    called(alice.app, "unavailable", "unavailable")
    with at_time(timezone.now() + timedelta(minutes=11)):
        assert (hold(alice.app), degraded()) == ([], [])
    settings.MEMSITE = replace(settings.MEMSITE, llm="rules")
    assert degraded() == []


def test_a_model_that_cannot_be_asked_is_told(alice: Caller, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, llm="ollama")
    assert (hold(alice.app), degraded()) == ([("model", "ollama")], ["model"])
