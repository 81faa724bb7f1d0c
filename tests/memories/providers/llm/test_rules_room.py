"""Which memory goes when an app may hold no more, by rule."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.provider import RULES, LLMUnusable, Noted
from memories.providers.llm.rules.likeness import gist_of
from memories.providers.llm.rules.room import make_room, value
from tests.growth import assert_linear
from tests.tables import each_row

NOW = datetime(2025, 7, 1, 12, tzinfo=UTC)


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@each_row(
    ("memory", "worth"),
    [
        # 0.4 · 2/4 + 0.3 · 0.7 + 0.2 · 1 + 0.1 · 0
        (Noted(1, "new", said_at=NOW), 0.61),
        # 0.4 · 4/4 + 0.3 · 0.9 + 0.2 · 1/4 + 0.1 · 15/20
        (Noted(1, "old but dear", importance=5, confidence=0.9, said_at=days_ago(180), access_count=15), 0.795),
        # 0.4 · 0 + 0.3 · 0.5 + 0.2 · 1/2 + 0.1 · 5/10
        (Noted(1, "trivial", importance=1, confidence=0.5, said_at=days_ago(90), access_count=5), 0.3),
        # the later of the two times counts: 0.2 + 0.21 + 0.2 · 1/2
        (Noted(1, "confirmed", said_at=days_ago(900), confirmed_at=days_ago(90)), 0.51),
        # a time to come is now; no time is long ago
        (Noted(1, "from tomorrow", said_at=days_ago(-1)), 0.61),
        (Noted(1, "timeless"), 0.41),
    ],
)
def test_the_value_of_a_memory(memory: Noted, worth: float) -> None:
    assert value(memory, NOW) == pytest.approx(worth)


def test_the_least_worthy_goes_and_the_reason_says_why() -> None:
    memories = [
        Noted(1, "User is allergic to nuts", importance=5, confidence=0.9, said_at=days_ago(700)),
        Noted(2, "User had soup for lunch", importance=1, confidence=0.7, said_at=days_ago(45)),
        Noted(3, "User works at Siemens", said_at=days_ago(10)),
    ]
    choice = make_room(memories, NOW, 200)
    assert (choice.number, choice.into, choice.content, choice.made_by) == (2, None, "", RULES)
    assert choice.reason == (
        "worth least (0.35): importance 1, confidence 0.70, last said or confirmed 45 days ago, accesses 0"
    )


def test_of_equals_the_oldest_goes() -> None:
    ages = {1: 800.0, 2: 900.0, 3: 700.0}
    memories = [Noted(n, f"Note {n}", confirmed_at=NOW, said_at=days_ago(age)) for n, age in ages.items()]
    assert make_room(memories, NOW, 200).number == 2


def test_pinned_memories_stay() -> None:
    memories = [Noted(1, "Trivial", importance=1, pinned=True), Noted(2, "Vital", importance=5)]
    assert make_room(memories, NOW, 200).number == 2


@each_row("memories", [[], [Noted(1, "a", pinned=True), Noted(2, "b", pinned=True)]])
def test_when_all_are_pinned_there_is_no_answer(memories: list[Noted]) -> None:
    with pytest.raises(LLMUnusable, match="every memory is pinned"):
        make_room(memories, NOW, 200)


SHORT = Noted(1, "Takes about 60 seconds to start after a restart", subject="jellyfin", importance=4)
LONG = Noted(2, "Takes 60s to start after restart -- wait before checking health", subject="jellyfin")
OTHER = Noted(3, "User had soup for lunch", importance=1)


def test_two_that_say_the_same_become_one_before_anything_is_lost() -> None:
    choice = make_room([OTHER, SHORT, LONG], NOW, 200)
    assert (choice.number, choice.into, choice.content) == (2, 1, LONG.content)
    assert choice.reason == "says the same as another, which stays"


def test_the_pinned_one_of_two_lives_on_unchanged() -> None:
    choice = make_room([OTHER, SHORT, replace(LONG, pinned=True)], NOW, 200)
    assert (choice.number, choice.into, choice.content) == (1, 2, LONG.content)
    assert make_room([OTHER, replace(SHORT, pinned=True), LONG], NOW, 200).number == OTHER.number


def test_nothing_is_merged_into_more_than_fits() -> None:
    assert make_room([OTHER, SHORT, LONG], NOW, 60).into is None


def test_what_is_filed_elsewhere_is_not_merged() -> None:
    assert make_room([OTHER, SHORT, replace(LONG, category="timing")], NOW, 200).into is None
    assert make_room([OTHER, SHORT, replace(LONG, subject="plex")], NOW, 200).into is None


@each_row(
    ("one", "other"),
    [
        (
            "The nightly backup failed because the disk was full",
            "The nightly backup failed because the password had expired",
        ),
        ("Alice's laptop has 16 GB of RAM", "Bob's laptop has 16 GB of RAM"),
        ("Port 8080 is for the API", "Port 9090 is for the API"),
        ("Backups are encrypted", "Backups are not encrypted"),
    ],
)
def test_what_only_looks_alike_is_not_merged(one: str, other: str) -> None:
    assert make_room([Noted(1, one), Noted(2, other)], NOW, 200).into is None


memory = st.builds(
    Noted,
    number=st.integers(0, 10**6),
    content=st.sampled_from(["Takes 60s", "takes 60 seconds.", "Is slow", "Is slow after a restart"])
    | st.text(max_size=40),
    subject=st.sampled_from(["", "nginx"]),
    importance=st.integers(1, 5),
    confidence=st.floats(0, 1),
    said_at=st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    access_count=st.integers(0, 50),
    pinned=st.booleans(),
)


@settings(max_examples=100)
@given(
    st.lists(memory, min_size=1, max_size=10, unique_by=lambda one: one.number),
    st.integers(0, 60),
    st.randoms(use_true_random=False),
)
def test_any_memories_in_any_order_give_one_choice(memories: list[Noted], most: int, rnd: random.Random) -> None:
    by_number = {one.number: one for one in memories}
    shuffled = list(memories)
    rnd.shuffle(shuffled)
    if all(one.pinned for one in memories):
        with pytest.raises(LLMUnusable):
            make_room(memories, NOW, most)
        return
    choice = make_room(memories, NOW, most)
    assert make_room(shuffled, NOW, most) == choice
    assert not by_number[choice.number].pinned
    if choice.into is not None:
        stays = by_number[choice.into]
        assert choice.into != choice.number
        assert len(choice.content) <= most
        assert choice.content in (stays.content, by_number[choice.number].content)
        assert not stays.pinned or choice.content == stays.content
    else:
        loose = [one for one in memories if not one.pinned]
        assert value(by_number[choice.number], NOW) <= min(value(one, NOW) for one in loose) + 1e-6


def test_words_of_hindi_are_compared_whole_and_not_letter_by_letter() -> None:
    assert gist_of("दिल्ली में").words.isdisjoint(gist_of("लाल दीवार").words)


def test_a_thousand_memories_are_weighed_in_linear_time() -> None:
    rnd = random.Random(5)
    things = ["backup", "disk", "cache", "proxy", "token", "node", "queue", "worker", "build", "release"]
    memories = [
        Noted(n, f"The {rnd.choice(things)} of {rnd.choice(things)} {n % 300} takes {rnd.randint(1, 90)} s")
        for n in range(1_000)
    ]
    assert_linear(lambda some: make_room(some, NOW, 200), lambda count: memories[:count], 1_000)
