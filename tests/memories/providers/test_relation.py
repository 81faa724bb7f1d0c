"""How two statements relate, as the network and its guards judge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from memories.language.relate import Relation, Thresholds, Verdict
from memories.learn.cancellations import calls_off, find_replaced, stems_of
from memories.providers import judgement_model
from memories.providers import relation as relation_module
from memories.providers.embeddings import EmbedderMisconfigured, MiniLMEmbedder
from memories.providers.embeddings.in_process import BLOCK, pack_matrix, quantised, restored
from memories.providers.judgement_model import RELATIONS, Judgement, load_judgement_model
from memories.providers.relation import (
    Pair,
    ends_in_part,
    judgements,
    leave_to_nearest,
    name_addition,
    name_other_thing,
    read_again,
    relate_all,
    says_less,
    tells_change_of,
    verdict_of,
    with_measures_of,
)
from tests.tables import each_row

BANDS = Thresholds()
PAIRS = Path(__file__).parents[2] / "data" / "judgement" / "pairs-hard.jsonl"
CAFE = 'About "we deliver to the cafe every morning, 40 croissants", User said: invoice goes to office@cafe.example'
ALARM = 'About "smoke alarm chirps at 3am", asked "Which type is it?", User said: ceiling hall'
BLENDER = 'About "My blender jug", asked "Which model is it?", User said: the 500, in red'
PIANO = 'About "my piano lesson", User said: it is at six now'
FONT = 'About "the ZPL renderer needs DejaVu Sans Mono, the Dockerfile installs it", User said: skip tests without it'
CHANNEL = 'About "the zigbee mesh, the microwave runs", User said: channel 11 atm'
LUCY = 'About "our neighbour Lucy, the kids", User said: fridays I bake'


def relation(stored: str, new: str, subject: str = "", cosine: float | None = 0.9) -> Relation:
    return relate_all([Pair(stored, new, subject, cosine)], BANDS, "learned")[0].relation


def surely(**shares: float) -> Judgement:
    return Judgement(**(dict.fromkeys(RELATIONS, 0.0) | shares))


@each_row(
    ("stored", "new", "subject", "right"),
    [
        ("User lives in Oslo", "User moved to Bergen last month", "", Relation.SUPERSEDES),
        ("User works at Nordex", "User started at Kone in May", "", Relation.SUPERSEDES),
        ("Restart it when DNS fails", "Do not restart it while backups run", "router", Relation.DIFFERENT),
        ("Reloads its config without a restart", "Listens on port 8443", "traefik", Relation.DIFFERENT),
        ("User is allergic to peanuts", "User has a peanut allergy", "", Relation.SAME),
        ("Host web-1 has 4 GB of memory", "Host web-2 has 8 GB of memory", "", Relation.DIFFERENT),
        ("Must be started after WireGuard", "Can be started independently of WireGuard", "caddy", Relation.CONTRADICTS),
        ("Must be started after WireGuard", "May be started before WireGuard", "caddy", Relation.DIFFERENT),
        ("Gate 3-1 is closed at 1:00", "Gate 3-10 is closed at 10:00", "", Relation.DIFFERENT),
        ("Open port 443", "Do not open port 80", "router", Relation.DIFFERENT),
        ("A full build takes 12 minutes", "A full build takes 35 minutes", "ci", Relation.SUPERSEDES),
        ("Takes 90 s to start", "Needs 90 seconds to start", "svc", Relation.SAME),
        ("Keeps logs 14d", "Logs are kept for two weeks", "loki", Relation.SAME),
        ("User rides a Canyon bike to work", "User sold the motorbike last week", "", Relation.DIFFERENT),
        ("User rides a motorbike", "User sold the motorbike last week", "", Relation.SUPERSEDES),
        ("Our neighbour Lucy picks the kids up on Wednesdays", LUCY, "", Relation.DIFFERENT),
        ("User drives a Golf", 'About "the Golf", User said: Mum loves blue cars', "", Relation.DIFFERENT),
        ("User's blender jug cracked and User wants a spare one", BLENDER, "", Relation.DIFFERENT),
        ("User delivers to the cafe every morning, 40 croissants", CAFE, "", Relation.DIFFERENT),
        ("Smoke alarm chirps at 3am", ALARM, "", Relation.DIFFERENT),
        ("User's piano lesson is on Tuesday at five", PIANO, "", Relation.SUPERSEDES),
        ("We deliver to the cafe every morning, 40 croissants", CAFE, "", Relation.DIFFERENT),
        ("The ZPL renderer needs DejaVu Sans Mono, the Dockerfile installs it", FONT, "", Relation.DIFFERENT),
        ("Zigbee mesh drops every time the microwave runs, channel 11 atm", CHANNEL, "", Relation.SAME),
        ("The cake has three tiers", 'About "the cake", User said: only two tiers now', "", Relation.SUPERSEDES),
    ],
)
def test_a_change_is_told_from_what_holds_beside_it(stored: str, new: str, subject: str, right: Relation) -> None:
    assert relation(stored, new, subject) == right


@each_row(
    ("stored", "new", "told"),
    [
        ("Host web-1 has 4 GB", "Host web-2 has 8 GB", "another web: 1 / 2"),
        ("Test run 100 failed", "Test run 101 passed", "another run: 100 / 101"),
        ("On 2 March the customer asked", "On 9 March the customer asked", "another day: 2 March / 9 March"),
        ("web-1 has 4 GB", "web-1 has 8 GB", ""),
        ("The backup goes to B2", "The backup goes to S3", ""),
        ("Takes 60s to start", "Takes 90s to start", ""),
        ("Listens on port 80", "Listens on port 90", ""),
    ],
)
def test_things_of_one_kind_are_told_apart_by_their_number(stored: str, new: str, told: str) -> None:
    assert name_other_thing(stored, new) == told
    if told:
        assert relate_all([Pair(stored, new)], BANDS, "learned")[0].reason == told


@each_row(
    ("stored", "new", "told"),
    [
        ("Starts within a minute", "Starts within 50 seconds", "50"),
        ("The certificate is renewed by a timer", "The certificate is renewed by Caddy", "Caddy"),
        ("Restart it at night", "Do not restart it at night", "denied: restart"),
        ("User speaks Spanish", "User is learning Spanish", "learning"),
        ("User is training to be a diver", "User is a qualified diver", "training"),
        ("The cat is called Momo", "Momo is the cat", ""),
        ("User is a vegetarian", "User does not eat meat", ""),
        ("Never restart it at night", "It must not be restarted at night", ""),
    ],
)
def test_what_says_more_exactly_is_not_the_same(stored: str, new: str, told: str) -> None:
    assert name_addition(stored, new) == told
    judged = verdict_of(Pair(stored, new), surely(same=0.75, both=0.25)).relation
    assert judged == (Relation.ELABORATES if told else Relation.SAME)


@each_row(
    ("stored", "new", "told"),
    [
        ("The warehouse is 1.5 km away", "The warehouse is fifteen hundred metres away", ""),
        ("The package is MIT-licensed", "It is published under the MIT licence", ""),
        ("Every migration has a way back", "No migration is allowed that isn't reversible", ""),
        ("Everyone in the class has a phone", "Nobody in the class has a phone", "denied: Nobody"),
        ("The commute takes an hour", "It takes 60 minutes to get to work", ""),
        ("User has attention deficit hyperactivity disorder", "User has ADHD", ""),
        ("Starts within 60 seconds", "Starts within 50 seconds", "50"),
        ("Restart it at night", "Do not restart it at night", "denied: restart"),
    ],
)
def test_a_sure_network_is_doubted_for_other_figures_and_denials_alone(stored: str, new: str, told: str) -> None:
    assert name_addition(stored, new, 0.95) == told
    judged = verdict_of(Pair(stored, new), surely(same=0.95, both=0.05)).relation
    assert judged == (Relation.ELABORATES if told else Relation.SAME)


@each_row(
    ("stored", "new", "is_less"),
    [
        ("User takes 20 mg of omeprazole before breakfast", "User takes omeprazole", True),
        ("Release tags follow semver and must be signed", "Release tags must be signed", True),
        ("Black Hovawart, 5 years old, afraid of thunder", "afraid of thunder", True),
        ("User plans to sell the house", "User sells the house", False),
        ("Deputy chief of the brigade", "Chief of the brigade", False),
        ("The brother of Alice lives in Graz", "Alice lives in Graz", False),
        ("User does not eat meat on Fridays", "User eats meat", False),
        ("User drinks coffee only at weekends", "User drinks coffee", False),
        ("User lives in Graz", "User lives in Graz now", False),
    ],
)
def test_what_says_less_is_the_same(stored: str, new: str, is_less: bool) -> None:
    assert says_less(stored, new) == is_less
    judged = verdict_of(Pair(stored, new), surely(both=1.0)).relation
    assert judged == (Relation.SAME if is_less else Relation.DIFFERENT)


@each_row(
    ("stored", "new", "is_part"),
    [
        ("User has two cats, Pixel and Bruno", "Bruno died in the week of 9 November 2026", True),
        ("User takes ramipril and a statin every morning", "The doctor stopped User's statin", True),
        ("User has two cats, Pixel and Bruno", "Bruno died, so it's only Pixel now", False),
        ("The team deploys on Tuesdays and Thursdays", "Deploys moved to Wednesdays", False),
        ("User owns a bike and a car", "User sold the bike and the car", False),
        ("User lives in Graz", "User moved to Leoben", False),
    ],
)
def test_what_ends_for_one_of_several_things_makes_the_whole_less_sure(stored: str, new: str, is_part: bool) -> None:
    assert ends_in_part(stored, new) == is_part
    pair, judged = Pair(stored, new), surely(replaces=0.9, both=0.1)
    told = read_again(verdict_of(pair, judged), judged, pair, BANDS)
    assert told.relation == (Relation.CONTRADICTS if is_part else Relation.SUPERSEDES)


@each_row(
    ("stored", "new", "shares", "right"),
    [
        ("User teaches Spanish", "User learns Spanish", {"same": 0.9}, Relation.DIFFERENT),
        ("Tom usually asks Ben", "Ben usually asks Tom", {"same": 0.97}, Relation.DIFFERENT),
        ("User needs a code", "User needs the code", {"contradicts": 0.7, "same": 0.3}, Relation.DIFFERENT),
        ("The van was sold to Ben", "Ben bought the van", {"same": 0.97}, Relation.SAME),
        ("The van was sold to Ben", "Ben bought the van", {"same": 0.9}, Relation.DIFFERENT),
        ("in customs", "in transit since customs closed", {"replaces": 0.9}, Relation.SUPERSEDES),
        ("in customs", "in the customs shed", {"replaces": 0.7}, Relation.ELABORATES),
        ("User drinks coffee at noon", "User does not drink tea at noon", {"contradicts": 0.9}, Relation.DIFFERENT),
        ("User likes short notes", "User does not like short notes", {"contradicts": 0.9}, Relation.CONTRADICTS),
    ],
)
def test_words_that_leave_no_doubt_overrule_the_network(
    stored: str, new: str, shares: dict[str, float], right: Relation
) -> None:
    pair, judged = Pair(stored, new, cosine=0.9), surely(**shares)
    assert read_again(verdict_of(pair, judged), judged, pair, BANDS).relation == right


@each_row(
    ("told", "said", "is_off"),
    [
        ("My dentist appointment is next Friday at 9:15", "The dentist on Friday is cancelled", True),
        ("My dentist appointment is next Friday at 9:15", "The dentist on Monday is cancelled", False),
        ("My dentist appointment is next Friday at 9:15", "The dentist on Friday may be cancelled", False),
    ],
)
def test_what_is_said_to_be_off_is_called_off_in_doubt(told: str, said: str, is_off: bool) -> None:
    assert calls_off(said, stems_of(told)) == is_off


def test_a_verdict_says_which_words_changed_and_how_sure_it_is() -> None:
    told = verdict_of(Pair("User lives in Graz", "User lives in Leoben now"), surely(replaces=0.93, both=0.07))
    assert told.reason == "replaces: Graz → Leoben now; 0.93"
    long = verdict_of(Pair("one " * 200, "other-word-of-many-letters " * 200), surely(contradicts=0.8, both=0.2))
    assert len(long.reason) <= 120
    assert long.reason.endswith("; 0.80")


def test_a_measure_is_read_as_the_stored_statement_spells_it() -> None:
    stored = "Takes 60s, keeps 14d, is 1.5 km off"
    told = with_measures_of(stored, "60 seconds, two weeks, 1500 m, 1,500 m, 90 s, 60 apples")
    assert told == "60s, 14d, 1.5 km, 1,500 m, 90 s, 60 apples"


def test_in_doubt_both_stay() -> None:
    assert verdict_of(Pair("a", "b"), surely(replaces=0.44, both=0.56)).relation == Relation.DIFFERENT
    assert verdict_of(Pair("a", "b"), surely(contradicts=0.59, both=0.41)).relation == Relation.DIFFERENT
    assert verdict_of(Pair("a", "b"), surely(same=0.49, both=0.51)).relation == Relation.DIFFERENT
    assert verdict_of(Pair("a", "b", cosine=0.6), surely(replaces=0.55, both=0.45)).relation == Relation.SUPERSEDES
    assert verdict_of(Pair("a", "b", cosine=0.4), surely(replaces=0.55, both=0.45)).relation == Relation.DIFFERENT
    assert verdict_of(Pair("a", "b", cosine=0.2), surely(replaces=0.89, both=0.11)).relation == Relation.DIFFERENT
    assert verdict_of(Pair("a", "b"), surely(replaces=0.55, same=0.45)).relation == Relation.DIFFERENT


@each_row(
    ("stored", "new", "is_change"),
    [
        ("User lives in Graz", "User moved to Linz last week", True),
        ("User works at Nordex", "User started at Kone in May", True),
        ("User lives in Graz", "User moved to a new team", False),
        ("User lives in Graz", "The server moved to Linz", False),
        ("User lives in Graz", "User's sister moved to Linz", False),
    ],
)
def test_changes_of_home_and_work_are_of_the_same_person(stored: str, new: str, is_change: bool) -> None:
    assert tells_change_of(Pair(stored, new)) == is_change


def test_a_change_replaces_what_it_is_nearest_to() -> None:
    known = {
        "User lives in Graz": Relation.SUPERSEDES,
        "User's manager is Karin": Relation.DIFFERENT,
        "User works as a nurse": Relation.DIFFERENT,
        "User has two cats": Relation.DIFFERENT,
        "User plays chess on Fridays": Relation.DIFFERENT,
    }
    new = "User moved to Linz last week"
    stored, said = MiniLMEmbedder().embed_documents(list(known)), MiniLMEmbedder().embed_documents([new])
    pairs = [Pair(text, new, cosine=float(cosine)) for text, cosine in zip(known, stored @ said[0], strict=True)]
    assert [verdict.relation for verdict in relate_all(pairs, Thresholds(0.85, 0.45), "learned")] == [*known.values()]
    doubted = [Verdict(Relation.SUPERSEDES, "", 0.9)] * 2
    near = leave_to_nearest([Pair("a", "b", cosine=0.5), Pair("c", "b", cosine=0.36)], doubted, Thresholds(0.85, 0.45))
    assert [verdict.relation for verdict in near] == [Relation.SUPERSEDES, Relation.DIFFERENT]


def test_what_may_be_at_odds_is_not_the_same_however_likely_that_is() -> None:
    told = verdict_of(Pair("a gate", "a gate, again"), surely(same=0.65, contradicts=0.35))
    assert (told.relation, told.reason) == (Relation.DIFFERENT, "in doubt: at odds 0.35")


def test_what_is_far_apart_in_meaning_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("memories.providers.relation.load_judgement_model", fail)
    assert relation("User lives in Oslo", "The printer is out of toner", cosine=0.1) == Relation.DIFFERENT
    assert relation("User lives in Oslo", "user lives in Oslo.", cosine=0.1) == Relation.SAME


@each_row(
    ("stored", "new", "right"),
    [
        ("The default branch is main", "Main is the default branch", Relation.SAME),
        ("The service starts *after* the network", "After the network the service starts", Relation.SAME),
        ("L'imprimante du hall est en panne", "L'imprimante du hall imprime de nouveau", Relation.SUPERSEDES),
        ("Я люблю кофе", "Я не люблю кофе", Relation.DIFFERENT),
    ],
)
def test_other_orders_and_languages(stored: str, new: str, right: Relation) -> None:
    assert relation(stored, new) == right


def test_what_is_denied_in_another_language_is_not_the_same() -> None:
    judged = surely(same=0.95, both=0.05)
    assert verdict_of(Pair("Ich wohne in Graz", "Ich wohne nicht in Graz"), judged).relation != Relation.SAME
    assert verdict_of(Pair("Ich wohne in der Stadt", "Ich lebe in der Stadt"), judged).relation == Relation.SAME
    assert (
        verdict_of(Pair("Ich wohne in der Stadt", "Ich lebe in der Stadt"), surely(same=0.8)).relation != Relation.SAME
    )


def test_without_the_model_s_package_the_rules_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise EmbedderMisconfigured("the model package is not installed")

    monkeypatch.setattr(judgement_model, "locate_model", missing)
    judgement_model.is_there.cache_clear()
    try:
        pair = Pair("Listens on port 80", "Listens on port 8080", "web", 0.9)
        assert relate_all([pair], BANDS, "learned") == relate_all([pair], BANDS, "rules")
        assert find_replaced({1: "The plumber comes on Friday"}, "The plumber is not coming.") == {}
    finally:
        judgement_model.is_there.cache_clear()


def test_no_words_of_what_was_judged_are_kept_in_the_process() -> None:
    judgements([("the needle in the haystack", "\ud800 a needle", "")])
    assert all(isinstance(key, bytes) and len(key) == 16 for key in relation_module._kept)


def test_texts_of_any_length_and_letters_are_judged() -> None:
    long = "word " * 20_000
    for stored, new in (
        (long, long + "more"),
        ("\ud800", "\x00 a"),
        ("a" * 100_000, "b"),
        ("no " * 30_000, "1 " * 30_000),
    ):
        assert relation(stored, new) in Relation


def test_a_pair_is_judged_the_same_alone_and_among_others() -> None:
    rows = [json.loads(line) for line in PAIRS.read_text().splitlines()[:20]]
    asked = [(row["existing"], row["new"], row["subject"]) for row in rows]
    together = load_judgement_model().relate(asked)
    for pair, judged in zip(asked, together, strict=True):
        (alone,) = load_judgement_model().relate([pair])
        assert alone.both == pytest.approx(judged.both, abs=1e-4)
        assert sum(getattr(judged, name) for name in RELATIONS) == pytest.approx(1)
    assert judgements(asked) == judgements(asked)


def test_weights_are_restored_within_a_step_of_their_row() -> None:
    values = np.array([[0.5, -1.0, 0.25], [1e-5, 2e-5, -3e-5]], dtype=np.float32)
    small, scale = quantised(values)
    assert small.dtype == np.int8
    assert np.abs(restored(small, scale) - values).max(axis=1) == pytest.approx(scale / 2, abs=1e-2)


def test_packed_weights_are_bytes_with_a_scale_for_each_block() -> None:
    values = np.linspace(-1, 1, 4 * BLOCK, dtype=np.float32).reshape(2, 2 * BLOCK)
    small, scale = quantised(values)
    packed = pack_matrix("weight", small, scale)
    assert packed["weight"].shape == (2, 2, BLOCK)
    floats = (packed["weight"].astype(np.float32) - 128).reshape(4, BLOCK) * packed["weight.scale"][:, None]
    assert floats.reshape(2, -1) == pytest.approx(restored(small, scale))


def test_a_judgement_does_not_depend_on_what_is_judged_beside_it() -> None:
    pairs = [
        ("User lives in Oslo", "User moved to Bergen last month", ""),
        ("Needs Python 3.12", "Runs on port 80", "a"),
    ]
    model = load_judgement_model()
    assert model.relate(pairs) == [model.relate([pair])[0] for pair in pairs]
