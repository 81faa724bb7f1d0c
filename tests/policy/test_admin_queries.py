"""SQL queries per list of the admin, kept as a baseline that one edits on purpose (`admin_query_counts.json`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memories.models import EnergyUse, LedgerEntry, RecallCount
from memsite.admin_site import SiteAdmin
from memsite.jobs.models import JobRun
from memsite.tenancy.models import Agent, App
from tests.conftest import Caller, make_app
from tests.dashboard.conftest import sign_in
from tests.upkeep import upkeep_learn_due

BASELINE: dict[str, int] = json.loads(Path(__file__).with_name("admin_query_counts.json").read_text())
OURS = [model for model, page in admin.site._registry.items() if isinstance(page, SiteAdmin)]


def list_page(model: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def furnish(caller: Caller, number: int, name: str) -> None:
    """`number` rows of what the lists show, each with rows of its own around it."""
    now = timezone.now()
    for index in range(number):
        session = caller.start_session(title=f"{name} {index}")["id"]
        text = f"[MEMORY:timing:{name}{index}] Takes {index}0s\n[MEMORY:misc] no\n[EVENT:info:{name}] up"
        caller.put(f"sessions/{session}/turns/1", {"user_input": f"I like {name} {index}.", "llm_output": text})
        caller.post("context", {"query": name, "session_id": session})
        caller.post("triggers", {"trigger_date": "2099-01-01", "message": f"{name} {index}"})
        Agent.objects.create(app=caller.app, name=f"{name}-{index}")
        LedgerEntry.objects.create(app=caller.app, operation="gate", model=name, day=now.date())
        EnergyUse.objects.create(app=caller.app, operation=f"{name}{index}", day=now.date())
        RecallCount.objects.create(app=caller.app, mode=name, tier=str(index), day=now.date())
        JobRun.objects.create(app=caller.app, job="decay", period=f"{name}{index}", until=now, fired_by="test")
        make_app(f"{name}-{index}")
    first, *rest = (row["id"] for row in caller.get("memories").json()["results"])
    for other in rest:
        caller.post(f"memories/{first}/links", {"to": other})
    upkeep_learn_due()


def queries_of(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)


def measure(client: Client) -> dict[str, int]:
    ContentType.objects.get_for_models(*apps.get_models())  # cached from here on, as they are in a server
    return {model._meta.label_lower: queries_of(client, list_page(model)) for model in OURS}


def test_no_list_asks_more_often_than_agreed_nor_because_there_is_more(alice: Caller, django_user_model: Any) -> None:
    client = sign_in("chief", is_superuser=True, is_staff=True)
    furnish(alice, 2, "few")
    few = measure(client)
    assert few == BASELINE
    furnish(alice, 6, "many")
    assert App.objects.count() > 8
    assert measure(client) == few


@pytest.mark.django_db
def test_each_list_of_the_admin_has_a_baseline() -> None:
    assert {model._meta.label_lower for model in OURS} == BASELINE.keys()
