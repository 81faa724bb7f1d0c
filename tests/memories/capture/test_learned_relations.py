"""What the network's judgement does to what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.test.utils import override_settings

from memories.models import Link, LinkKind, Memory, Status
from memories.providers import relation
from memories.providers.judgement_model import CATEGORIES, KINDS, RELATIONS, Judgement, Reading
from tests.conftest import Caller, make_app, make_caller
from tests.talking import tell
from tests.upkeep import upkeep_learn_due


class Network:
    """Stands for the network: judges by pairs of words, all else stands side by side."""

    def __init__(self) -> None:
        self.verdicts: dict[tuple[str, str], Judgement] = {}
        self.pairs_judged: list[tuple[str, str, str]] = []

    def say(self, stored: str, new: str, **shares: float) -> None:
        self.verdicts[stored, new] = judgement(**shares)

    def relate(self, pairs: Sequence[tuple[str, str, str]]) -> list[Judgement]:
        self.pairs_judged += pairs
        return [self.judged(stored, new) for stored, new, _ in pairs]

    def judged(self, stored: str, new: str) -> Judgement:
        results = [answer for (item, other), answer in self.verdicts.items() if item in stored and other in new]
        return results[0] if results else judgement(both=1.0)


def judgement(**shares: float) -> Judgement:
    return Judgement(**(dict.fromkeys(RELATIONS, 0.0) | shares))


@pytest.fixture
def network(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Network]:
    """Judges, whatever is near: the hash embedder knows no meaning."""
    made = Network()
    monkeypatch.setattr(relation, "load_judgement_model", lambda: made)
    monkeypatch.setattr(relation, "NEAR", -9.0)
    monkeypatch.setattr(relation, "_kept", {})
    with override_settings(MEMSITE=replace(settings.MEMSITE, relations="learned")):
        yield made


def memory_of(answer: dict[str, str]) -> Memory:
    return Memory.objects.get(uid=answer["id"])


def test_what_is_replaced_is_superseded_and_over(alice: Caller, network: Network) -> None:
    network.say("Graz", "Leoben", replaces=0.9, both=0.1)
    old = alice.remember("The office is in Graz")
    new = alice.remember("The office is in Leoben now")
    before, after = memory_of(old), memory_of(new)
    assert (new["outcome"], new["reason"]) == ("created", "replaces: Graz → Leoben now; 0.90")
    assert (before.status, after.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert before.valid_until == after.created_at
    assert Link.objects.get(from_memory=after, to_memory=before).kind == LinkKind.SUPERSEDES
    (revision,) = alice.get(f"memories/{old['id']}/history").json()["results"][-1:]
    assert "replaces: Graz → Leoben now; 0.90" in str(revision)


def test_in_preset_ops_it_loses_confidence_instead(network: Network) -> None:
    caller = make_caller(make_app("ship", "ops"), "olga")
    network.say("Graz", "Leoben", replaces=0.9, both=0.1)
    old = caller.remember("The office is in Graz", category="behavior")
    new = caller.remember("The office is in Leoben now", category="behavior")
    before = memory_of(old)
    assert (before.status, round(before.confidence, 2), before.valid_until) == (Status.ACTIVE, 0.5, None)
    assert Link.objects.get(from_memory=memory_of(new), to_memory=before).kind == LinkKind.CONTRADICTS


def test_what_is_doubtful_is_stored_beside_what_is_known(alice: Caller, network: Network) -> None:
    network.say("Graz", "Leoben", replaces=0.44, both=0.56)
    network.say("Graz", "town", same=0.49, both=0.51)
    for text in ("The office is in Graz", "The office is in Leoben now", "The office is in that town"):
        alice.remember(text)
    assert [(item.status, round(item.confidence, 2)) for item in Memory.objects.all()] == [(Status.ACTIVE, 0.7)] * 3


def test_what_adds_nothing_confirms(alice: Caller, network: Network) -> None:
    network.say("Graz", "office", same=0.9, both=0.1)
    old = alice.remember("The office is in Graz")
    again = alice.remember("In Graz there is the office")
    assert again["id"] == old["id"]
    assert memory_of(old).confidence == pytest.approx(0.8)


def test_one_session_lowers_a_memory_once_unless_each_verdict_is_certain(alice: Caller, network: Network) -> None:
    network.say("open", "closed", contradicts=0.8, both=0.2)
    network.say("open", "shut", contradicts=0.95, both=0.05)
    old = alice.remember("The gate is open")
    session = alice.start_session()["id"]
    for text in ("The gate is closed", "The gate is closed at noon", "The gate is closed, as I said"):
        alice.remember(text, session_id=session)
    assert memory_of(old).confidence == pytest.approx(0.5)
    alice.remember("The gate is shut", session_id=session)
    assert memory_of(old).confidence == pytest.approx(0.3)


def test_what_is_stored_together_is_judged_before_anything_is_locked(
    alice: Caller, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    network.say("Graz", "Leoben", replaces=0.9, both=0.1)
    statements = ("The office is in Graz", "The office is in Leoben now")
    asked_at: list[int] = []
    writing = "memories.capture.pipeline.writing"
    from memories.capture import pipeline

    real = pipeline.writing

    def noting(*arguments: object, **named: object) -> object:
        asked_at.append(len(network.pairs_judged))
        return real(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, noting)
    answer = alice.post("memories/batch", {"memories": [{"content": text} for text in statements], "dedupe": True})
    assert answer.status_code in (200, 201, 207), answer.content
    assert [item.status for item in Memory.objects.order_by("pk")] == [Status.SUPERSEDED, Status.ACTIVE]
    assert asked_at == [len(network.pairs_judged)]


def test_what_one_text_says_of_two_things_is_not_at_odds(alice: Caller, network: Network) -> None:
    network.say("", "", contradicts=0.95, both=0.05)
    session = alice.start_session()["id"]
    text = "[MEMORY:timing] Backups take an hour\n[MEMORY:timing] Imports take two hours"
    alice.post(f"sessions/{session}/messages", {"messages": [{"role": "assistant", "content": text}]})
    assert [item.confidence for item in Memory.objects.all()] == pytest.approx([0.7, 0.7])
    network.say("", "", contradicts=0.95, both=0.05)
    text = "[MEMORY:timing:db] Backups take an hour\n[MEMORY:timing:db] Backups take two hours"
    alice.post(f"sessions/{session}/messages", {"messages": [{"role": "assistant", "content": text}]})
    assert sorted(item.confidence for item in Memory.objects.filter(subject="db")) == pytest.approx([0.5, 0.7])


def test_what_one_text_says_has_changed_replaces_what_it_said_before(alice: Caller, network: Network) -> None:
    network.say("Graz", "moved to Leoben", replaces=0.9, both=0.1)
    tell(alice, alice.start_session(), "I live in Graz. Actually, I moved to Leoben last month.")
    upkeep_learn_due()
    statuses = {("Leoben" in memory.content): memory.status for memory in Memory.objects.all()}
    assert statuses == {False: Status.SUPERSEDED, True: Status.ACTIVE}


def test_what_is_worth_nothing_for_itself_is_kept_where_it_changes_what_is_known(
    alice: Caller, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    worthless = Reading(0.02, dict.fromkeys(CATEGORIES, 0.1), dict.fromkeys(KINDS, 0.1))
    reader = SimpleNamespace(read=lambda sentences: [worthless] * len(sentences))
    monkeypatch.setattr("memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: reader)
    network.say("Hetzner", "Backblaze", replaces=0.9, both=0.1)
    network.say("Hetzner", "odd", replaces=0.6, both=0.4)
    old = alice.remember("The backup goes to Hetzner")
    text = ("The oven is warm today.", "The backup sounds odd somehow.", "The backup goes to Backblaze now.")
    tell(alice, alice.start_session(), *text)
    upkeep_learn_due()
    after = Memory.objects.exclude(pk=memory_of(old).pk).get()
    assert after.content == "The backup goes to Backblaze now"
    assert memory_of(old).status == Status.SUPERSEDED
