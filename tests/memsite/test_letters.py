"""Small and capital letters are the same to who looks for a text, also beyond ASCII, on either database."""

from __future__ import annotations

import pytest
from django.db import connection

from memories.models import Memory
from tests.conftest import Caller
from tests.dashboard.conftest import sign_in


@pytest.fixture
def songs(alice: Caller) -> None:
    for content, subject in (("Über den Wolken", "Öl"), ("Tout l'été, 100%", None), ("Plain words", None)):
        alice.post("memories", {"content": content, "subject": subject})


@pytest.mark.usefixtures("songs")
@pytest.mark.parametrize(
    ("lookup", "text", "texts"),
    [
        ("content__icontains", "über", {"Über den Wolken"}),
        ("content__icontains", "ÜBER", {"Über den Wolken"}),
        ("content__icontains", "ÉTÉ, 100%", {"Tout l'été, 100%"}),
        ("content__icontains", "ÉT%", set()),
        ("content__icontains", "_ber dén", set()),
        ("content__icontains", "WORDS", {"Plain words"}),
        ("content__istartswith", "üBER D", {"Über den Wolken"}),
        ("content__istartswith", "été", set()),
        ("content__iendswith", "ÉTÉ, 100%", {"Tout l'été, 100%"}),
        ("content__iexact", "über den wolken", {"Über den Wolken"}),
        ("subject__iexact", "öl", {"Über den Wolken"}),
        ("subject__icontains", "ÖL", {"Über den Wolken"}),
    ],
)
def test_small_and_capital_letters_are_the_same(lookup: str, text: str, texts: set[str]) -> None:
    assert set(Memory.objects.filter(**{lookup: text}).values_list("content", flat=True)) == texts


@pytest.mark.usefixtures("songs")
def test_the_dashboard_and_the_admin_find_them(alice: Caller) -> None:
    client = sign_in("sue", is_superuser=True, is_staff=True)
    for page in (f"/memories?app={alice.app.app_id}&q=über", "/admin/memories/memory/?q=über"):
        html = client.get(page).content.decode()
        assert "Über den Wolken" in html
        assert "Plain words" not in html


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL folds letters itself")
def test_texts_in_ascii_are_left_to_sqlite() -> None:
    assert "FOLDED" not in str(Memory.objects.filter(content__icontains="caddy").query)
    assert "FOLDED" in str(Memory.objects.filter(content__icontains="über").query)
