"""The admin's pages of entities, extractions and the ledger; embedding anew; the way to the desk."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memories.maintain.aging import freeze_unused
from memories.models import (
    EnergyUse,
    Entity,
    Extraction,
    ExtractionStatus,
    LedgerEntry,
    Memory,
    RecallCount,
    Revision,
    Vector,
)
from memories.providers.embeddings import EmbedderUnavailable
from memories.services import MemoryAgent
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.dashboard.conftest import member, sign_in
from tests.dashboard.pages import links, text_of
from tests.talking import after, tell

LIST = "/admin/memories/memory/"


@pytest.fixture
def chief(db: None) -> Client:
    return sign_in("chief", is_superuser=True, is_staff=True)


def page_of(row: Any) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def stored(caller: Caller, content: str, **fields: Any) -> Memory:
    return Memory.objects.get(uid=caller.remember(content, dedupe=False, **fields)["id"])


def test_an_entity_is_shown_with_the_memories_that_mention_it(chief: Client, alice: Caller) -> None:
    stored(alice, "Must be started after WireGuard", subject="caddy")
    entity = Entity.objects.get(name="caddy")
    assert "caddy" in text_of(chief.get("/admin/memories/entity/"))
    answer = chief.get(page_of(entity))
    assert "Must be started after WireGuard" in text_of(answer)
    assert f"/knowledge/entities/{entity.uid}?app=acme" in links(answer)


def test_what_is_only_recorded_cannot_be_changed(chief: Client, alice: Caller) -> None:
    today = timezone.now().date()
    tell(alice, alice.start_session(), "I am vegan.")
    stored(alice, "Whales sing", subject="whales")
    LedgerEntry.objects.create(app=alice.app, operation="gate", model="m", provider="ollama", day=today, cost=0.5)
    RecallCount.objects.create(app=alice.app, day=today, mode="auto", tier="items", searches=3, found=2, seconds=0.1)
    for model in (Entity, Extraction, LedgerEntry, EnergyUse, RecallCount):
        row = model.objects.first()
        assert row is not None, model
        page = chief.get(page_of(row))
        assert page.status_code == 200
        assert 'name="_save"' not in page.content.decode()
        assert chief.post(page_of(row), {}).status_code == 403
        assert chief.get(page_of(row).replace("change", "delete")).status_code == 403
    assert "0.500000" in text_of(chief.get("/admin/memories/ledgerentry/?operation=gate"))
    assert "0.500000" not in text_of(chief.get("/admin/memories/ledgerentry/?operation=extract"))


def test_texts_that_were_given_up_are_tried_again(chief: Client, alice: Caller) -> None:
    tell(alice, alice.start_session(), "I am vegan.", "I have two cats.")
    first, second = Extraction.objects.order_by("pk")
    Extraction.objects.filter(pk=first.pk).update(status=ExtractionStatus.DEAD, attempts=5)
    Extraction.objects.filter(pk=second.pk).update(status=ExtractionStatus.DONE)
    data = {"action": "try_again", "_selected_action": [first.pk, second.pk]}
    assert "1 tried again. 1 left alone" in text_of(chief.post("/admin/memories/extraction/", data, follow=True))
    first.refresh_from_db()
    assert (first.status, first.attempts) == (ExtractionStatus.PENDING, 0)


def test_viewers_have_nothing_tried_again(alice: Caller) -> None:
    tell(alice, alice.start_session(), "I am vegan.")
    Extraction.objects.update(status=ExtractionStatus.DEAD)
    client = member("v", alice.app, "viewer", is_staff=True)
    data = {"action": "try_again", "_selected_action": [Extraction.objects.get().pk]}
    client.post("/admin/memories/extraction/", data)
    assert Extraction.objects.get().status == ExtractionStatus.DEAD


def test_memories_are_embedded_anew(chief: Client, alice: Caller) -> None:
    memory, other = stored(alice, "Whales sing"), stored(alice, "Bears sleep")
    right = bytes(Vector.objects.get(memory=memory).data)
    Vector.objects.filter(memory=memory).update(data=bytes(len(right)))
    before = App.objects.get().change_number
    data = {"action": "embed_anew", "_selected_action": [memory.pk, other.pk]}
    assert "2 have a new vector." in text_of(chief.post(LIST, data, follow=True))
    assert bytes(Vector.objects.get(memory=memory).data) == right
    assert App.objects.get().change_number > before, "indexes have to know"
    assert Vector.objects.count() == 2
    assert Revision.objects.count() == 2, "nothing of what they say has changed"


def test_without_its_embedder_the_old_vectors_stay(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stored(alice, "Whales sing")
    agent = MemoryAgent(alice.app, None, "operator:x")

    def away(texts: Any) -> Any:
        raise EmbedderUnavailable("gone")

    monkeypatch.setattr(agent.embedder, "embed_documents", away)
    changed = agent.embed_each([memory.pk])
    assert (changed.done, dict(changed.left)) == (0, {"the embedder does not answer": 1})
    assert Vector.objects.count() == 1


def test_what_lies_in_the_cold_archive_has_no_vector(alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    with after(days=400):
        freeze_unused(alice.app, timezone.now(), Unclaimed(timezone.now()))
        changed = MemoryAgent(alice.app, None, "operator:x").embed_each([memory.pk])
    assert (changed.done, sum(changed.left.values())) == (0, 1)


def test_rows_lead_to_the_dashboard(chief: Client, alice: Caller) -> None:
    memory = stored(alice, "Whales sing")
    for row, there in ((memory, f"/memories/{memory.uid}?app=acme"), (alice.app, "/settings?app=acme")):
        assert there in links(chief.get(page_of(row)))
