"""Whatever has happened to an app: of what is deleted for good no word is left in any table."""

from __future__ import annotations

from random import Random

import pytest
from rest_framework.test import APIClient
from time_machine import travel

from memories.models import Memory
from memsite.tenancy.models import App, AppPolicy
from tests.conftest import Caller
from tests.promises.lives import NEEDLE, Life
from tests.scale import scaled
from tests.talking import tables_with

pytestmark = pytest.mark.long

SEEDS = range(scaled(8, least=2))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["user", "session", "memory"])
def test_no_word_is_left_of_what_is_deleted(kind: str, seed: int, alice: Caller, operator: APIClient) -> None:
    random = Random(f"{kind} {seed}")
    written, waiting = random.random() < 0.5, random.random() < 0.3
    AppPolicy.objects.filter(app=alice.app).update(
        capture_summaries=written, capture_digest=written, approval_origins=["tool"] if waiting else []
    )
    life = Life(alice, operator, random, kind)
    life.live()
    with travel(life.now):
        assert tables_with(NEEDLE)
        life.delete()
    assert tables_with(NEEDLE) == set()
    assert App.objects.get(app_id="acme").memory_count == Memory.objects.for_app(alice.app).live().count()
