"""Every page of the admin opens: its list, with something in it."""

from __future__ import annotations

import re
from itertools import product

import pytest
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import OperationalError, connection
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from memories.models import FutureTrigger, Summary
from memsite.admin_site import GROUPS
from tests.conftest import Caller
from tests.tables import each_row
from tests.upkeep import upkeep_learn_due


@pytest.fixture
def furnished(alice: Caller) -> None:
    session = alice.start_session()["id"]
    text = "I am vegan. My dentist appointment is next Friday at 10."
    alice.post(f"sessions/{session}/messages", {"messages": [{"role": "user", "content": text}]})
    upkeep_learn_due()
    Summary.objects.create(app=alice.app, category="health", content="# Health", made_by="rules")
    assert FutureTrigger.objects.exists()


@each_row("model", sorted(admin.site._registry, key=lambda model: model._meta.label))
def test_every_list_opens(model: type[Model], admin_client: Client, furnished: None) -> None:
    meta = model._meta
    answer = admin_client.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist"))
    assert answer.status_code == 200
    row = model._default_manager.first()
    if row is not None:
        page = admin_client.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk]))
        assert page.status_code == 200


def test_the_index_has_groups_by_what_people_do(admin_client: Client, db: None) -> None:
    answer = admin_client.get("/admin/")
    groups = {
        group["name"]: [model["object_name"] for model in group["models"]] for group in answer.context["app_list"]
    }
    assert list(groups) == ["Curate", "Apps and access", "What ran", "Internals"]
    assert groups["Curate"][:2] == ["Memory", "Rejection"]
    assert {"Vector", "PeriodicTask"} <= {*groups["Internals"]}
    everywhere = {name for names in groups.values() for name in names}
    assert not {"ClockedSchedule", "SolarSchedule", "TOTPDevice", "StaticDevice"} & everywhere
    assert {label for labels in GROUPS.values() for label in labels} <= {
        model._meta.label_lower for model in admin.site._registry
    }
    closed = re.findall(r'<details class="module memsite-group">\s*<summary>(\w+)', answer.content.decode())
    assert closed == ["Internals"]


def test_one_signs_out_and_changes_the_password_where_the_dashboard_does(admin_client: Client, db: None) -> None:
    assert 'action="/logout"' in admin_client.get("/admin/").content.decode()
    assert admin_client.get("/admin/password_change/")["Location"] == "/password"


def test_what_cannot_be_edited_has_no_button_to_save(admin_client: Client, alice: Caller) -> None:
    now = timezone.now()
    trigger = FutureTrigger.objects.create(app=alice.app, message="Renew it", trigger_date=now.date())
    page = admin_client.get(reverse("admin:memories_futuretrigger_change", args=[trigger.pk])).content.decode()
    assert "Renew it" in page
    assert 'name="_save"' not in page
    assert 'name="_continue"' not in page


def test_a_periodic_task_has_no_script_of_its_own(admin_client: Client) -> None:
    every = IntervalSchedule.objects.create(every=1, period="days")
    task = PeriodicTask.objects.create(name="one", task="one", interval=every)
    page = admin_client.get(reverse("admin:django_celery_beat_periodictask_change", args=[task.pk]))
    assert page.status_code == 200
    assert not re.search(r"<script(?![^>]*\ssrc=)(?![^>]*json)", page.content.decode())


BEYOND = "9" * 30


@each_row(
    "address, data",
    [
        (f"/admin/auth/group/?permissions__id__in={BEYOND}", None),
        (f"/admin/django_celery_beat/intervalschedule/?id__in={BEYOND}", None),
        ("/admin/auth/user/", {"action": "delete_selected", "_selected_action": [BEYOND]}),
        ("/admin/auth/group/add/", {"name": "readers", "permissions": [BEYOND]}),
        ("/admin/memories/memory/", {"action": "pin", "_selected_action": [BEYOND]}),
    ],
    rolled_back=True,
)
def test_a_number_that_no_row_can_have_is_refused(address: str, data: dict[str, object] | None, forger: Client) -> None:
    """PostgreSQL compares ids with any number, and finds no row."""
    answer = forger.get(address, follow=True) if data is None else forger.post(address, data, follow=True)
    assert answer.status_code in (200, 400)
    assert answer.status_code == 200 or "A number in this request is too large" in answer.content.decode()


QUERIES = [f"id__in={BEYOND}", "id__range=1", f"date_joined__year={BEYOND[:8]}"]


@each_row("path, query", list(product(["auth/user", "tenancy/auditentry"], QUERIES)))
def test_a_list_that_is_asked_for_what_cannot_be_is_shown_whole(path: str, query: str, forger: Client) -> None:
    """PostgreSQL looks for ids of any size."""
    query = query.replace("date_joined", "at") if "audit" in path else query
    answer = forger.get(f"/admin/{path}/?{query}", follow=True)
    can_be = connection.vendor == "postgresql" and query.startswith("id__in")
    assert answer.redirect_chain == ([] if can_be else [(f"/admin/{path}/?e=1", 302)])
    assert answer.status_code == 200


@pytest.mark.sqlite("PostgreSQL reads patterns itself, and ends the test's own transaction")
@each_row("query", ["id__regex=(", "username__iregex=["])
def test_a_pattern_that_is_none_shows_the_whole_list(query: str, forger: Client) -> None:
    assert forger.get("/admin/auth/user/?username__regex=^ad").status_code == 200
    answer = forger.get(f"/admin/auth/user/?{query}", follow=True)
    assert answer.redirect_chain == [("/admin/auth/user/?e=1", 302)]
    assert answer.status_code == 200


def test_a_database_that_cannot_answer_is_no_fault_of_the_address(
    forger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(ChangeList, "get_results", locked)
    assert forger.get("/admin/auth/user/?username=admin").status_code >= 500


@pytest.fixture
def forger(admin_client: Client) -> Client:
    admin_client.raise_request_exception = False
    return admin_client
