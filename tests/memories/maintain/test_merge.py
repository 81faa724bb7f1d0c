"""Nightly: what says the same becomes one memory; nothing else does, and all of it can be taken back."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from bench.synthetic import unit_vectors
from memories.index.columns import empty_columns, grow
from memories.index.vector_store import InProcessStore, Sample
from memories.language.relate import Relation, Verdict
from memories.maintain import merge
from memories.maintain.insights import clusters_of
from memories.maintain.merge import groups_of, merge_duplicates, near_pairs
from memories.models import FutureTrigger, Link, LinkKind, Memory, Preload, Revision, Status
from memories.providers.llm.provider import Provider
from memories.store import writing
from memories.store.revisions import state_at
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app
from tests.memories.maintain.upkeep import (
    DAY,
    EMBEDDER,
    NIGHT,
    RULES,
    Fragile,
    Killed,
    carry_on,
    fresh,
    history,
    last,
    statuses,
    tell,
)

SIXTY = "The gateway takes 60 seconds to start"
SAME = [
    "The gateway needs 60 seconds to start",
    "The gateway takes 60 seconds to start up",
    "Gateway takes 60 seconds to start",
    "The gateway takes 60 seconds to boot",
]


def night(app: App, now: Any = NIGHT, since: Any = None, provider: Provider = RULES) -> Unclaimed:
    run = Unclaimed(until=now, since=since)
    merge_duplicates(app, now, run, provider, EMBEDDER)
    return run


def test_two_that_say_the_same_become_one_and_the_more_confident_stays(acme: App) -> None:
    weak, sure = tell(acme, SIXTY, confidence=0.6), tell(acme, SAME[0], confidence=0.8)
    run = night(acme)
    assert statuses(weak, sure) == [Status.SUPERSEDED, Status.ACTIVE]
    assert (fresh(sure).content, fresh(sure).confidence) == (SAME[0], 0.8)
    assert run.counts == {"looked_at": 2, "compared": 1, "merged": 1}
    assert run.cursor["merge"]["same"] == []


def test_both_histories_tell_why_and_into_what(acme: App) -> None:
    weak, sure = tell(acme, SIXTY, confidence=0.6), tell(acme, SAME[0], confidence=0.8)
    night(acme)
    assert history(weak) == history(sure) == ["created", "merged"]
    assert last(weak).reason.startswith("same matter, no conflict")
    assert last(weak).reason.endswith(f"; merged into {sure.uid}")
    assert last(sure).reason == f"says the same; stands for {weak.uid}"
    assert {last(weak).actor, last(sure).actor} == {"system:merge"}
    assert Link.objects.filter(from_memory=sure, to_memory=weak, kind=LinkKind.SUPERSEDES).exists()


def test_a_merge_confirms_nothing(acme: App) -> None:
    """The surest one's confidence goes on decaying from where it was."""
    old = tell(acme, SIXTY, NIGHT - 44 * DAY, confidence=0.9)
    new = tell(acme, SAME[0], confidence=0.6)
    night(acme)
    remaining = fresh(old)
    assert statuses(old, new) == [Status.ACTIVE, Status.SUPERSEDED]
    assert (remaining.confidence, remaining.confidence_base, remaining.anchored_at) == (
        pytest.approx(0.7),
        0.9,
        old.anchored_at,
    )
    assert remaining.confirmed_at == new.confirmed_at


def test_of_equals_the_one_said_last_stays(acme: App) -> None:
    old = tell(acme, SIXTY, NIGHT - 2 * DAY)
    new = tell(acme, SAME[0], NIGHT - DAY)
    night(acme)
    assert statuses(old, new) == [Status.SUPERSEDED, Status.ACTIVE]


def test_what_both_are_marked_with_and_were_used_for_is_united(acme: App) -> None:
    stays = tell(acme, SIXTY, confidence=0.9, tags=["boot"], importance=2)
    goes = tell(acme, SAME[0], tags=["slow", "boot"], importance=5)
    accessed = NIGHT - timedelta(hours=1)
    Memory.objects.filter(pk=stays.pk).update(access_count=3, priority=1.2)
    Memory.objects.filter(pk=goes.pk).update(access_count=4, priority=1.5, accessed_at=accessed)
    night(acme)
    remaining = fresh(stays)
    assert (remaining.tags, remaining.importance, remaining.priority) == (["boot", "slow"], 5, 1.5)
    assert (remaining.access_count, remaining.accessed_at) == (7, accessed)
    assert (fresh(goes).access_count, fresh(goes).tags) == (4, ["slow", "boot"])


def test_what_was_linked_with_the_one_is_linked_with_the_other(acme: App) -> None:
    stays, goes = tell(acme, SIXTY, confidence=0.9), tell(acme, SAME[0])
    against = tell(acme, "The gateway starts at once", subject="starts")
    trigger = FutureTrigger.objects.create(app=acme, trigger_date=NIGHT.date(), message="Look at the gateway")
    Preload.objects.create(app=acme, trigger=trigger, memory=goes)
    with writing(acme, "agent:alice", NIGHT - DAY) as write:
        write.link(against, goes, LinkKind.CONTRADICTS)
        write.link(goes, stays, LinkKind.RELATED)
    night(acme)
    results = Link.objects.filter(from_memory=against, to_memory=stays, kind=LinkKind.CONTRADICTS)
    assert results.exists()
    assert Preload.objects.filter(trigger=trigger, memory=stays).exists()
    with writing(acme, "operator:olga", NIGHT + DAY) as write:
        write.undo(fresh(stays))
    assert not results.exists()
    assert Link.objects.filter(from_memory=against, to_memory=goes).exists()


@pytest.mark.parametrize(
    "other",
    [
        {"category": "behavior"},
        {"subject": "proxy"},
        {"subject": None},
        {"user_id": "rob"},
        {"visibility": "shared"},
        {"visibility": "agent"},
        {"kind": "lesson"},
        {"valid_until": NIGHT + 5 * DAY},
        {"source": "digest"},
        {"source": "insight"},
    ],
    ids=str,
)
def test_only_what_has_one_category_and_subject_is_merged(acme: App, other: dict[str, Any]) -> None:
    item, two = tell(acme, SIXTY), tell(acme, SIXTY, **other)
    assert night(acme).counts["merged"] == 0
    assert statuses(item, two) == [Status.ACTIVE, Status.ACTIVE]


def test_what_only_its_agent_may_see_is_merged_among_itself(alice: Caller, bob: Caller) -> None:
    hers = [tell(alice.app, text, visibility="agent", agent=alice.agent) for text in (SIXTY, SAME[0])]
    his = tell(alice.app, SIXTY, visibility="agent", agent=bob.agent)
    night(alice.app)
    assert sorted(statuses(*hers)) == [Status.ACTIVE, Status.SUPERSEDED]
    assert statuses(his) == [Status.ACTIVE]


def test_another_app_is_another_world(acme: App) -> None:
    other = make_app("globex")
    tell(acme, SIXTY)
    tell(other, SIXTY)
    assert night(acme).counts["merged"] == 0


def test_alike_is_not_the_same(acme: App) -> None:
    texts = [SIXTY, "The gateway takes 90 seconds to start", "The gateway never takes 60 seconds to start"]
    rows = [tell(acme, text) for text in texts]
    run = night(acme)
    assert (run.counts["compared"], run.counts["merged"]) == (3, 0)
    assert statuses(*rows) == [Status.ACTIVE] * 3


def test_what_is_less_alike_than_the_policy_says_is_not_compared(acme: App) -> None:
    acme.policy.dedup_similarity = 0.95
    tell(acme, SIXTY)
    tell(acme, SAME[0])
    assert night(acme).counts["compared"] == 0


def test_what_is_put_away_stays_out_of_it(acme: App) -> None:
    archived, live = tell(acme, SIXTY), tell(acme, SIXTY)
    with writing(acme, "operator:olga", NIGHT - DAY) as write:
        write.archive(archived)
    night(acme)
    assert statuses(archived, live) == [Status.ARCHIVED, Status.ACTIVE]


# --- groups


def test_a_group_becomes_one_memory_in_one_change(acme: App) -> None:
    rows = [tell(acme, text, confidence=0.5 + index / 20) for index, text in enumerate([SIXTY, *SAME])]
    night(acme)
    assert statuses(*rows) == [Status.SUPERSEDED] * 4 + [Status.ACTIVE]
    assert history(rows[-1]) == ["created", "merged"]
    assert Link.objects.filter(from_memory=rows[-1], kind=LinkKind.SUPERSEDES).count() == 4


CHAIN = [
    "The gateway takes 60 seconds to start",
    "Gateway takes 60 seconds to start",
    "Gateway takes 60 seconds to start up",
    "Gateway takes 60 seconds to boot up",
    "Gateway needs 60 seconds to boot up",
]
"""Each is near its neighbours, and none is near the next but one."""


@pytest.mark.parametrize("surest", [0, 2, 4])
def test_a_chain_becomes_one_though_its_ends_are_less_alike(acme: App, surest: int) -> None:
    acme.policy.dedup_similarity = 0.88
    rows = [tell(acme, text, confidence=0.9 if index == surest else 0.7) for index, text in enumerate(CHAIN)]
    night(acme)
    assert statuses(*rows) == [Status.ACTIVE if index == surest else Status.SUPERSEDED for index in range(5)]


class Judge:
    """Says the same of the pairs it is told of, and nothing of others."""

    name = "model-x"

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self.pairs = set(pairs) | {pair[::-1] for pair in pairs}
        self.requests: list[tuple[str, list[str]]] = []

    def relate(self, new: str, existing: Sequence[str], subject: str, cosines: Sequence[float | None]) -> list[Verdict]:
        self.requests.append((new, list(existing)))
        same = [(new, known) in self.pairs for known in existing]
        return [Verdict(Relation.SAME if item else Relation.ELABORATES, "so it says", 0.9) for item in same]


def test_what_hangs_together_by_another_only_is_not_lost(acme: App) -> None:
    """The first says what the second says, and the second what the third says; the first does not say the third."""
    judge: Any = Judge((SIXTY, SAME[1]), (SAME[1], SAME[2]))
    rows = [tell(acme, text, confidence=c) for text, c in ((SIXTY, 0.9), (SAME[1], 0.8), (SAME[2], 0.7))]
    night(acme, provider=judge)
    assert statuses(*rows) == [Status.ACTIVE, Status.SUPERSEDED, Status.ACTIVE]
    assert last(rows[1]).reason.startswith("same matter, no conflict")


def test_a_model_is_asked_once_for_each_that_may_go_and_never_about_the_same_words(acme: App) -> None:
    judge: Any = Judge()
    tell(acme, SIXTY, confidence=0.9)
    tell(acme, SAME[0], confidence=0.8)
    tell(acme, SAME[1], confidence=0.7)
    twin = tell(acme, SIXTY.upper(), confidence=0.6)
    night(acme, provider=judge)
    requests = [(SAME[0], [SIXTY]), (SAME[1], [SIXTY, SAME[0]]), (SIXTY.upper(), [SAME[0], SAME[1]])]
    assert sorted(judge.requests) == sorted(requests)
    assert statuses(twin) == [Status.SUPERSEDED]


def test_a_model_that_sees_more_than_the_rules_is_named(acme: App) -> None:
    ninety = "The gateway takes 90 seconds to start"
    weak = tell(acme, ninety, confidence=0.5)
    tell(acme, SIXTY)
    judge: Any = Judge((SIXTY, ninety))
    night(acme, provider=judge)
    assert last(weak).reason.startswith("says the same, as model-x judged; merged into ")


def test_groups_are_bounded_and_in_order() -> None:
    assert groups_of([[5, 4], [9, 8], [4, 1]], 9) == [[1, 4, 5], [8, 9]]
    assert groups_of([[1, 2], [2, 3], [3, 4], [4, 5]], 3) == [[1, 2, 3], [4, 5]]


def test_very_many_that_say_the_same_become_one_over_some_nights(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "MOST_UNITED", 4)
    monkeypatch.setattr(merge, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(merge, "NEAREST", 2)
    for index in range(30):
        tell(acme, [SIXTY, *SAME][index % 5])
    left = []
    for day in range(4):
        night(acme, NIGHT + day * DAY, NIGHT + (day - 1) * DAY if day else None)
        left.append(Memory.objects.active().count())
    assert left == sorted(left, reverse=True)
    assert (left[0] > 1, left[-1]) == (True, 1)


# --- pinned


def test_a_pinned_one_stays_and_is_not_touched(acme: App) -> None:
    pinned = tell(acme, SIXTY, NIGHT - 50 * DAY, confidence=0.4, pinned=True, tags=["mine"])
    sure = tell(acme, SAME[0], confidence=0.9, tags=["boot"], importance=5)
    Memory.objects.filter(pk=sure.pk).update(access_count=9)
    night(acme)
    remaining = fresh(pinned)
    assert statuses(pinned, sure) == [Status.ACTIVE, Status.SUPERSEDED]
    untouched = (
        "content",
        "confidence",
        "tags",
        "importance",
        "priority",
        "access_count",
        "updated_at",
        "confirmed_at",
    )
    assert {name: getattr(remaining, name) for name in untouched} == {name: getattr(pinned, name) for name in untouched}
    assert (last(remaining).action, last(remaining).before, last(remaining).after) == ("merged", {}, {})
    assert last(remaining).reason.endswith(str(sure.uid))


def test_two_pinned_ones_both_stay(acme: App) -> None:
    rows = [tell(acme, SIXTY, pinned=True) for _ in range(2)]
    other = tell(acme, SAME[0])
    night(acme)
    assert statuses(*rows, other) == [Status.ACTIVE, Status.ACTIVE, Status.SUPERSEDED]
    assert [fresh(row).version for row in rows] == [1, 2]


# --- which nights look at what


def test_a_night_looks_at_what_is_new_against_everything(acme: App) -> None:
    old = tell(acme, SIXTY, NIGHT - 20 * DAY, confidence=0.9)
    tell(acme, "Restarts at four", NIGHT - 20 * DAY)
    tell(acme, SIXTY, NIGHT - 20 * DAY, subject="proxy")
    new = tell(acme, SAME[0])
    run = night(acme, since=NIGHT - DAY)
    assert run.counts == {"looked_at": 1, "compared": 1, "merged": 1}
    assert statuses(old, new) == [Status.ACTIVE, Status.SUPERSEDED]


def test_a_night_without_news_asks_once(acme: App, django_assert_num_queries: Any) -> None:
    tell(acme, SIXTY, NIGHT - 20 * DAY)
    tell(acme, SIXTY, NIGHT - 20 * DAY)
    with django_assert_num_queries(2):
        night(acme, since=NIGHT - DAY)


def test_decay_is_no_news(acme: App) -> None:
    rows = [tell(acme, SIXTY, NIGHT - 40 * DAY), tell(acme, SAME[0], NIGHT - 40 * DAY)]
    with writing(acme, "system:decay", NIGHT - timedelta(hours=1)) as write:
        write.decay(rows)
    assert night(acme, since=NIGHT - DAY).counts == {}


def test_what_has_no_vector_yet_is_known_by_its_words(acme: App) -> None:
    rows = [tell(acme, text, embed=False) for text in (SIXTY, SIXTY.upper() + "!", SAME[0])]
    rows.append(tell(acme, SIXTY))
    run = night(acme)
    assert run.counts["merged"] == 2
    assert sorted(statuses(*rows)) == [Status.ACTIVE] * 2 + [Status.SUPERSEDED] * 2


def test_what_changes_while_it_is_judged_waits_for_the_next_night(acme: App) -> None:
    """A model takes its time: meanwhile one is edited, and the other put away."""
    rows = [tell(acme, text) for text in (SIXTY, SAME[0], SAME[1])]

    class Slow(Judge):
        def relate(self, new: str, existing: Sequence[str], *rest: Any) -> list[Verdict]:
            if not self.requests:
                with writing(acme, "operator:olga", NIGHT + timedelta(seconds=1)) as write:
                    write.edit(fresh(rows[0]), {"content": "The gateway takes 61 seconds to start"})
                    write.archive(fresh(rows[1]))
            return super().relate(new, existing, *rest)

    slow: Any = Slow((SIXTY, SAME[0]), (SIXTY, SAME[1]), (SAME[0], SAME[1]))
    assert night(acme, provider=slow).counts["merged"] == 0
    assert statuses(*rows) == [Status.ACTIVE, Status.ARCHIVED, Status.ACTIVE]


def test_what_changes_before_it_is_written_stays(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [tell(acme, text) for text in (SIXTY, SAME[0])]

    def pin_first(*args: Any) -> str:
        with writing(acme, "operator:olga", NIGHT) as write:
            write.edit(fresh(rows[0]), {"pinned": True})
        return "late"

    monkeypatch.setattr(merge, "why_the_same", pin_first)
    assert night(acme).counts["merged"] == 0
    assert statuses(*rows) == [Status.ACTIVE, Status.ACTIVE]


# --- taken back


@pytest.mark.parametrize("side", [0, 1], ids=["at the one that went", "at the one that stayed"])
def test_what_is_undone_is_not_merged_again(acme: App, side: int) -> None:
    rows = [tell(acme, SIXTY, confidence=0.6, tags=["a"]), tell(acme, SAME[0], confidence=0.8, tags=["b"])]
    Memory.objects.filter(pk__in=[row.pk for row in rows]).update(access_count=2)
    night(acme)
    with writing(acme, "system:decay", NIGHT + 40 * DAY) as write:
        write.decay([fresh(rows[1])])
    with writing(acme, "operator:olga", NIGHT + 40 * DAY) as write:
        write.undo(fresh(rows[side]))
    assert statuses(*rows) == [Status.ACTIVE, Status.ACTIVE]
    assert not Link.objects.exists()
    if side:
        assert (fresh(rows[1]).tags, fresh(rows[1]).access_count) == (["b"], 2)
    for day in (41, 42):
        assert night(acme, NIGHT + day * DAY, NIGHT + (day - 2) * DAY).counts["merged"] == 0
    assert night(acme, NIGHT + 43 * DAY).counts["merged"] == 0


def test_what_is_restored_through_the_api_is_not_merged_again(alice: Caller) -> None:
    rows = [tell(alice.app, SIXTY, confidence=0.6), tell(alice.app, SAME[0], confidence=0.8)]
    night(alice.app)
    answer = alice.patch(f"memories/{rows[0].uid}", {"status": "active"})
    assert (answer.status_code, answer.json()["status"]) == (200, "active")
    assert not Link.objects.exists()
    assert history(rows[0])[-1] == "restored"
    assert night(alice.app, NIGHT + DAY).counts["merged"] == 0


def test_a_merged_one_is_not_archived_by_hand_before_it_stands_for_itself(alice: Caller) -> None:
    rows = [tell(alice.app, SIXTY, confidence=0.6), tell(alice.app, SAME[0])]
    night(alice.app)
    answer = alice.patch(f"memories/{rows[0].uid}", {"status": "archived"})
    assert (answer.status_code, "to active" in str(answer.json())) == (400, True)


def test_the_past_shows_both(acme: App) -> None:
    rows = [tell(acme, SIXTY, confidence=0.6), tell(acme, SAME[0])]
    night(acme)
    for row in rows:
        then = state_at(fresh(row), NIGHT - timedelta(minutes=1))
        assert then is not None
        assert then["status"] == Status.ACTIVE


def test_forgetting_the_one_forgets_what_was_merged_into_it(alice: Caller) -> None:
    """It says the same, and nobody sees it any more."""
    rows = [tell(alice.app, SIXTY, confidence=0.5), tell(alice.app, SAME[0], confidence=0.6), tell(alice.app, SAME[1])]
    bystander = tell(alice.app, "Restarts at four")
    night(alice.app)
    with writing(alice.app, "agent:alice", NIGHT) as write:
        write.supersede(bystander, by=fresh(rows[2]), reason="news")
    answer = alice.delete(f"memories/{rows[2].uid}")
    assert answer.json() == {"success": True, "deleted_count": 1}
    assert list(Memory.objects.all()) == [bystander]
    assert not Revision.objects.exclude(memory=bystander).exists()


# --- gone on with


def test_whoever_goes_on_asks_no_question_again(acme: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "ASKED_AT_ONCE", 2)
    pairs = [
        (SIXTY.replace("gateway", name), SAME[0].replace("gateway", name)) for name in ("router", "proxy", "cache")
    ]
    for pair in pairs:
        for text in pair:
            tell(acme, text, confidence=0.7 if text == pair[0] else 0.6, subject=pair[0].split()[1])
    judge: Any = Judge(*pairs)

    class Dies(Fragile):
        def done(self, counts: Any, **cursor: Any) -> None:
            if counts.get("merged") and self.luck.random() < 0.7:
                raise Killed
            Unclaimed.done(self, counts, **cursor)

    run = Dies(until=NIGHT, luck=random.Random(1))
    assert carry_on(lambda run: merge_duplicates(acme, NIGHT, run, judge, EMBEDDER), run) > 1
    assert sorted(judge.requests) == sorted((poorer, [stays]) for stays, poorer in pairs)
    assert run.counts == {"looked_at": 6, "compared": 3, "merged": 3}


def test_the_more_is_to_be_united_the_rarer_it_is_written_down_and_nothing_is_lost(
    acme: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a night would write down all of its pairs with each commit: quadratic."""
    monkeypatch.setattr(merge, "SHARE_AT_ONCE", 1)
    monkeypatch.setattr(merge, "MOST_UNITED", 2)
    monkeypatch.setattr(merge, "ROWS_AT_ONCE", 2)
    names = ("router", "proxy", "cache", "mirror", "printer", "scanner")
    for name in names:
        for text in (SIXTY, SAME[0]):
            tell(acme, text.replace("gateway", name), subject=name)
    written: list[bool] = []

    class Dies(Fragile):
        def done(self, counts: Any, **cursor: Any) -> None:
            super().done(counts, **cursor)
            written.append(bool(cursor))

    run = Dies(until=NIGHT, luck=random.Random(3))
    assert carry_on(lambda run: merge_duplicates(acme, NIGHT, run, RULES, EMBEDDER), run) > 1
    assert False in written
    assert (run.counts["looked_at"], run.counts["merged"]) == (12, 6)
    assert Counter(Memory.objects.values_list("status", flat=True)) == {Status.ACTIVE: 6, Status.SUPERSEDED: 6}
    assert run.cursor["merge"]["same"] == []


def test_what_a_run_keeps_of_it_tells_nothing(acme: App) -> None:
    for text in (SIXTY, SAME[0]):
        tell(acme, text, user_id="rob", subject="gateway")
    answer = json.dumps(night(acme).cursor)
    assert not any(word in answer for word in ("rob", "gateway", "timing"))


def test_what_lies_in_the_cold_archive_can_be_merged_and_is_forgotten_with_the_other(alice: Caller) -> None:
    """By an operator: its text comes out with it. And what was merged first and grew cold is behind it still."""
    stays, cold, later_cold = tell(alice.app, SIXTY), tell(alice.app, SAME[0]), tell(alice.app, SAME[1])
    with writing(alice.app, "system:cold", NIGHT) as write:
        write.freeze([cold], "no access")
        write.merge(stays, [cold, later_cold])
    assert (fresh(cold).status, fresh(cold).content) == (Status.SUPERSEDED, SAME[0])
    with writing(alice.app, "system:cold", NIGHT + DAY) as write:
        write.freeze([fresh(later_cold)], "no access")
    alice.delete(f"memories/{stays.uid}")
    assert not Memory.objects.exists()


FLOOR = 0.6


@pytest.fixture
def vectors():
    return unit_vectors(700, 1, 16, seed=4)[0]


def store_of(vectors):
    columns = empty_columns(vectors.shape[1]).each(lambda column: grow(column, len(vectors)))
    columns.vectors[:] = vectors
    return InProcessStore(columns, Sample())


def brute_force(vectors, rows, most):
    cosines = vectors[rows] @ vectors[rows].T
    pairs = []
    for place in range(len(rows)):
        behind = [other for other in range(place + 1, len(rows)) if cosines[place, other] >= FLOOR]
        pairs += [(place, other) for other in sorted(behind, key=lambda other: -cosines[place, other])[:most]]
    return pairs


@pytest.mark.parametrize("tile", [64, 8192])
@pytest.mark.parametrize("most", [3, 10_000])
def test_the_nearest_behind_each_whatever_the_pieces(vectors, monkeypatch, tile, most):
    monkeypatch.setattr(merge, "TILE", tile)
    rows = np.random.default_rng(1).permutation(700)[:400]
    expected = brute_force(vectors, rows, most)
    assert len(expected) > 500
    for step in (7, 150, 400):
        results = [
            pair
            for first in range(0, len(rows), step)
            for pair in near_pairs(store_of(vectors), rows, first, min(first + step, len(rows)), FLOOR, most)
        ]
        assert [(place, other) for place, other, _ in results] == expected
        assert min(cosine for *_, cosine in results) >= FLOOR


def test_of_what_is_new_only(vectors):
    rows = np.arange(700)
    results = {place for place, *_ in near_pairs(store_of(vectors), rows, 10, 20, FLOOR, 5)}
    assert results <= set(range(10, 20))


def test_nothing_is_near_nothing(vectors):
    assert list(near_pairs(store_of(vectors), np.arange(1), 0, 1, FLOOR, 5)) == []
    assert list(near_pairs(store_of(np.zeros((3, 16), np.float32)), np.arange(3), 0, 3, FLOOR, 5)) == []


def at_degrees(*degrees):
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_clusters_are_what_is_near_their_middle():
    """Cosine 0.9 is 26 degrees: 40 and 80 are near 60, and not near each other."""
    assert clusters_of(at_degrees(80, 60, 40, 200, 210, 0), 0.9, 3, 9) == [[0, 1, 2]]
    assert clusters_of(at_degrees(80, 60, 40, 200, 210, 205), 0.9, 3, 9) == [[0, 1, 2], [3, 4, 5]]
    assert clusters_of(at_degrees(80, 60), 0.9, 3, 9) == []


def test_the_nearest_are_taken_where_there_are_too_many():
    assert clusters_of(at_degrees(30, 20, 10, 9, 0), 0.9, 3, 3) == [[0, 1, 2]]


def test_none_is_in_two_clusters_and_none_without_words_in_one():
    vectors = np.concatenate([unit_vectors(900, 1, 16, seed=2)[0], np.zeros((5, 16), np.float32)])
    results = clusters_of(vectors, 0.8, 3, 40)
    members = [place for cluster in results for place in cluster]
    assert len(results) > 5
    assert len(members) == len(set(members))
    assert max(members) < 900
    assert {len(cluster) for cluster in results} <= set(range(3, 41))
    assert results == clusters_of(vectors, 0.8, 3, 40)


def test_clusters_of_nothing():
    assert clusters_of(np.zeros((0, 16), np.float32), 0.5, 3, 40) == []
