"""The cold archive: what nobody asks for is compressed and out of the way, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone
from time_machine import travel

from memories.maintain import aging
from memories.maintain.aging import archive_expired, freeze_unused
from memories.maintain.embedding import apps_with_backlog, embed_backlog
from memories.models import (
    Action,
    ColdText,
    Entity,
    FutureTrigger,
    Link,
    Memory,
    Mention,
    Preload,
    Revision,
    Status,
    SummaryDue,
    Vector,
)
from memories.models.memory import PLAIN, pack
from memories.providers.embeddings import HashEmbedder
from memories.retrieve.pipeline import index_of
from memories.store import Candidate, writing
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.index_of_words import check_index_of_words, words_found
from tests.talking import tables_with

LONG = "Whales sing at night, and their songs are heard across whole oceans: whales sing to whales. " * 10
HALF_A_YEAR = timedelta(days=183)


class Stopped(Exception):
    pass


class StoppedAtSecond(Unclaimed):
    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        if self.counts:
            raise Stopped
        super().done(counts, **cursor)


def freeze(app: App, later: timedelta = HALF_A_YEAR, run: Unclaimed | None = None) -> Unclaimed:
    """Half a year later, and a day."""
    now = timezone.now() + later
    run = run or Unclaimed(until=now)
    freeze_unused(app, now, run)
    return run


def remember(caller: Caller, text: str = LONG, **fields: Any) -> Memory:
    return Memory.objects.get(uid=caller.remember(text, **fields)["id"])


def frozen(caller: Caller, text: str = LONG, **fields: Any) -> Memory:
    memory = remember(caller, text, **fields)
    assert freeze(caller.app).counts["archived"] == 1
    memory.refresh_from_db()
    assert memory.status == Status.COLD
    return memory


# --- what goes, and what becomes of it


def test_what_nobody_asked_for_is_compressed_and_out_of_the_way(alice: Caller) -> None:
    memory = remember(alice, subject="sea", tags=["Ahab"])
    count = App.objects.get(pk=alice.app.pk).memory_count
    run = freeze(alice.app)
    memory.refresh_from_db()
    assert (memory.status, memory.content, memory.text) == (Status.COLD, "", LONG.strip())
    packed = len(bytes(ColdText.objects.get().data))
    assert packed < len(LONG) / 5
    assert run.counts == {
        "archived": 1, "vectors_dropped": 1, "bytes_before": len(memory.text) + 64 * 4, "bytes_after": packed,
    }  # fmt: skip
    assert not Vector.objects.exists()
    assert not Mention.objects.exists()
    assert not Entity.objects.exists()
    assert words_found("whales") == words_found("sea") == words_found("ahab") == 0
    check_index_of_words()
    assert App.objects.get(pk=alice.app.pk).memory_count == count - 1


def test_a_category_that_lasts_longer_is_archived_by_its_own_days_first(alice: Caller) -> None:
    memory = remember(alice, category="health")
    assert freeze(alice.app).counts == {}
    assert freeze(alice.app, timedelta(days=364)).counts == {}
    now = timezone.now() + timedelta(days=367)
    archive_expired(alice.app, now, Unclaimed(until=now))
    memory.refresh_from_db()
    assert memory.status == Status.ARCHIVED
    assert freeze(alice.app, timedelta(days=367)).counts["archived"] == 1
    memory.refresh_from_db()
    assert memory.status == Status.COLD


@pytest.mark.parametrize("mode", ["auto", "tiered", "dual", "vector", "fulltext", "graph"])
def test_no_search_finds_it(alice: Caller, mode: str) -> None:
    remember(alice, subject="whales")
    assert alice.post("memories/search", {"query": "whales", "mode": mode, "touch": False}).json()["results"]
    freeze(alice.app)
    assert alice.post("memories/search", {"query": "whales", "mode": mode}).json()["results"] == []
    assert alice.post("context", {"query": "whales"}).json()["included"] == 0


def test_it_is_not_in_a_greeting(alice: Caller) -> None:
    frozen(alice, "Whales sing")
    assert alice.start_session()["context"]["memories"] == []


def test_processes_that_hold_the_app_let_go_of_it(alice: Caller) -> None:
    memory = remember(alice)
    other = remember(alice, "Bears sleep in winter", pinned=True)
    index = index_of(alice.app, HashEmbedder())
    assert len(index.view().rows_of(np.array([memory.pk, other.pk]))) == 2
    freeze(alice.app)
    assert index.view().columns.pk[index.view().rows_of(np.array([memory.pk, other.pk]))].tolist() == [other.pk]
    alice.patch(f"memories/{memory.uid}", {"status": "active"})
    assert len(index.view().rows_of(np.array([memory.pk, other.pk]))) == 2


def test_an_index_that_is_loaded_anew_does_not_load_it(alice: Caller) -> None:
    frozen(alice)
    remember(alice, "Bears sleep in winter")
    assert index_of(alice.app, HashEmbedder()).view().columns.pk.size == 1


def test_it_is_listed_and_read_as_ever(alice: Caller, operator: Any) -> None:
    memory = frozen(alice)
    response = alice.get(f"memories/{memory.uid}").json()
    assert (response["content"], response["status"]) == (LONG.strip(), "cold")
    assert alice.get("memories").json()["results"] == [response]
    assert alice.get("memories", status="cold").json()["results"] == [response]
    assert operator.get("/api/v1/apps/acme/memories").json()["memories"][0]["content"] == LONG.strip()


def test_a_list_of_many_asks_no_more_often(alice: Caller, django_assert_max_num_queries: Any) -> None:
    for number in range(12):
        alice.remember(f"Number {number} of the things that are known about whales", dedupe=False)
    freeze(alice.app)
    with django_assert_max_num_queries(4):
        assert len(alice.get("memories").json()["results"]) == 12


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.INACTIVE, Status.ARCHIVED, Status.SUPERSEDED])
def test_whatever_it_was_before_it_can_go(alice: Caller, status: str) -> None:
    memory = remember(alice)
    Memory.objects.update(status=status)
    freeze(alice.app)
    memory.refresh_from_db()
    assert memory.status == Status.COLD
    assert memory.cold_text.was == status


def test_a_text_that_would_grow_is_kept_as_it_is() -> None:
    assert pack("short") == PLAIN + b"short"
    assert ColdText(data=pack("short")).text == "short"
    assert ColdText(data=pack("ü" * 500)).text == "ü" * 500
    assert ColdText(data=pack("\0 begins oddly")).text == "\0 begins oddly"
    assert len(pack("ü" * 500)) < 50


def test_twice_is_once(alice: Caller) -> None:
    memory = frozen(alice)
    assert freeze(alice.app).counts == {}
    assert memory.revisions.count() == 2


def test_the_database_keeps_text_where_it_belongs(alice: Caller) -> None:
    memory = frozen(alice)
    for change in ({"status": "active"}, {"content": "x"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Memory.objects.filter(pk=memory.pk).update(**change)


# --- what stays


def test_a_day_less_and_it_stays(alice: Caller) -> None:
    remember(alice)
    assert freeze(alice.app, timedelta(days=181)).counts == {}
    assert freeze(alice.app, timedelta(days=182, seconds=5)).counts["archived"] == 1


def test_the_policy_says_how_long(alice: Caller) -> None:
    remember(alice)
    alice.app.policy.cold_after_days = 10
    assert freeze(alice.app, timedelta(days=9)).counts == {}
    assert freeze(alice.app, timedelta(days=11)).counts["archived"] == 1


def used(caller: Caller, memory: Memory, how: str) -> None:
    if how == "found":
        caller.post("memories/search", {"query": LONG[:80]})
    elif how == "shown":
        caller.start_session()
    elif how == "confirmed":
        caller.remember(LONG)
    else:
        caller.patch(f"memories/{memory.uid}", {"importance": 5})


@pytest.mark.parametrize("how", ["found", "shown", "confirmed", "edited"])
def test_what_was_used_since_stays(alice: Caller, how: str) -> None:
    memory = remember(alice)
    with travel(timezone.now() + timedelta(days=100)):
        Memory.objects.update(confidence=0.7, confidence_base=0.7, pinned=how == "shown")  # else it decays unshown
        used(alice, memory, how)
    Memory.objects.update(pinned=False)
    assert freeze(alice.app).counts == {}
    assert freeze(alice.app, timedelta(days=283)).counts["archived"] == 1


def test_a_search_that_leaves_no_trace_is_no_use(alice: Caller) -> None:
    remember(alice)
    with travel(timezone.now() + timedelta(days=100)):
        alice.post("memories/search", {"query": LONG[:80], "touch": False})
    assert freeze(alice.app).counts["archived"] == 1


def test_that_upkeep_archived_it_is_no_use(alice: Caller) -> None:
    memory = remember(alice)
    with travel(timezone.now() + timedelta(days=100)), writing(alice.app, "system:x", timezone.now()) as write:
        write.archive(Memory.objects.get(pk=memory.pk))
    assert freeze(alice.app).counts["archived"] == 1


def test_what_is_pinned_stays(alice: Caller) -> None:
    remember(alice, pinned=True)
    assert freeze(alice.app, timedelta(days=5000)).counts == {}


def test_what_a_trigger_will_bring_up_stays_until_that_is_over(alice: Caller) -> None:
    memory = remember(alice)
    trigger = FutureTrigger.objects.create(
        app=alice.app, trigger_date=date(2099, 1, 1), text="in 2099", message="Whales sing"
    )
    Preload.objects.create(app=alice.app, trigger=trigger, memory=memory)
    assert freeze(alice.app).counts == {}
    FutureTrigger.objects.update(status="done")
    assert freeze(alice.app).counts["archived"] == 1


def test_what_has_not_begun_to_hold_stays(alice: Caller) -> None:
    begins = timezone.now() + timedelta(days=300)
    remember(alice, valid_from=begins.isoformat())
    assert freeze(alice.app).counts == {}
    assert freeze(alice.app, timedelta(days=483)).counts["archived"] == 1


def test_other_apps_have_their_own_archive(alice: Caller, charlie: Caller) -> None:
    remember(charlie)
    assert freeze(alice.app).counts == {}


def test_one_that_is_used_before_it_is_its_turn_stays(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(alice)

    def late(app: App, actor: str, now: datetime) -> Any:
        Memory.objects.update(accessed_at=now)
        return writing(app, actor, now)

    monkeypatch.setattr(aging, "writing", late)
    run = freeze(alice.app)
    assert run.counts == {"archived": 0, "vectors_dropped": 0, "bytes_before": 0, "bytes_after": 0}
    assert Memory.objects.get().status == Status.ACTIVE


def test_a_run_that_was_stopped_is_continued(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aging, "COLD_BATCH", 2)
    for number in range(5):
        alice.remember(f"Number {number} of the things that are known about whales", dedupe=False)
    run = StoppedAtSecond(until=timezone.now())
    with pytest.raises(Stopped):
        freeze(alice.app, run=run)
    assert Memory.objects.filter(status=Status.COLD).count() == 2
    rest = Unclaimed(until=run.until, cursor=run.cursor, counts=run.counts)
    freeze(alice.app, run=rest)
    assert rest.counts["archived"] == Revision.objects.filter(action=Action.FROZEN).count() == 5


# --- its history


def test_its_history_is_whole(alice: Caller) -> None:
    memory = frozen(alice)
    created, moved = alice.get(f"memories/{memory.uid}/history").json()["results"]
    assert created["after"]["content"] == LONG.strip()
    assert moved["action"] == "frozen"
    assert (moved["before"], moved["after"]) == ({"status": "active"}, {"status": "cold"})
    assert (moved["actor"], moved["reason"]) == ("system:cold", "182 days without access")


def test_it_can_be_seen_as_it_was(alice: Caller) -> None:
    memory = remember(alice)
    then = timezone.now()
    freeze(alice.app)
    answer = alice.get(f"memories/{memory.uid}", as_of=then.isoformat()).json()
    assert (answer["content"], answer["status"]) == (LONG.strip(), "active")


def test_links_are_kept(alice: Caller) -> None:
    memory, other = remember(alice), remember(alice, "Bears sleep in winter", pinned=True)
    alice.post(f"memories/{other.uid}/links", {"to": str(memory.uid), "kind": "related"})
    freeze(alice.app)
    [link] = alice.get(f"memories/{memory.uid}/links").json()["results"]
    assert link["from_id"] == str(other.uid)


def test_a_category_that_tells_of_it_is_written_anew(alice: Caller) -> None:
    alice.app.policy.capture_summaries = True
    alice.app.policy.save()
    remember(alice, category="sea")
    SummaryDue.objects.all().delete()
    freeze(alice.app)
    assert SummaryDue.objects.get().category == "sea"


# --- and back


@pytest.mark.parametrize("status", ["active", "inactive", "archived"])
def test_by_its_status_it_comes_back(alice: Caller, status: str) -> None:
    memory = frozen(alice, subject="sea", tags=["Ahab"])
    answer = alice.patch(f"memories/{memory.uid}", {"status": status})
    assert answer.status_code == 200, answer.content
    assert (answer.json()["content"], answer.json()["status"]) == (LONG.strip(), status)
    memory.refresh_from_db()
    assert memory.content == LONG.strip()
    assert not ColdText.objects.exists()
    assert set(memory.mentions.values_list("entity__name", flat=True)) >= {"sea", "Ahab"}
    assert words_found("whales") == words_found("ahab") == 1
    check_index_of_words()
    assert apps_with_backlog() == [alice.app.pk]
    run = Unclaimed(until=timezone.now())
    embed_backlog(alice.app, timezone.now(), run, HashEmbedder())
    assert run.counts["embedded"] == Vector.objects.filter(memory=memory).count() == 1
    assert memory.revisions.count() == 3


def test_back_among_the_living_it_is_found_and_counted(alice: Caller) -> None:
    memory = frozen(alice)
    alice.patch(f"memories/{memory.uid}", {"status": "active"})
    assert [hit["id"] for hit in alice.post("memories/search", {"query": "whales sing"}).json()["results"]] == [
        str(memory.uid)
    ]
    assert App.objects.get(pk=alice.app.pk).memory_count == 1
    assert Revision.objects.order_by("-number")[0].action == Action.RESTORED


def test_what_came_back_does_not_go_again_at_once(alice: Caller) -> None:
    memory = frozen(alice)
    with travel(timezone.now() + HALF_A_YEAR):
        alice.patch(f"memories/{memory.uid}", {"status": "active", "confidence": 0.7})
    assert freeze(alice.app, timedelta(days=300)).counts == {}
    assert freeze(alice.app, timedelta(days=400)).counts["archived"] == 1


def test_a_full_app_evicts_another_for_it(alice: Caller) -> None:
    memory = frozen(alice)
    alice.app.policy.memory_limit = 1
    alice.app.policy.save()
    other = remember(alice, "Bears sleep in winter")
    assert alice.patch(f"memories/{memory.uid}", {"status": "active"}).status_code == 200
    other.refresh_from_db()
    assert other.status == Status.ARCHIVED


def test_in_the_archive_it_can_be_edited_and_stays(alice: Caller) -> None:
    memory = frozen(alice)
    answer = alice.patch(f"memories/{memory.uid}", {"content": "Whales hum", "importance": 5})
    assert answer.status_code == 200, answer.content
    assert (answer.json()["content"], answer.json()["status"]) == ("Whales hum", "cold")
    memory = Memory.objects.get()
    assert (memory.content, memory.text, memory.importance) == ("", "Whales hum", 5)
    assert memory.cold_text.was == Status.ACTIVE
    assert not Vector.objects.exists()
    assert words_found("whales") == 0
    changed = Revision.objects.order_by("-number")[0]
    assert (changed.action, changed.before["content"], changed.after["content"]) == (
        Action.EDITED, LONG.strip(), "Whales hum",
    )  # fmt: skip
    check_index_of_words()


def test_undone_it_is_what_it_was(alice: Caller) -> None:
    memory = remember(alice)
    with writing(alice.app, "x", timezone.now()) as write:
        write.archive(Memory.objects.get())
    freeze(alice.app)
    with writing(alice.app, "operator:ann", timezone.now()) as write:
        write.undo(Memory.objects.get())
    memory.refresh_from_db()
    assert (memory.status, memory.content) == (Status.ARCHIVED, LONG.strip())
    assert words_found("whales") == 1
    with writing(alice.app, "operator:ann", timezone.now()) as write:
        write.undo(Memory.objects.get())
    memory = Memory.objects.get()
    assert (memory.status, memory.content, memory.text) == (Status.COLD, "", LONG.strip())
    assert words_found("whales") == 0
    check_index_of_words()


@pytest.fixture
def superseded(alice: Caller) -> Memory:
    memory, other = remember(alice), remember(alice, "Bears sleep in winter", pinned=True)
    with writing(alice.app, "x", timezone.now()) as write:
        write.supersede(Memory.objects.get(pk=memory.pk), by=other)
    freeze(alice.app)
    return memory


def test_one_that_another_stands_for_can_only_be_made_active_again(alice: Caller, superseded: Memory) -> None:
    assert alice.patch(f"memories/{superseded.uid}", {"status": "archived"}).status_code == 400
    assert Link.objects.filter(kind="supersedes").exists()
    assert alice.patch(f"memories/{superseded.uid}", {"status": "active"}).status_code == 200
    superseded.refresh_from_db()
    assert (superseded.status, superseded.content) == (Status.ACTIVE, LONG.strip())
    assert not Link.objects.exists()


def test_undone_another_stands_for_it_again(alice: Caller, superseded: Memory) -> None:
    with writing(alice.app, "operator:ann", timezone.now()) as write:
        write.undo(Memory.objects.get(pk=superseded.pk))
    superseded.refresh_from_db()
    assert (superseded.status, superseded.content) == (Status.SUPERSEDED, LONG.strip())
    assert Link.objects.filter(kind="supersedes").exists()


def test_use_that_is_judged_late_changes_nothing_but_its_priority(alice: Caller) -> None:
    memory = frozen(alice)
    with writing(alice.app, "x", timezone.now()) as write:
        write.judge_uses([(Memory.objects.get(), True, 0.1, "")])
    memory = Memory.objects.get()
    assert (memory.priority, memory.status, memory.text) == (1.1, Status.COLD, LONG.strip())
    assert Revision.objects.order_by("-number")[0].after == {"priority": 1.1}


# --- for good


def test_forgotten_it_is_gone_like_any_other(alice: Caller) -> None:
    memory = frozen(alice, "The password of the whale is xyzzy42")
    assert alice.delete(f"memories/{memory.uid}").status_code == 200
    assert not ColdText.objects.exists()
    assert tables_with("xyzzy42") == set()
    check_index_of_words()


def test_forgetting_many_asks_no_more_often(alice: Caller, django_assert_max_num_queries: Any) -> None:
    now = timezone.now()
    with writing(alice.app, "x", now) as write:
        for number in range(8):
            write.create(Candidate(content=f"Number {number}"))
    freeze(alice.app)
    with writing(alice.app, "x", now) as write:
        rows = list(Memory.objects.all())
        with django_assert_max_num_queries(45):
            write.forget(rows)
    assert not ColdText.objects.exists()
