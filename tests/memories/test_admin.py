"""Operators curate memories in the admin: every change through the store, with a revision in their name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from memories.admin import memories
from memories.maintain.aging import freeze_unused
from memories.models import Action, ColdText, Injection, Link, Memory, Rejection, Revision, Source, Status, Vector
from memories.services import MemoryAgent
from memories.store import Candidate, writing
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App, AppPolicy, Membership
from sessions.models import AgentSession, Event
from tests.conftest import Caller
from tests.tables import each_row

LIST = "/admin/memories/memory/"
HOSTILE = "<script>alert(1)</script>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"


def page(memory: Memory, name: str = "change") -> str:
    return reverse(f"admin:memories_memory_{name}", args=[memory.pk])


def stored(caller: Caller, content: str, **fields: Any) -> Memory:
    return Memory.objects.get(uid=caller.remember(content, dedupe=False, **fields)["id"])


def form_of(client: Client, memory: Memory, **changes: Any) -> dict[str, Any]:
    """What a browser would send after `changes` were typed into the form."""
    form = client.get(page(memory)).context["adminform"].form
    data: dict[str, Any] = {}
    for bound in form:
        value = bound.value()
        if bound.name in ("valid_from", "valid_until"):
            moment = timezone.localtime(value) if value else None
            data[f"{bound.name}_0"] = f"{moment:%Y-%m-%d}" if moment else ""
            data[f"{bound.name}_1"] = f"{moment:%H:%M:%S}" if moment else ""
        elif isinstance(value, bool):
            data |= {bound.name: "on"} if value else {}
        else:
            data[bound.name] = "" if value is None else str(value).replace("\n", "\r\n")
    return {name: value for name, value in (data | changes).items() if value is not None}


def save(client: Client, memory: Memory, **changes: Any) -> Any:
    return client.post(page(memory), form_of(client, memory, **changes))


def act(client: Client, action: str, *memories: Memory, **more: Any) -> Any:
    data = {"action": action, "_selected_action": [memory.pk for memory in memories], **more}
    return client.post(LIST, data, follow=True)


def say(answer: Any) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def last_change(memory: Memory) -> Revision:
    revision = Revision.objects.filter(memory=memory).order_by("-number").first()
    assert revision is not None
    return revision


def queries_of(client: Client, url: str) -> int:
    client.get(url)  # content types are cached from here on
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
        return len(queries)


@pytest.fixture
def memory(alice: Caller) -> Memory:
    return stored(alice, "Backups run at night.", category="maintenance", subject="postgres", tags=["db"])


@pytest.fixture
def staff(alice: Caller, django_user_model: Any) -> Client:
    """Someone who may look at memories, and nothing else."""
    user = django_user_model.objects.create_user("stan", password="stan", is_staff=True)
    Membership.objects.create(app=alice.app, user=user, role="viewer")
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def hostile(alice: Caller) -> Memory:
    """A memory, and everything around it, whose every text is a script."""
    session = alice.start_session(title=HOSTILE, external_id=HOSTILE, user_id=HOSTILE)
    memory = stored(
        alice, HOSTILE, subject=HOSTILE, tags=[HOSTILE], user_id=HOSTILE, external_id=HOSTILE,
        metadata={HOSTILE: HOSTILE}, session_id=session["id"],
    )  # fmt: skip
    other = stored(alice, f"{HOSTILE} again")
    agent = MemoryAgent(alice.app, None, f"operator:{HOSTILE}")
    agent.edit(memory, {"content": f"{HOSTILE} edited"}, reason=HOSTILE)
    with agent.changing(memory) as (write, current):
        write.link(other, current, "related")
    index = {"app": alice.app, "session": memory.session}
    Injection.objects.create(**index, memory=memory, block="turn", line=HOSTILE)
    Rejection.objects.create(**index, category=HOSTILE, content=HOSTILE, reason=HOSTILE)
    return memory


# --- the list


def test_list_shows_a_memory_with_its_parts(admin_client: Client, alice: Caller) -> None:
    session = alice.start_session(title="Night shift")
    stored(alice, "Backups run at night.", category="maintenance", session_id=session["id"], confidence=0.9)
    text = admin_client.get(LIST).content.decode()
    for part in ("Backups run at night.", "acme", "general", "maintenance", "0.90", "active", "Night shift"):
        assert part in text
    assert "<meter" in text
    assert " style=" not in text.split('id="result_list"')[1].split("</table>")[0]


def test_list_marks_what_is_not_active(admin_client: Client, alice: Caller) -> None:
    stored(alice, "Known.")
    assert "is-away" not in admin_client.get(LIST).content.decode()
    stored(alice, "Hardly believed.", confidence=0.1)
    assert "memsite-text is-away" in admin_client.get(LIST).content.decode()


def test_list_costs_the_same_for_many_as_for_few(
    admin_client: Client, alice: Caller, django_assert_max_num_queries: Any
) -> None:
    def fill(number: int) -> None:
        with writing(alice.app, "agent:alice", timezone.now()) as write:
            for index in range(number):
                session = AgentSession.objects.create(app=alice.app, agent=alice.agent)
                write.create(Candidate(content=f"Fact {index}.", session=session, agent=alice.agent))

    fill(5)
    few = queries_of(admin_client, LIST)
    fill(45)
    with django_assert_max_num_queries(few):
        answer = admin_client.get(LIST)
    assert len(answer.context["cl"].result_list) == 50


@pytest.fixture
def levels(alice: Caller) -> None:
    stored(alice, "Low", confidence=0.29)
    stored(alice, "Lower edge", confidence=0.3)
    stored(alice, "Middle", confidence=0.5, pinned=True, subject="postgres")
    stored(alice, "Edge", confidence=0.7, kind="lesson", external_id="ticket-7", tags=["night", "old"])
    stored(alice, "High", confidence=0.71, category="work", tags=["night"])


@each_row(
    "query, results",
    [
        ("confidence=low", ["Low"]),
        ("confidence=middle", ["Middle", "Edge", "Lower edge"]),
        ("confidence=high", ["High"]),
        ("category=work", ["High"]),
        ("status__exact=inactive", ["Low"]),
        ("pinned__exact=1", ["Middle"]),
        ("kind__exact=lesson", ["Edge"]),
        ("q=ticket-7", ["Edge"]),
        ("q=postgres", ["Middle"]),
        ("q=%23night+shift", []),
        ("q=%23night", ["Edge", "High"]),
        ("q=%23night+High", ["High"]),
        ("q=%23nig", []),
        ("tag=night", ["Edge", "High"]),
        ("tag=%00", []),
        ("q=Lower+edge", ["Lower edge"]),
    ],
)
def test_list_filters_and_searches(admin_client: Client, levels: None, query: str, results: list[str]) -> None:
    answer = admin_client.get(f"{LIST}?{query}")
    assert sorted(row.content for row in answer.context["cl"].result_list) == sorted(results)


def test_tags_are_chips_that_lead_to_all_with_them(admin_client: Client, memory: Memory) -> None:
    page = admin_client.get(LIST).content.decode()
    assert f'<a class="memsite-chip" href="{LIST}?tag=db">db</a>' in page
    assert "Tag: <b>db</b>" in admin_client.get(f"{LIST}?tag=db").content.decode()


def test_list_filters_by_app(admin_client: Client, alice: Caller, charlie: Caller) -> None:
    stored(alice, "Of acme.")
    stored(charlie, "Of globex.")
    answer = admin_client.get(f"{LIST}?app__id__exact={charlie.app.pk}")
    assert [row.content for row in answer.context["cl"].result_list] == ["Of globex."]


@each_row(
    "url",
    [
        f"{LIST}?confidence=bogus",
        f"{LIST}?category=nothing",
        f"{LIST}?app__id__exact=abc",
        f"{LIST}?uid__exact=abc",
        f"{LIST}?session__id__exact=99999999999999999999",
        f"{LIST}?q=%00",
        f"{LIST}?p=999",
        f"{LIST}?nonsense=1",
        f"{LIST}abc/change/",
        f"{LIST}99999/change/",
        f"{LIST}99999/history/",
        f"{LIST}99999/delete/",
    ],
)
def test_odd_addresses_are_no_error(admin_client: Client, memory: Memory, url: str) -> None:
    assert admin_client.get(url, follow=True).status_code == 200


def test_actions_reach_beyond_the_page(admin_client: Client, alice: Caller) -> None:
    with writing(alice.app, "agent:alice", timezone.now()) as write:
        rows = [write.create(Candidate(content=f"Fact {index}.")) for index in range(60)]
    assert say(act(admin_client, "archive", rows[0], select_across="1")) == ["60 archived."]
    assert Memory.objects.filter(status=Status.ARCHIVED).count() == 60


# --- changing


def test_edit_is_recorded_in_the_operators_name(admin_client: Client, memory: Memory) -> None:
    answer = save(admin_client, memory, content="Backups run at noon.", reason="asked the team")
    assert answer.status_code == 302
    memory.refresh_from_db()
    revision = last_change(memory)
    assert memory.content == "Backups run at noon."
    assert (revision.actor, revision.action, revision.reason) == ("operator:admin", Action.EDITED, "asked the team")
    assert revision.before["content"] == "Backups run at night."


def test_edit_renews_the_vector(admin_client: Client, memory: Memory) -> None:
    before = bytes(Vector.objects.get(memory=memory).data)
    save(admin_client, memory, content="Something else entirely.")
    assert bytes(Vector.objects.get(memory=memory).data) != before


def test_edit_takes_every_field(admin_client: Client, memory: Memory) -> None:
    answer = save(
        admin_client, memory, kind="lesson", category="remediation", subject="", importance="5", tags='["a", "b", "a"]',
        pinned="on", user_id="u-1", visibility="shared", metadata='{"ticket": 7}', valid_from_0="2026-01-01",
        valid_from_1="00:00:00", valid_until_0="2026-02-01", valid_until_1="00:00:00",
    )  # fmt: skip
    assert answer.status_code == 302
    memory.refresh_from_db()
    assert (memory.kind, memory.category, memory.subject, memory.importance) == ("lesson", "remediation", None, 5)
    assert (memory.tags, memory.pinned, memory.user_id, memory.visibility) == (["a", "b"], True, "u-1", "shared")
    assert memory.metadata == {"ticket": 7}
    assert memory.valid_from is not None
    assert memory.valid_until is not None


def test_saving_unchanged_writes_nothing(admin_client: Client, alice: Caller) -> None:
    moment = "2026-03-01T10:20:30.456789Z"
    memory = stored(
        alice, "Two\nlines, é <b>", tags=["ü"], metadata={"a": [1, 2.5, None]}, valid_from=moment, valid_until=moment,
        confidence=1 / 3, user_id="u", pinned=True,
    )  # fmt: skip
    row, changes = Memory.objects.filter(pk=memory.pk).values().get(), App.objects.get(pk=alice.app.pk).change_number
    assert save(admin_client, memory).status_code == 302
    assert Memory.objects.filter(pk=memory.pk).values().get() == row
    assert Revision.objects.filter(memory=memory).count() == 1
    assert App.objects.get(pk=alice.app.pk).change_number == changes
    assert not LogEntry.objects.exists()


@each_row("typed, retained", [("1.7", 1.0), ("-3", 0.0), ("0.45", 0.45)])
def test_confidence_is_clamped(admin_client: Client, memory: Memory, typed: str, retained: float) -> None:
    assert save(admin_client, memory, confidence=typed).status_code == 302
    memory.refresh_from_db()
    assert memory.confidence == retained


def test_confidence_reactivates_and_deactivates(admin_client: Client, memory: Memory) -> None:
    save(admin_client, memory, confidence="0.2")
    memory.refresh_from_db()
    assert memory.status == Status.INACTIVE
    save(admin_client, memory, confidence="0.3")
    memory.refresh_from_db()
    assert memory.status == Status.ACTIVE
    assert last_change(memory).action == Action.RESTORED


@pytest.fixture
def form(admin_client: Client, memory: Memory) -> dict[str, Any]:
    return form_of(admin_client, memory)


@each_row(
    "field, value",
    [
        ("content", ""),
        ("content", "x" * 2001),
        ("confidence", "nan"),
        ("confidence", ""),
        ("importance", "6"),
        ("category", "Not A Category"),
        ("tags", '{"not": "a list"}'),
        ("tags", "[1]"),
        ("tags", json.dumps(["x" * 101])),
        ("tags", json.dumps([f"t{index}" for index in range(51)])),
        ("metadata", "[]"),
        ("metadata", '{"a": NaN}'),
        ("metadata", json.dumps({"a": "x" * 16_384})),
        ("metadata", '{"a": "\\u0000"}'),
        ("metadata", '{"a": "\\ud800"}'),
        ("metadata", "[" * 5000),
        ("metadata", "9" * 5000),
        ("visibility", "nobody"),
        ("valid_until_0", "1999-01-01"),
    ],
    rolled_back=True,
)
def test_wrong_values_are_refused_and_shown_again(
    admin_client: Client, memory: Memory, form: dict[str, Any], field: str, value: str
) -> None:
    more = {"valid_from_0": "2026-01-01", "valid_from_1": "00:00", "valid_until_1": "00:00"}
    typed = {**(more if field == "valid_until_0" else {}), field: value}
    answer = admin_client.post(page(memory), form | typed)
    assert answer.status_code == 200
    assert answer.context["adminform"].form.errors
    assert Revision.objects.filter(memory=memory).count() == 1


def test_a_memory_with_more_metadata_than_may_be_given_today_can_still_be_pinned(
    admin_client: Client, memory: Memory
) -> None:
    Memory.objects.filter(pk=memory.pk).update(metadata={"a": "x" * 20_000})
    memory.refresh_from_db()
    assert save(admin_client, memory, pinned="on").status_code == 302


def test_a_memory_longer_than_the_limit_of_today_can_still_be_pinned(admin_client: Client, memory: Memory) -> None:
    AppPolicy.objects.filter(app=memory.app).update(max_characters=20)
    assert save(admin_client, memory, pinned="on").status_code == 302


def test_stale_version_is_refused_and_the_typed_text_stays(admin_client: Client, memory: Memory) -> None:
    data = form_of(admin_client, memory, content="Mine.")
    MemoryAgent(memory.app, None, "operator:other").edit(memory, {"content": "Theirs."})
    answer = admin_client.post(page(memory), data)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "Someone else changed this meanwhile: reload" in text
    assert "Mine." in text
    memory.refresh_from_db()
    assert memory.content == "Theirs."


def test_a_change_between_the_check_and_the_lock_is_refused_too(
    admin_client: Client, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = MemoryAgent.edit

    def stale(self: MemoryAgent, memory: Memory, changes: Any, **options: Any) -> Memory:
        monkeypatch.setattr(MemoryAgent, "edit", edit)
        MemoryAgent(memory.app, None, "operator:other").edit(memory, {"content": "Theirs."})
        return edit(self, memory, changes, **options)

    data = form_of(admin_client, memory, content="Mine.")
    monkeypatch.setattr(MemoryAgent, "edit", stale)
    answer = admin_client.post(page(memory), data)
    assert answer.status_code == 200
    assert "Someone else changed this meanwhile" in answer.content.decode()
    memory.refresh_from_db()
    assert memory.content == "Theirs."


def test_embedding_happens_outside_of_the_transaction(
    alice: Caller, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = stored(alice, "Backups run at night.")
    seen: list[int] = []
    embed = MemoryAgent.embed

    def watched(self: MemoryAgent, text: str) -> Any:
        seen.append(len(connection.atomic_blocks))
        return embed(self, text)

    monkeypatch.setattr(MemoryAgent, "embed", watched)
    assert save(admin_client, memory, content="Backups run at noon.").status_code == 302
    assert seen == [len(connection.atomic_blocks)]


def test_only_viewing_shows_the_page_without_a_form(staff: Client, memory: Memory) -> None:
    answer = staff.get(page(memory))
    assert answer.status_code == 200
    assert "Backups run at night." in answer.content.decode()
    assert 'name="content"' not in answer.content.decode()
    assert staff.post(page(memory), {"content": "Mine."}).status_code == 403
    assert act(staff, "archive", memory).status_code == 200
    assert staff.get("/admin/memories/memory/add/").status_code == 403
    assert staff.get(page(memory, "delete")).status_code == 403
    memory.refresh_from_db()
    assert (memory.status, memory.content) == (Status.ACTIVE, "Backups run at night.")


def test_nobody_else_gets_in(client: Client, memory: Memory) -> None:
    for url in (LIST, page(memory), page(memory, "history"), page(memory, "delete")):
        answer = client.get(url)
        assert answer.status_code == 302
        assert answer.url.startswith("/admin/login/")


# --- adding


def new_memory(in_app: App, **fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("valid_from_0", "valid_from_1", "valid_until_0", "valid_until_1"), "")
    return {
        "app": in_app.pk, "content": "VACUUM needs an hour.", "kind": "fact", "category": "maintenance",
        "subject": "postgres", "confidence": "0.9", "importance": "3", "tags": "[]", "metadata": "{}",
        "visibility": "app", **empty, **fields,
    }  # fmt: skip


def test_memory_added_by_hand(admin_client: Client, acme: App) -> None:
    answer = admin_client.post("/admin/memories/memory/add/", new_memory(acme))
    assert answer.status_code == 302
    memory = Memory.objects.get()
    assert (memory.category, memory.subject, memory.confidence) == ("maintenance", "postgres", 0.9)
    assert (memory.status, memory.session, memory.agent) == (Status.ACTIVE, None, None)
    assert (memory.source, memory.app) == (Source.OPERATOR, acme)
    assert last_change(memory).actor == "operator:admin"
    assert Vector.objects.filter(memory=memory).exists()
    assert Event.objects.filter(memory_uid=memory.uid).exists()


def test_added_without_confidence_it_starts_as_the_app_says(admin_client: Client, acme: App) -> None:
    AppPolicy.objects.filter(app=acme).update(start_confidence=0.42)
    admin_client.post("/admin/memories/memory/add/", new_memory(acme, confidence=""))
    assert Memory.objects.get().confidence == 0.42


def test_what_no_agent_wrote_is_not_for_its_agent_alone(admin_client: Client, acme: App) -> None:
    answer = admin_client.post("/admin/memories/memory/add/", new_memory(acme, visibility="agent"))
    assert answer.status_code == 200
    assert not Memory.objects.exists()


def test_adding_needs_an_app(admin_client: Client, acme: App) -> None:
    answer = admin_client.post("/admin/memories/memory/add/", new_memory(acme, app=""))
    assert "app" in answer.context["adminform"].form.errors


def test_a_full_app_says_so_and_keeps_what_was_typed(admin_client: Client, alice: Caller) -> None:
    stored(alice, "Pinned.", pinned=True)
    AppPolicy.objects.filter(app=alice.app).update(memory_limit=1)
    answer = admin_client.post("/admin/memories/memory/add/", new_memory(alice.app, pinned="on"))
    form = answer.context["adminform"].form
    assert (answer.status_code, form["content"].value()) == (200, "VACUUM needs an hour.")
    assert form.non_field_errors() == [
        "The app may hold 1 memories, and all that it holds are pinned: unpin or delete one, or raise memory_limit."
    ]  # fmt: skip
    assert Memory.objects.get().content == "Pinned."


# --- actions


def test_archive_and_restore(admin_client: Client, memory: Memory) -> None:
    assert say(act(admin_client, "archive", memory)) == ["1 archived."]
    memory.refresh_from_db()
    assert memory.status == Status.ARCHIVED
    assert say(act(admin_client, "archive", memory)) == ["1 left as they are: archived already."]
    assert say(act(admin_client, "restore", memory)) == ["1 restored."]
    memory.refresh_from_db()
    assert memory.status == Status.ACTIVE
    actions = list(Revision.objects.filter(memory=memory).values_list("action", "actor"))
    assert actions[1:] == [(Action.ARCHIVED, "operator:admin"), (Action.RESTORED, "operator:admin")]


def test_restore_makes_the_inactive_believable_again(admin_client: Client, alice: Caller) -> None:
    memory = stored(alice, "Hardly believed.", confidence=0.1)
    act(admin_client, "restore", memory)
    memory.refresh_from_db()
    assert (memory.status, memory.confidence) == (Status.ACTIVE, 0.3)


def test_pin_and_unpin(admin_client: Client, memory: Memory) -> None:
    assert say(act(admin_client, "pin", memory)) == ["1 pinned."]
    memory.refresh_from_db()
    assert memory.pinned
    assert last_change(memory).actor == "operator:admin"
    assert say(act(admin_client, "unpin", memory)) == ["1 unpinned."]
    memory.refresh_from_db()
    assert not memory.pinned


def test_actions_work_across_apps(admin_client: Client, memory: Memory, charlie: Caller) -> None:
    other = stored(charlie, "Of globex.")
    assert say(act(admin_client, "pin", memory, other)) == ["2 pinned."]


def merge(client: Client, *memories: Memory, **more: Any) -> Any:
    """Press the button of the page that asks first."""
    return act(client, "merge", *memories, post="Merge", **more)


def test_merge_asks_first_and_shows_what_would_stay(admin_client: Client, alice: Caller) -> None:
    weak, strong = stored(alice, "The weak one.", confidence=0.4), stored(alice, "The strong one.", confidence=0.8)
    answer = act(admin_client, "merge", weak, strong)
    rows = [[strip_tags(str(cell)) for cell in row] for row in answer.context["tables"][0].rows]
    assert rows == [
        ["stays", "The strong one.", "general", "0.80", ""],
        ["goes", "The weak one.", "general", "0.40", ""],
    ]
    assert not Memory.objects.filter(status=Status.SUPERSEDED).exists()


@each_row("is_linked", [(True,), (False,)], rolled_back=True)
def test_merge_refuses_what_contradicts_unless_it_is_told(admin_client: Client, alice: Caller, is_linked: bool) -> None:
    texts = ("Ships on Tuesdays.", "It rains.") if is_linked else ("The backup is enabled.", "The backup is disabled.")
    first, second = (stored(alice, text, subject="deploys") for text in texts)
    Link.objects.filter(from_memory__in=[first, second]).delete()
    if is_linked:
        Link.objects.create(app=alice.app, from_memory=second, to_memory=first, kind="contradicts")
    assert "contradict each other" in act(admin_client, "merge", first, second).content.decode()
    [refusal] = say(merge(admin_client, first, second))
    assert "contradict each other" in refusal
    assert say(merge(admin_client, first, second, despite="yes")) == ["2 merged into one."]


def test_merge_keeps_the_most_confident(admin_client: Client, alice: Caller) -> None:
    weak, strong, middle = (stored(alice, f"Fact {value}.", confidence=value) for value in (0.4, 0.8, 0.6))
    assert say(merge(admin_client, weak, strong, middle)) == ["3 merged into one."]
    status = dict(Memory.objects.values_list("content", "status"))
    assert status == {
        "Fact 0.8.": Status.ACTIVE, "Fact 0.4.": Status.SUPERSEDED, "Fact 0.6.": Status.SUPERSEDED
    }  # fmt: skip
    assert Link.objects.filter(from_memory=strong, kind="supersedes").count() == 2
    assert last_change(strong).action == Action.MERGED
    assert last_change(strong).actor == "operator:admin"


def test_merge_keeps_an_active_one_before_an_archived_one(admin_client: Client, alice: Caller) -> None:
    active, archived = stored(alice, "Known.", confidence=0.5), stored(alice, "Put away.", confidence=0.9)
    act(admin_client, "archive", archived)
    merge(admin_client, active, archived)
    active.refresh_from_db()
    assert active.status == Status.ACTIVE
    assert active.confidence == 0.9


def test_merge_refuses_two_apps(admin_client: Client, memory: Memory, charlie: Caller) -> None:
    other = stored(charlie, "Of globex.")
    assert say(act(admin_client, "merge", memory, other)) == ["Only memories of the same app can be merged."]
    assert not Memory.objects.filter(status=Status.SUPERSEDED).exists()


def test_merge_refuses_what_others_may_read(admin_client: Client, memory: Memory, alice: Caller) -> None:
    other = stored(alice, "For one user.", user_id="u-1")
    [message] = say(act(admin_client, "merge", memory, other))
    assert message.startswith("Only memories of the same end user and visibility")


def test_merge_refuses_one_and_the_superseded(admin_client: Client, memory: Memory, alice: Caller) -> None:
    assert say(act(admin_client, "merge", memory)) == ["Select two or more memories to merge."]
    other = stored(alice, "Another.")
    merge(admin_client, memory, other)
    assert say(act(admin_client, "merge", memory, other)) == ["A superseded memory has been merged already."]
    [message] = say(act(admin_client, "archive", *Memory.objects.filter(status=Status.SUPERSEDED)))
    assert message.startswith("1 left as they are: another memory stands for it")


def test_undo_takes_the_last_change_back(admin_client: Client, memory: Memory) -> None:
    save(admin_client, memory, content="Wrong.")
    assert "1 set back." in say(act(admin_client, "undo", memory))
    memory.refresh_from_db()
    assert memory.content == "Backups run at night."
    assert last_change(memory).action == Action.UNDONE
    assert last_change(memory).actor == "operator:admin"


def test_undo_of_nothing_says_so(admin_client: Client, memory: Memory) -> None:
    [message] = say(act(admin_client, "undo", memory))
    assert message.startswith("1 left as they are: nothing has changed")


@each_row("surest_first, batch", [(True, 1), (True, 500), (False, 1), (False, 500)], rolled_back=True)
def test_undo_of_a_merge_with_both_ticked_takes_it_back_once(
    admin_client: Client, alice: Caller, monkeypatch: pytest.MonkeyPatch, surest_first: bool, batch: int
) -> None:
    first, second = (
        stored(alice, f"Fact {value}.", confidence=value) for value in ((0.8, 0.4) if surest_first else (0.4, 0.8))
    )
    counts = set(Memory.objects.values_list("pk", "access_count"))
    merge(admin_client, first, second)
    monkeypatch.setattr("memories.services.memories.BATCH", batch)
    answer = say(act(admin_client, "undo", first, second))
    assert set(Memory.objects.values_list("status", flat=True)) == {Status.ACTIVE}
    assert not Link.objects.filter(kind="supersedes").exists()
    assert set(Memory.objects.values_list("pk", "access_count")) == counts
    if surest_first or batch > 1:
        assert answer == ["1 set back.", "1 left as they are: changed together with another one of them."]


# --- deleting


def test_delete_one_asks_first_and_takes_everything_along(admin_client: Client, hostile: Memory) -> None:
    requested = admin_client.get(page(hostile, "delete")).content.decode()
    assert "Are you sure" in requested
    assert HOSTILE not in requested
    answer = admin_client.post(page(hostile, "delete"), {"post": "yes"})
    assert answer.status_code == 302
    assert not Memory.objects.filter(pk=hostile.pk).exists()
    assert not Revision.objects.filter(memory_id=hostile.pk).exists()
    assert not Event.objects.filter(memory_uid=hostile.uid).exists()


def test_delete_several_across_apps(admin_client: Client, memory: Memory, charlie: Caller) -> None:
    other, retained = stored(charlie, "Of globex."), stored(charlie, "Stays.")
    requested = act(admin_client, "delete_selected", memory, other)
    assert "Are you sure" in requested.content.decode()
    assert Memory.objects.count() == 3
    done = act(admin_client, "delete_selected", memory, other, post="yes")
    assert say(done) == ["Successfully deleted 2 memories."]
    assert list(Memory.objects.all()) == [retained]


def test_the_log_of_actions_keeps_no_text_of_a_deleted_memory(admin_client: Client, memory: Memory) -> None:
    save(admin_client, memory, importance="5")
    admin_client.post(page(memory, "delete"), {"post": "yes"})
    names = list(LogEntry.objects.values_list("object_repr", flat=True))
    assert names == [f"memory {memory.uid}"] * 2


def test_confirmation_is_bounded(
    admin_client: Client, alice: Caller, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "DELETE_AT_MOST", 80)
    with writing(alice.app, "agent:alice", timezone.now()) as write:
        rows = [write.create(Candidate(content=f"Fact {index}.")) for index in range(81)]
    with django_assert_max_num_queries(15):
        requested = act(admin_client, "delete_selected", *rows[:80]).content.decode()
    assert "… and 30 more" in requested
    assert say(act(admin_client, "delete_selected", *rows)) == ["Select at most 80 memories to delete."]


# --- what surrounds a memory


def test_history_shows_before_and_after_newest_first(admin_client: Client, memory: Memory) -> None:
    save(admin_client, memory, importance="5", reason="it is")
    text = admin_client.get(page(memory, "history")).content.decode()
    assert "operator:admin" in text
    assert "it is" in text
    assert "<b>importance</b><del>3</del> → <ins>5</ins>" in text
    assert text.index("edited") < text.index("created")


def test_history_is_bounded(admin_client: Client, memory: Memory, django_assert_max_num_queries: Any) -> None:
    with writing(memory.app, "operator:other", timezone.now()) as write:
        for index in range(60):
            write.edit(memory, {"importance": index % 2 + 1})
    with django_assert_max_num_queries(10):
        answer = admin_client.get(page(memory, "history"))
    assert len(answer.context["tables"][0].rows) == 50


def test_change_page_links_to_where_it_came_from(admin_client: Client, alice: Caller) -> None:
    session = alice.start_session(title="Night shift")
    said_text = "[MEMORY:timing:jellyfin] Takes 60s to start."
    body = {"user_input": "Go", "llm_output": said_text, "tool_calls": [], "internal_state": {}}
    assert alice.put(f"sessions/{session['id']}/turns/1", body).status_code in (200, 201)
    memory = Memory.objects.get()
    assert memory.resource is not None
    text = admin_client.get(page(memory)).content.decode()
    assert f"/admin/agent_sessions/resource/{memory.resource.pk}/change/" in text
    assert f"/admin/agent_sessions/agentsession/{memory.session_id}/change/" in text
    assert "/admin/agent_sessions/turn/1/change/" in text or ">turn 1<" in text


RECORDS = ("revision", "injection", "rejection", "link", "vector")


@each_row("model", RECORDS, rolled_back=True)
def test_records_are_read_only(admin_client: Client, hostile: Memory, model: str) -> None:
    base = f"/admin/memories/{model}/"
    [row, *_] = admin_client.get(base).context["cl"].result_list
    assert admin_client.get(f"{base}{row.pk}/change/").status_code == 200
    assert admin_client.get(f"{base}add/").status_code == 403
    assert admin_client.post(f"{base}add/", {}).status_code == 403
    assert admin_client.post(f"{base}{row.pk}/change/", {"reason": "mine"}).status_code == 403
    assert admin_client.get(f"{base}{row.pk}/delete/").status_code == 403
    assert admin_client.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    refused = admin_client.post(base, {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert refused.status_code in (200, 302)
    assert type(row).objects.filter(pk=row.pk).exists()


def pages_about(client: Client, memory: Memory) -> Iterator[tuple[str, str]]:
    urls = [LIST, page(memory), page(memory, "history"), page(memory, "delete"), "/admin/"]
    for model in RECORDS:
        base = f"/admin/memories/{model}/"
        rows = client.get(base).context["cl"].result_list
        urls += [base, *(f"{base}{row.pk}/change/" for row in rows), f"{base}?q=script"]
    for url in urls:
        answer = client.get(url)
        assert answer.status_code == 200, url
        yield url, answer.content.decode()


def test_hostile_text_is_escaped_everywhere(admin_client: Client, hostile: Memory) -> None:
    seen = 0
    for url, text in pages_about(admin_client, hostile):
        assert HOSTILE not in text, url
        assert "alert(1)</script>" not in text, url
        seen += ESCAPED in text or "&lt;script" in text
    assert seen > 10


def test_vector_shows_no_blob(admin_client: Client, memory: Memory) -> None:
    vector = Vector.objects.get(memory=memory)
    text = admin_client.get(f"/admin/memories/vector/{vector.pk}/change/").content.decode()
    assert vector.model in text
    assert "field-data" not in text


def test_lists_of_records_do_not_ask_row_by_row(
    admin_client: Client, hostile: Memory, alice: Caller, django_assert_max_num_queries: Any
) -> None:
    lists = [f"/admin/memories/{model}/" for model in RECORDS]
    few = {address: queries_of(admin_client, address) for address in lists}
    session, memory = hostile.session, hostile
    for index in range(10):
        extra = stored(alice, f"Fact {index}.")
        with writing(alice.app, "agent:alice", timezone.now()) as write:
            write.link(extra, memory, "related")
        Injection.objects.create(app=alice.app, session=session, memory=extra, block="turn", line="x")
        Rejection.objects.create(app=alice.app, session=session, reason="x")
    for address in lists:
        with django_assert_max_num_queries(few[address]):
            assert len(admin_client.get(address).context["cl"].result_list) > 10, address


# --- the cold archive


@pytest.fixture
def cold(alice: Caller, memory: Memory) -> Memory:
    later = timezone.now() + timedelta(days=200)
    freeze_unused(alice.app, later, Unclaimed(until=later))
    memory.refresh_from_db()
    assert memory.status == Status.COLD
    return memory


def test_what_is_in_the_cold_archive_is_shown_with_its_text(admin_client: Client, cold: Memory) -> None:
    for url in (LIST, page(cold), page(cold, "history"), "/admin/memories/revision/"):
        assert "Backups run at night." in admin_client.get(url).content.decode(), url


def test_it_is_restored_by_the_action(admin_client: Client, cold: Memory) -> None:
    assert say(act(admin_client, "restore", cold)) == ["1 restored."]
    cold.refresh_from_db()
    assert (cold.status, cold.content) == (Status.ACTIVE, "Backups run at night.")
    assert (last_change(cold).action, last_change(cold).before["status"]) == (Action.RESTORED, "cold")


def test_it_is_archived_already(admin_client: Client, cold: Memory) -> None:
    assert say(act(admin_client, "archive", cold)) == ["1 left as they are: archived already."]


def test_one_that_another_stood_for_is_not_archived(admin_client: Client, cold: Memory) -> None:
    ColdText.objects.update(was=Status.SUPERSEDED)
    [message] = say(act(admin_client, "archive", cold))
    assert "restore it first" in message
    assert say(act(admin_client, "undo", cold)) == ["1 set back."]


def test_it_is_edited_where_it_is(admin_client: Client, cold: Memory) -> None:
    assert save(admin_client, cold, subject="mysql").status_code == 302
    cold = Memory.objects.get()
    assert (cold.subject, cold.status, cold.text) == ("mysql", Status.COLD, "Backups run at night.")
    assert save(admin_client, cold).status_code == 302
    assert Revision.objects.filter(memory=cold).count() == 3


def test_a_list_of_what_is_cold_asks_no_more_often(admin_client: Client, alice: Caller, cold: Memory) -> None:
    before = queries_of(admin_client, LIST)
    for number in range(5):
        stored(alice, f"Number {number}")
    later = timezone.now() + timedelta(days=200)
    freeze_unused(alice.app, later, Unclaimed(until=later))
    assert queries_of(admin_client, LIST) == before
