"""Every page of the admin opens: its list, with something in it."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from memories.models import FutureTrigger, Summary
from tests.conftest import Caller
from tests.upkeep import upkeep_learn_due


@pytest.mark.parametrize("model", sorted(admin.site._registry, key=lambda model: model._meta.label), ids=str)
def test_every_list_opens(model: type[Model], admin_client: Client, alice: Caller) -> None:
    session = alice.start_session()["id"]
    said = "I am vegan. My dentist appointment is next Friday at 10."
    alice.post(f"sessions/{session}/messages", {"messages": [{"role": "user", "content": said}]})
    upkeep_learn_due()
    Summary.objects.create(app=alice.app, category="health", content="# Health", made_by="rules")
    assert FutureTrigger.objects.exists()
    meta = model._meta
    answer = admin_client.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist"))
    assert answer.status_code == 200
    row = model._default_manager.first()
    if row is not None:
        page = admin_client.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk]))
        assert page.status_code == 200
