"""Identifiers, quoted phrases and names of a question: what holds them is found, whatever ranks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from django.utils import timezone

from memories.capture.pipeline import remember
from memories.providers.embeddings import HashEmbedder, Vectors
from memories.retrieve.pipeline import recall
from memories.retrieve.question import exact_terms, names_of
from memories.retrieve.scoped_view import Scope
from memories.store import Candidate
from memsite.tenancy.models import App, AppPolicy
from memsite.tenancy.policy import Preset, preset_values
from tests.conftest import Caller
from tests.memories.retrieve.asking import search, set_policy, store
from tests.tables import each_row, load_tables

TRIAL = load_tables("exact-terms")["test_what_the_question_names_is_among_the_first_three"]["rows"]
PRESETS = (Preset.STANDARD, Preset.OPS, Preset.ASSISTANT, Preset.KNOWLEDGE, Preset.COMPACT)
NAMED = re.compile(r"\S*\d\S*|\S*[a-z][A-Z_.]\S*|[\"'“`][^\"”'`]*[\"”'`]|(?<=\w )[A-Z]\S*")


class Blind(HashEmbedder):
    """Knows nothing of identifiers, names and quoted phrases, nor in which order words stand."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return super().embed_documents([NAMED.sub("", text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return super().embed_query(NAMED.sub("", text))


def store_trial(app: App, size: int, embedder: Blind) -> None:
    """Twenty answers, and as many others of each kind as make up the size: written after them."""
    texts = [answer for _, answer, _, _ in TRIAL]
    for number in range(size // len(TRIAL) - 1):
        low, high = number % 200 + 20, number // 200
        texts += [others.format(named.format(number=3000 + number, low=low, high=high)) for *_, others, named in TRIAL]
    for start in range(0, len(texts), 500):
        some = [Candidate(content=text) for text in texts[start : start + 500]]
        remember(app, some, embedder, "test", timezone.now(), dedupe=False)


def missed(app: App, preset: str, embedder: Blind) -> list[str]:
    """Return the questions whose answer is not among the first three."""
    policy, scope = AppPolicy(app=app, **preset_values(preset)), Scope(None, None, timezone.now().timestamp())
    results = {question: recall(app, question, scope, embedder, limit=3, policy=policy).hits for question, *_ in TRIAL}
    return [
        question for question, answer, *_ in TRIAL if answer not in [hit.memory.content for hit in results[question]]
    ]


@pytest.mark.parametrize("size", [200, pytest.param(10_000, marks=pytest.mark.long)])
def test_what_the_question_names_is_among_the_first_three(alice: Caller, size: int) -> None:
    embedder = Blind()
    store_trial(alice.app, size, embedder)
    assert {preset: missed(alice.app, preset, embedder) for preset in PRESETS} == {preset: [] for preset in PRESETS}


@each_row("mode", ["auto", "tiered", "dual", "vector", "fulltext", "graph"], rolled_back=True)
def test_an_identifier_is_found_in_every_mode(alice: Caller, mode: str) -> None:
    for number in range(30):
        store(alice, f"parcel QX{8800 + number} waits")
    assert search(alice, "parcel QX8807", mode=mode).hits[0].memory.content == "parcel QX8807 waits"


@each_row("ranking", ["standard", "product", "dual"], rolled_back=True)
def test_it_says_so_in_its_parts(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    store(alice, "parcel QX8807 waits")
    assert "exact" in search(alice, "parcel QX8807").hits[0].parts


@each_row("ranking", ["standard", "product", "dual"], rolled_back=True)
def test_what_nobody_names_leaves_the_formula_as_it_is(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    store(alice, "parcel QX8807 waits")
    assert "exact" not in search(alice, "a parcel waits").hits[0].parts


@each_row(
    "text, exact, names",
    [
        ("where is parcel QX88007?", ["qx88007"], ["qx88007"]),
        ("what runs on 10.0.0.5 and db_main", ["10.0.0.5", "db_main"], []),
        ("is port 8443 open", ["8443"], []),
        ("it takes 60s, costs 1.50 and has 3 parts of 5km, a 5K run", [], []),
        ("what does handleRetry write to notes.txt", ["handleretry", "notes.txt"], []),
        ("we saw it on YouTube in the U.S. in 2024", [], ["youtube"]),
        ("who wrote 'red door' and \"the blue one\"?", ["red door", "the blue one"], []),
        ("what's up, isn't it?", [], []),
        ("Where does Zoe's brother meet Ada Lovelace?", [], ["zoe", "ada lovelace"]),
        ("Zoe's birthday", [], ["zoe"]),
        ("Whales sing at night and I listen", [], []),
    ],
)
def test_what_a_question_names(text: str, exact: list[str], names: list[str]) -> None:
    assert (exact_terms(text, []), names_of(text, [])) == (exact, names)


def test_times_are_no_identifiers() -> None:
    text = "what happened on 2026-05-07 at 10:30?"
    assert exact_terms(text, [(text.index("2"), len(text) - 1)]) == []
