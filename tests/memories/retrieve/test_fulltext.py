"""The full-text arm: whose words count, and which are left out because too many memories hold them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from memories.models.fulltext import TABLE
from memories.retrieve.arms import fulltext
from memories.retrieve.arms.fulltext import look_up
from memories.retrieve.pipeline import indexes
from memories.retrieve.reading import Reading, Scope, read
from memories.retrieve.words import Words
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, embedder_of, search, store

NOW = 2e9


def reading_of(caller: Caller) -> Reading:
    embedder = embedder_of(caller)
    return read(indexes.of(caller.app, embedder.name, embedder.dim).view(), Scope(None, None, NOW))


def held(caller: Caller, *words: str) -> dict[str, int]:
    """How many memories hold each word that is not left out."""
    found: Words = look_up(caller.app, reading_of(caller), words)
    return {name: len(places) for name, places in zip(found.names, found.places, strict=True)}


@pytest.fixture
def two_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "COMMON_COUNT", 2)


def test_words_are_found_in_content_subject_and_tags_whatever_their_ending(alice: Caller) -> None:
    store(alice, "whales sing", subject="sea", tags=["night"])
    assert held(alice, "whale", "singing", "sea", "nights", "day") == {
        "whale": 1, "singing": 1, "sea": 1, "nights": 1, "day": 0,
    }  # fmt: skip


def test_no_words_hold_nothing(alice: Caller) -> None:
    store(alice, "whales sing")
    assert held(alice) == {}


@pytest.mark.usefixtures("two_are_many")
def test_a_word_that_too_many_memories_hold_is_left_out(alice: Caller) -> None:
    for name in ("blue", "grey", "white"):
        store(alice, f"a {name} whale")
    assert held(alice, "whale", "grey") == {"grey": 1}
    found = search(alice, "grey whale", mode="fulltext")
    assert contents(found) == ["a grey whale"]


@pytest.mark.usefixtures("two_are_many")
def test_unless_nothing_else_is_left(alice: Caller) -> None:
    for name in ("blue", "grey", "white"):
        store(alice, f"a {name} whale sings")
    assert held(alice, "whale") == {"whale": 3}
    assert held(alice, "whale", "sings", "octopus") == {"whale": 3, "sings": 3, "octopus": 0}


@pytest.mark.usefixtures("two_are_many")
def test_a_word_of_two_memories_is_not_common(alice: Caller) -> None:
    store(alice, "a blue whale")
    store(alice, "a grey whale")
    assert held(alice, "whale", "grey") == {"whale": 2, "grey": 1}


def test_what_is_common_grows_with_the_app(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "COMMON_COUNT", 0)
    monkeypatch.setattr(fulltext, "COMMON_SHARE", 0.5)
    for content in ("a blue whale", "a grey whale", "a white heron", "a black heron"):
        store(alice, content)
    assert held(alice, "whale", "grey") == {"whale": 2, "grey": 1}
    store(alice, "a pink whale")
    assert held(alice, "whale", "grey") == {"grey": 1}


@pytest.mark.usefixtures("two_are_many")
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_what_other_apps_hold_makes_no_word_common(alice: Caller, charlie: Caller, first: str) -> None:
    def ours() -> None:
        store(alice, "a grey whale")

    def theirs() -> None:
        for name in ("blue", "grey", "white", "black"):
            store(charlie, f"a {name} whale")

    for write in (theirs, ours) if first == "theirs" else (ours, theirs):
        write()
    assert held(alice, "whale", "grey") == {"whale": 1, "grey": 1}
    assert held(charlie, "whale", "grey") == {"grey": 1}


@pytest.mark.usefixtures("two_are_many")
def test_common_in_two_apps_is_common_in_each(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie, alice, charlie, alice, charlie):
        store(caller, "one more whale, grey")
    store(alice, "a heron")
    assert held(alice, "whale", "heron") == {"heron": 1}


@pytest.mark.usefixtures("two_are_many")
def test_memories_that_are_not_shown_make_no_difference_to_what_is_found(alice: Caller) -> None:
    for number in range(4):
        change(alice, store(alice, f"old whale {number}"), status="archived")
    store(alice, "a young whale")
    store(alice, "a heron")
    assert contents(search(alice, "young whale", mode="fulltext")) == ["a young whale"]


@pytest.mark.parametrize("word", ["app{pk}", "APP{pk}", "äpp{pk}"])
def test_the_number_of_the_app_is_no_word_of_its_memories(alice: Caller, word: str) -> None:
    store(alice, "whales sing")
    asked = word.format(pk=alice.app.pk)
    assert held(alice, asked.casefold()) == {asked.casefold(): 0}
    store(alice, f"{asked} is a name")
    assert held(alice, asked.casefold()) == {asked.casefold(): 1}


def test_a_usual_search_asks_once(alice: Caller, charlie: Caller, django_assert_num_queries: Any) -> None:
    store(alice, "whales sing")
    store(charlie, "whales sing")
    reading = reading_of(alice)
    with django_assert_num_queries(1):
        look_up(alice.app, reading, ["whales", "sing"])


@pytest.mark.postgres("SQLite puts words into its index at once")
@pytest.mark.django_db
def test_no_search_reads_words_that_wait_to_be_indexed() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reloptions FROM pg_class WHERE relname = %s", [TABLE])
        assert cursor.fetchall() == [(["fastupdate=off"],)]
