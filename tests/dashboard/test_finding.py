"""Tags, end users, visibility and validity in the list of memories: seen, edited, filtered, sorted, counted, kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories.dashboard.tags import as_html
from memories.models import Memory, SavedView
from memories.store.purge import purge_user
from memsite.tenancy.models import App, AppPolicy
from sessions.models import AgentSession
from tests.conftest import Caller
from tests.dashboard.pages import HTMX, elements, fragment, links, text_of
from tests.dashboard.test_memories import HOSTILE, LIST, edit_url, show, stored, toasts, typed
from tests.tables import each_row

COMMA = 'fans, "large"'


@pytest.fixture
def whales(alice: Caller) -> Memory:
    return stored(alice, "Whales sing")


@pytest.fixture
def shelf(alice: Caller) -> None:
    now = timezone.now()
    stored(alice, "Freeze until the disk is in", tags=["freeze", COMMA], confidence=0.9)
    stored(alice, "Only mine", visibility="agent", confidence=0.6, user_id="nina")
    for content, begins, ends in (("Later", 1, None), ("Over", -9, -1), ("For now", None, 5)):
        fields = {"valid_from": begins and now + timedelta(begins), "valid_until": ends and now + timedelta(ends)}
        Memory.objects.filter(pk=stored(alice, content, confidence=0.6).pk).update(**fields)


# --- what is found


@pytest.mark.usefixtures("shelf")
@each_row(
    "filters, contents",
    [
        ({"tag": "freeze"}, ["Freeze until the disk is in"]),
        ({"tag": COMMA}, ["Freeze until the disk is in"]),
        ({"tag": "free"}, []),
        ({"tag": "freeze", "q": "disk", "by": "meaning"}, ["Freeze until the disk is in"]),
        ({"tag": "other", "q": "disk", "by": "meaning"}, []),
        ({"visibility": "agent"}, ["Only mine"]),
        ({"validity": "later"}, ["Later"]),
        ({"validity": "past"}, ["Over"]),
        ({"validity": "limited"}, ["For now", "Over"]),
        ({"validity": "now"}, ["For now", "Only mine", "Freeze until the disk is in"]),
        ({"validity": "limited", "trust": "unreviewed", "q": "now", "by": "meaning"}, ["For now"]),
        ({"sort": "sure", "tag": "freeze"}, ["Freeze until the disk is in"]),
    ],
)
def test_scope_and_validity_narrow_the_list(vera: Client, filters: dict[str, str], contents: list[str]) -> None:
    assert show(vera.get(LIST, filters)) == contents


@pytest.mark.usefixtures("shelf")
def test_what_holds_later_is_not_looked_for_by_meaning(vera: Client) -> None:
    answer = vera.get(LIST, {"validity": "later", "q": "later", "by": "meaning"})
    assert "What begins later is not found by its meaning" in text_of(answer)


@pytest.mark.usefixtures("shelf")
def test_each_tag_leads_to_what_has_it(vera: Client) -> None:
    leading = [link for link in links(vera.get(LIST)) if "tag=" in link]
    assert [show(vera.get(link)) for link in leading] == [["Freeze until the disk is in"]] * 2


@pytest.mark.usefixtures("shelf")
def test_a_filter_that_is_folded_away_is_open_while_it_is_in_use(vera: Client) -> None:
    folded = [elements(vera.get(LIST, query), "details", **{"class": "rare"}) for query in ({}, {"visibility": "app"})]
    assert ["open" in details for (details,) in folded] == [False, True]


# --- in which order, and how many


@pytest.fixture
def dozen(alice: Caller) -> None:
    """Twelve memories, of which several have the same confidence, use and time."""
    now = timezone.now()
    for number in range(12):
        memory = stored(alice, f"Fact {number}", confidence=(0.6, 0.7, 0.8)[number // 4])
        figures = {"access_count": number // 4, "updated_at": now - timedelta(hours=number // 2)}
        Memory.objects.filter(pk=memory.pk).update(**figures)


@pytest.mark.usefixtures("short_pages", "dozen")
@each_row(
    "sort, order",
    [
        ("sure", ("-confidence", "-uid")),
        ("unsure", ("confidence", "uid")),
        ("used", ("-access_count", "-uid")),
        ("updated", ("-updated_at", "-uid")),
    ],
)
def test_pages_follow_each_order_even_where_values_are_equal(vera: Client, sort: str, order: tuple[str, str]) -> None:
    page = vera.get(LIST, {"sort": sort})
    pages = [show(page)]
    while page.context["slice"].older:
        page = vera.get(LIST, {"sort": sort, "after": page.context["slice"].older})
        pages.append(show(page))
    assert [*chain.from_iterable(pages)] == list(Memory.objects.order_by(*order).values_list("content", flat=True))
    back = vera.get(LIST, {"sort": sort, "before": page.context["slice"].newer})
    assert show(back) == pages[-2]


@pytest.mark.usefixtures("whales")
@each_row("place", ["nan~", "1e999~x", "0.5", "~", "0.5~nothing", "a~b"])
def test_a_place_that_is_none_in_an_order_is_passed_over(vera: Client, place: str) -> None:
    assert show(vera.get(LIST, {"sort": "sure", "after": place})) == ["Whales sing"]


@pytest.mark.usefixtures("short_pages")
def test_the_list_says_how_many_there_are_and_how_many_are_found(vera: Client, alice: Caller) -> None:
    for number in range(8):
        stored(alice, f"Fact {number}", category="odd" if number % 4 else "even")
    for query, says in (
        ({}, "8 memories, 5 shown"),
        ({"category": "even"}, "8 memories, 2 shown"),
        ({"category": "odd"}, "8 memories, 6 found, 5 shown"),
    ):
        assert says in text_of(vera.get(LIST, query))


# --- edited


@pytest.fixture
def berlin(alice: Caller) -> App:
    AppPolicy.objects.filter(app=alice.app).update(time_zone="Europe/Berlin")
    return alice.app


def test_scope_and_validity_are_edited_by_the_clock_of_the_app(ed: Client, alice: Caller, berlin: App) -> None:
    memory = stored(alice, "Whales sing")
    fields = {"tags": f'sea, "{COMMA.replace(chr(34), chr(34) * 2)}"', "user_id": "nina", "visibility": "agent"}
    times = {"valid_from": "2026-07-01T08:00", "valid_until": "2026-12-01T08:00:30"}
    assert "Saved." in toasts(ed.post(edit_url(memory), typed(memory, **fields, **times), headers=HTMX))
    memory.refresh_from_db()
    assert (memory.tags, memory.user_id, memory.visibility) == (["sea", COMMA], "nina", "agent")
    assert memory.valid_from == datetime(2026, 7, 1, 6, tzinfo=UTC)
    assert memory.valid_until == datetime(2026, 12, 1, 7, 0, 30, tzinfo=UTC)


@each_row(
    "begins, ends",
    [
        (datetime(2026, 10, 25, 0, 30, 1, 5, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 9, tzinfo=UTC)),
        (datetime(1, 1, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
    ],
)
def test_what_a_form_cannot_show_of_a_moment_or_a_tag_is_not_changed(
    ed: Client, alice: Caller, berlin: App, begins: datetime, ends: datetime
) -> None:
    memory = stored(alice, "Whales sing")
    Memory.objects.filter(pk=memory.pk).update(valid_from=begins, valid_until=ends, tags=[COMMA, " edge "])
    form = fragment(ed, edit_url(memory))
    sent = {
        name: elements(form, "input", name=name)[0].get("value", "") for name in ("tags", "valid_from", "valid_until")
    }
    # As browsers shorten it.
    sent = {name: value.removesuffix(":00") if "T" in value else value for name, value in sent.items()}
    answer = ed.post(edit_url(memory), typed(memory, **sent), headers=HTMX)
    assert "Nothing was changed" in toasts(answer), text_of(answer)


@each_row(
    "changes, problem",
    [
        ({"valid_from": "2026-07-02T08:00", "valid_until": "2026-07-01T08:00"}, "Is before"),
        ({"valid_until": "9999-12-31T23:59"}, "A year from 1000 to 9000"),
        ({"tags": ",".join(map(str, range(51)))}, "At most 50 tags"),
        ({"tags": "x" * 200_000}, "Tags with commas"),
        ({"visibility": "everyone"}, "valid choice"),
    ],
)
def test_what_scope_and_validity_cannot_be_is_said(
    ed: Client, whales: Memory, changes: dict[str, str], problem: str
) -> None:
    assert problem in text_of(ed.post(edit_url(whales), typed(whales, **changes), headers=HTMX))


def test_a_memory_is_added_with_tags_and_validity(ed: Client, alice: Caller) -> None:
    fields = {"content": "Whales sing", "category": "sea", "kind": "fact", "importance": 3, "confidence": "0.9"}
    more: dict[str, Any] = {"tags": "sea, song", "user_id": "nina", "valid_until": "2027-01-01T00:00"}
    assert ed.post("/memories/add", fields | more, headers=HTMX).status_code == 204
    memory = Memory.objects.get()
    assert (memory.tags, memory.user_id, memory.visibility) == (["sea", "song"], "nina", "app")
    assert memory.valid_until == datetime(2027, 1, 1, tzinfo=UTC)


# --- kept


def save(client: Client, name: str, query: str, **headers: str) -> Any:
    return client.post("/memories/views", {"name": name, "query": query}, headers=headers)


def views(client: Client) -> list[str]:
    return [row.view.name for row in client.get(LIST).context["views"]]


@pytest.mark.usefixtures("shelf")
def test_a_filter_is_kept_under_a_name_renamed_and_deleted(vera: Client) -> None:
    answer = save(vera, "Frozen", "tag=freeze&sort=sure&app=acme&after=x&status=")
    assert answer["Location"] == f"{LIST}?tag=freeze&sort=sure"
    page = vera.get(answer["Location"])
    (first,) = page.context["views"]
    assert (first.view.name, first.href, first.is_here) == ("Frozen", answer["Location"], True)
    assert show(vera.get(first.href)) == ["Freeze until the disk is in"]
    there = f"/memories/views/{first.view.uid}"
    vera.post(there, {"action": "rename", "name": HOSTILE[:80]})
    assert views(vera) == [HOSTILE[:80]]
    assert "<script>alert" not in vera.get(LIST).content.decode()
    vera.post(there, {"action": "delete"})
    assert views(vera) == []


def test_where_the_page_has_stayed_the_address_tells_the_filter(vera: Client) -> None:
    headers = HTMX | {"HX-Current-URL": "http://testserver/memories?tag=sea"}
    answer = save(vera, "Sea", "", **headers)
    assert answer["HX-Redirect"] == f"{LIST}?tag=sea"
    save(vera, "Sea", "tag=lake")
    assert [view.query for view in SavedView.objects.all()] == [{"tag": "lake"}], "one of the name is replaced"


def test_views_are_of_one_person_and_one_app(
    vera: Client, ed: Client, otto: Client, sue: Client, alice: Caller
) -> None:
    save(vera, "Frozen", "tag=freeze")
    there = f"/memories/views/{SavedView.objects.get().uid}"
    for client in (ed, otto, sue):
        assert client.post(f"{there}?app=acme", {"action": "delete"}).status_code == 404
        assert "Frozen" not in text_of(client.get(LIST, follow=True))
    sue.post("/memories/views?app=acme", {"name": "Hers", "query": "q=x"})
    sue.post("/memories/views?app=globex", {"name": "Hers", "query": "q=y"})
    assert [row.view.query for row in sue.get(f"{LIST}?app=globex").context["views"]] == [{"q": "y"}]
    assert views(vera) == ["Frozen"]


@each_row(
    "name, query, says",
    [
        ("", "tag=x", "1 to 80 characters"),
        ("x" * 81, "tag=x", "1 to 80 characters"),
        ("All", "app=acme&after=x&q=", "Nothing is filtered"),
    ],
)
def test_a_view_needs_a_name_and_a_filter(vera: Client, name: str, query: str, says: str) -> None:
    assert says in text_of(vera.get(save(vera, name, query)["Location"]))
    assert says in toasts(save(vera, name, "", **HTMX, **{"HX-Current-URL": f"http://testserver{LIST}?{query}"}))
    assert views(vera) == []


def test_two_views_have_two_names(vera: Client) -> None:
    save(vera, "One", "tag=x")
    save(vera, "Two", "tag=y")
    uid = SavedView.objects.get(name="Two").uid
    answer = vera.post(f"/memories/views/{uid}", {"action": "rename", "name": "One"}, headers=HTMX)
    assert "Another view has this name" in toasts(answer)
    assert views(vera) == ["One", "Two"]


def test_a_view_that_names_a_purged_end_user_goes_with_them(vera: Client, alice: Caller) -> None:
    save(vera, "Nina", "user=nina")
    save(vera, "Nora", "user=nora")
    purge_user(alice.app, "nina", "operator:olga", timezone.now())
    assert views(vera) == ["Nora"]


# --- as it reads


@each_row(
    "text, html",
    [
        ("1 < 2 & 3", "1 &lt; 2 &amp; 3"),
        ("Run `rm <x>` **now**", "Run <code>rm &lt;x&gt;</code> <b>now</b>"),
        ("`**a**` ** no **", "<code>**a**</code> ** no **"),
        ("- one\n* two", "<ul><li>one</li><li>two</li></ul>"),
        ("First:\n2. b\n3) c", '<p>First:</p><ol><li value="2">b</li><li value="3">c</li></ol>'),
        ("```sh\n<script>\n**x**\n```\nend", "<pre><code>&lt;script&gt;\n**x**</code></pre><p>end</p>"),
        ("~~~\nopen", "<pre><code>open</code></pre>"),
        ("a\n\nb", "<p>a</p><p>b</p>"),
        ("[x](javascript:alert) <b>", "[x](javascript:alert) &lt;b&gt;"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("```", "```"),
    ],
)
def test_code_lists_and_bold_are_shown_as_such_and_nothing_else(text: str, html: str) -> None:
    assert as_html(text) == html


def test_a_session_without_a_title_is_named_by_its_agent_tier_and_time(
    vera: Client, alice: Caller, berlin: App
) -> None:
    session = alice.start_session(external_id="4f1c", tier=2)
    stored(alice, "Whales sing", session_id=session["id"])
    AgentSession.objects.update(started_at=datetime(2026, 7, 1, 6, tzinfo=UTC))
    for page in (LIST, "/sessions", "/", f"/sessions/{session['id']}"):
        assert "alice, tier 2, 2026-07-01 08:00" in text_of(vera.get(page)), page
