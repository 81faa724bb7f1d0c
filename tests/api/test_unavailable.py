"""Without its database's lock, a disk to write to or its embedder, the server says so, and nothing is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count as count_up
from math import inf
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, OperationalError, ProgrammingError, connection, connections, transaction
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from rest_framework.test import APIClient
from time_machine import travel

from memories import jobs as catalogue
from memories.models import Memory, RecallCount, Vector
from memories.providers.embeddings import EmbedderUnavailable, Thresholds, Vectors
from memories.providers.embeddings.base import HashEmbedder
from memories.retrieve import access_counters
from memories.services import base as agent_module
from memories.services import current_embedder
from memsite.config.conf import get_conf
from memsite.config.settings import LOCK_SECONDS, database
from memsite.db.postgres.session import ASKED
from memsite.db.sqlite import LOCKED, Waiting, arrived, base
from memsite.db.sqlite.base import DatabaseWrapper
from memsite.db.transactions import count, is_busy
from memsite.http.exceptions import Unwritable
from memsite.http.login import Sessions
from sessions.models import AgentSession
from tests.api.checks import RESULT, assert_problem, assistant, ndjson
from tests.conftest import Caller, make_app, make_caller
from tests.dashboard.conftest import member, sign_in
from tests.dashboard.pages import HTMX, elements
from tests.databases import copy_test_database
from tests.mcp.asking import refused, use
from tests.talking import after
from tests.unwritable import disk_full, read_only, refusing
from tests.upkeep import upkeep_embed_missing

PASSWORD = "seven-green-bottles"


@pytest.fixture
def impatient(django_db_setup: None, django_db_blocker: Any, tmp_path: Path) -> Iterator[Path]:
    """The database in a file, as the site has it, but that it waits for a moment only."""
    if connection.vendor != "sqlite":
        pytest.skip("SQLite locks the whole file")
    path = tmp_path / "own.sqlite3"
    options = {**database(get_conf())["OPTIONS"], "timeout": 0.05}
    with django_db_blocker.unblock():
        is_copied = copy_test_database(path)
        settings: dict[str, Any] = {**connection.settings_dict, "NAME": path, "OPTIONS": options}
        retained, connections[DEFAULT_DB_ALIAS] = (
            connections[DEFAULT_DB_ALIAS],
            DatabaseWrapper(settings, DEFAULT_DB_ALIAS),
        )
        if not is_copied:
            call_command("migrate", verbosity=0)
        yield path
        connections[DEFAULT_DB_ALIAS].close()
        connections[DEFAULT_DB_ALIAS] = retained


@pytest.fixture
def gina(impatient: Path) -> Caller:
    return make_caller(make_app("initech"), "gina")


@pytest.fixture
def holder(impatient: Path, gina: Caller) -> Iterator[sqlite3.Connection]:
    """Somebody else writes, and does not come to an end."""
    gina.remember("Whales sing")
    other = sqlite3.connect(impatient, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


def test_a_write_that_waited_in_vain_is_503_and_stores_nothing(gina: Caller, holder: sqlite3.Connection) -> None:
    body, key = {"content": "Bears sleep"}, {"Idempotency-Key": "once"}
    refused = gina.post("memories", body, **key)
    assert_problem(refused, 503)
    assert refused["Retry-After"] == "1"
    assert gina.get("memories").json()["results"][0]["content"] == "Whales sing"
    holder.execute("ROLLBACK")
    assert gina.post("memories", body, **key).status_code == 201
    assert Memory.objects.count() == 2


def test_what_could_not_begin_leaves_no_cursor_for_another_thread_to_wait_for(
    holder: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that the collector finds in the thread that has the lock would make it wait for those who wait for it."""
    made: list[Any] = []
    make = DatabaseWrapper.cursor

    def remember(self: DatabaseWrapper) -> Any:
        made.append(make(self))
        return made[-1]

    monkeypatch.setattr(DatabaseWrapper, "cursor", remember)
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        raise AssertionError("it has begun")
    assert len(made) == 1
    with pytest.raises(ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")


class Turn:
    """Somebody else's, for so many milliseconds; then, if that is not too long, one's own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> None:
        self.seconds, self.now, self.is_mine = milliseconds / 1_000, 5.0, False
        monkeypatch.setattr(base, "TURN", self)
        monkeypatch.setattr(base, "monotonic", lambda: self.now)

    def acquire(self, *, blocking: bool = True, timeout: float = -1) -> bool:
        if blocking:
            self.now += min(self.seconds, timeout)
        self.is_mine = blocking and timeout > self.seconds
        return self.is_mine

    def release(self) -> None:
        assert self.is_mine
        self.is_mine = False


def test_who_comes_later_waits_for_a_turn_and_then_no_longer_than_is_left(
    gina: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Turn(monkeypatch, milliseconds=30)
    waits: list[int] = []
    begin = DatabaseWrapper.begin

    def watched(self: DatabaseWrapper) -> None:
        assert turn.is_mine
        waits.append(self.busy_timeout)
        begin(self)

    monkeypatch.setattr(DatabaseWrapper, "begin", watched)
    gina.remember("Whales sing")
    assert waits
    assert set(waits) == {20}  # of the 50 that it may wait
    assert not turn.is_mine
    assert connection.busy_timeout == 50  # type: ignore[attr-defined]  # ours


def test_who_has_waited_in_vain_for_a_turn_is_told_so(gina: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    Turn(monkeypatch, milliseconds=60)
    assert_problem(gina.post("memories", {"content": "Bears sleep"}), 503)
    monkeypatch.undo()
    assert Memory.objects.count() == 0


def test_a_turn_ends_when_the_transaction_begins_or_cannot(holder: sqlite3.Connection) -> None:
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        raise AssertionError("it has begun")
    assert not base.TURN.locked()
    holder.execute("ROLLBACK")
    with transaction.atomic():
        assert not base.TURN.locked()


def test_a_reader_waits_for_no_writer_until_its_keys_use_is_noted(
    gina: Caller, holder: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []
    begin = DatabaseWrapper.begin
    monkeypatch.setattr(DatabaseWrapper, "begin", lambda self: (waits.append(self.busy_timeout), begin(self)))
    with travel(timezone.now() + timedelta(minutes=2)):
        assert gina.get("memories").status_code == 200
    assert waits == [0]


def test_who_comes_after_a_wait_in_vain_finds_the_lock_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count_up(100)
    monkeypatch.setattr("memsite.db.sqlite.monotonic", lambda: next(seconds))
    waiting, came = Waiting(), arrived.set(0.0)
    try:
        with pytest.raises(OperationalError), waiting.counted():
            raise OperationalError(LOCKED)
        monkeypatch.setattr("memsite.db.sqlite.monotonic", lambda: 103.0)
        with waiting.counted(), waiting.counted():
            assert waiting.is_stuck
            waiting.moved()
            assert not waiting.is_stuck
    finally:
        arrived.reset(came)


def test_a_request_may_wait_from_its_arrival_on(impatient: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Turn(monkeypatch, milliseconds=0)
    waits: list[int] = []
    monkeypatch.setattr(DatabaseWrapper, "begin", lambda self: waits.append(self.busy_timeout))
    came = arrived.set(turn.now - 0.03)
    try:
        connection.cursor().close()
        connection._start_transaction_under_autocommit()  # type: ignore[attr-defined]  # ours
    finally:
        arrived.reset(came)
    assert waits == [20]


class NobodysTurn:
    def acquire(self, *, blocking: bool = True, timeout: float = -1) -> bool:
        assert not blocking, f"it waits {timeout} s"
        return False


def test_where_the_lock_is_stuck_the_next_is_refused_at_once(
    gina: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gina.remember("Whales sing")  # The key's use is noted.
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=6)
    monkeypatch.setattr(base.WAITING, "count", 2)
    with monkeypatch.context() as others:
        others.setattr(base, "TURN", NobodysTurn())
        others.setattr(Waiting, "stuck_at", -inf)
        assert_problem(gina.post("memories", {"content": "Bears sleep"}), 503)
    assert base.WAITING.count == 2
    with transaction.atomic():  # No request: a worker's, or a command's.
        assert Memory.objects.count() == 1


def test_a_writer_that_would_be_refused_embeds_nothing(
    gina: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"memories/{gina.remember('Whales sing')['id']}"
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=6)
    embedded: list[Sequence[str]] = []
    monkeypatch.setattr(HashEmbedder, "embed_documents", lambda self, texts: embedded.append(texts))
    with monkeypatch.context() as others:
        others.setattr(base.WAITING, "count", 2)
        others.setattr(base, "TURN", NobodysTurn())
        others.setattr(Waiting, "stuck_at", -inf)
        assert_problem(gina.patch(path, {"content": "Bears sleep"}), 503)
    assert not embedded


@pytest.fixture
def stuck(gina: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    """A caller whose key's use is noted, while the write lock is stuck and as many wait for it as may."""
    gina.remember("Whales sing")
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=6)
    with monkeypatch.context() as others:
        others.setattr(base.WAITING, "count", 2)
        others.setattr(base, "TURN", NobodysTurn())
        others.setattr(Waiting, "stuck_at", -inf)
        yield gina


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("store", {"content": "Bears sleep"}), ("update", {"id": "an id", "content": "Bears sleep"})],
)
def test_a_tool_that_writes_is_refused_before_its_arguments_are_read(
    stuck: Caller, tool: str, arguments: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    monkeypatch.setattr("memories.mcp.tools.read", lambda *_, **fields: read.append(fields))
    assert refused(stuck, tool, **arguments).startswith("The server is busy")
    assert not read


def test_a_tool_that_reads_is_answered_while_the_lock_is_stuck(stuck: Caller) -> None:
    assert use(stuck, "lessons") == {"lessons": []}


def test_a_hook_is_refused_before_its_body_is_read(stuck: Caller) -> None:
    assert_problem(stuck.post("hooks/claude-code", {"nonsense": True}), 503)


def test_a_command_of_the_memory_tool_that_writes_is_refused_early(
    stuck: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.compat.memory_tool.count_writes", lambda *_: pytest.fail("It was refused too late."))
    body = {"command": "create", "path": "/memories/a.txt", "file_text": "Bears sleep"}
    assert_problem(stuck.client.post("/compat/memory-tool", body, format="json"), 503)


def test_all_may_wait_while_the_lock_goes_from_one_to_the_next(
    gina: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=6)
    monkeypatch.setattr(base.WAITING, "count", 2)
    monkeypatch.setattr(Waiting, "stuck_at", inf)
    assert gina.post("memories", {"content": "Bears sleep"}).status_code == 201


def test_who_writes_without_a_transaction_waits_for_a_turn_too(gina: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    Turn(monkeypatch, milliseconds=60)
    with pytest.raises(OperationalError, match="locked"):
        Memory.objects.update(confidence=0.5)


def test_the_site_begins_as_that_has_it() -> None:
    assert database(replace(get_conf(), database_url="", row_security=False))["ENGINE"] == "memsite.db.sqlite"


def test_readers_do_not_wait_for_a_writer(gina: Caller, holder: sqlite3.Connection) -> None:
    """Nor when they would leave a count: of the search, of what it found, of the key's use. What a search counts comes
    later."""
    with after(minutes=2):
        assert gina.get("memories").status_code == 200
        assert gina.post("memories/search", {"query": "whales"}).json()["results"]
    assert not RecallCount.objects.exists()
    holder.execute("ROLLBACK")
    gina.post("memories/search", {"query": "whales"})
    assert RecallCount.objects.get().searches == 2
    assert Memory.objects.get().access_count == 2


def test_a_page_that_waited_in_vain_says_so_and_when_to_come_again(impatient: Path, gina: Caller) -> None:
    User.objects.create_superuser("nina", password=PASSWORD)
    client = Client(raise_request_exception=False)
    other = sqlite3.connect(impatient, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    form = {"username": "nina", "password": PASSWORD}
    answer = client.post("/login", form, headers={"Accept": "text/html"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "busy" in answer.content.decode()
    other.close()
    assert client.post("/login", form).status_code == 302


class PoolTimeout(Exception):
    pass


def test_a_count_that_fails_for_another_reason_is_an_error(impatient: Path) -> None:
    def fail() -> None:
        raise OperationalError("disk I/O error")

    with pytest.raises(OperationalError):
        count(fail)


def caused(cause: BaseException, text: str = "") -> OperationalError:
    error = OperationalError(text)
    error.__cause__ = cause
    return error


def with_state(state: str) -> Exception:
    cause = Exception()
    cause.sqlstate = state  # type: ignore[attr-defined]
    return cause


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OperationalError("database is locked"), True),
        (caused(with_state("55P03")), True),  # lock_not_available
        (caused(with_state("40P01")), True),  # deadlock_detected
        (caused(PoolTimeout()), True),
        (caused(with_state("57P01"), "terminating connection"), False),
        (OperationalError("disk I/O error"), False),
        (ValueError("locked"), False),
        (None, False),
    ],
)
def test_busy_is_a_wait_that_was_in_vain_and_nothing_else(error: BaseException | None, expected: bool) -> None:
    assert is_busy(error) is expected


def test_both_databases_wait_as_long_as_is_promised() -> None:
    assert LOCK_SECONDS >= 20
    options = database(replace(get_conf(), database_url="", row_security=False))["OPTIONS"]
    assert (options["timeout"], options["transaction_mode"]) == (LOCK_SECONDS, "IMMEDIATE")
    postgres = database(replace(get_conf(), database_url="postgresql://memsite@localhost/memsite"))["OPTIONS"]
    assert postgres["pool"]["timeout"] == LOCK_SECONDS
    assert ASKED["lock_timeout"] == f"{LOCK_SECONDS}s"


PAGE = {"Accept": "text/html"}
BEARS = "Bears sleep in winter, and wake up in spring"


@pytest.mark.parametrize(("make", "status", "code"), [(disk_full, 507, "storage_full"), (read_only, 503, "read_only")])
def test_a_write_says_why_and_when_to_come_again(
    alice: Caller, make: Callable[[], Exception], status: int, code: str
) -> None:
    alice.remember("Whales sing")
    body, key = {"content": BEARS}, {"Idempotency-Key": "once"}
    with refusing(make):
        answer = alice.post("memories", body, **key)
    output = assert_problem(answer, status)
    assert (output["code"], answer["Retry-After"]) == (code, "60")
    assert "nothing was stored" in output["detail"]
    assert Memory.objects.count() == 1
    assert alice.post("memories", body, **key).status_code == 201


def test_every_endpoint_that_writes_says_so(alice: Caller, operator: APIClient) -> None:
    uid, session = alice.remember("Whales sing")["id"], alice.start_session()["id"]
    operator.get("/api/v1/apps")
    turn = {"user_input": "a", "tool_calls": [], "llm_output": "b", "internal_state": {}}
    texts = {"messages": [{"role": "user", "content": "a"}]}
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "a"}
    stream = ndjson(assistant("Whales swim"), RESULT)
    with refusing():
        answers = [
            alice.post("memories/batch", {"memories": [{"content": BEARS}]}),
            alice.patch(f"memories/{uid}", {"importance": 5}),
            alice.client.delete(f"/api/v1/memories/{uid}"),
            alice.post("sessions", {}),
            alice.client.put(f"/api/v1/sessions/{session}/turns/1", turn),
            alice.post(f"sessions/{session}/messages", texts),
            alice.client.generic(
                "POST", f"/api/v1/sessions/{session}/stream", stream, content_type="application/x-ndjson"
            ),
            alice.post("hooks/claude-code", prompt),
            operator.post("/api/v1/apps", {"app_id": "initech", "name": "x"}),
        ]
    for answer in answers:
        assert assert_problem(answer, 507)["code"] == "storage_full"
    assert (Memory.objects.get().importance, AgentSession.objects.count()) == (3, 1)


def test_who_reads_is_answered(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    uid = alice.remember("Whales sing")["id"]
    # In a transaction, as a test is, what cannot be counted is an error.
    monkeypatch.setattr(access_counters.AccessCounters, "add", lambda *_: None)
    with refusing():
        assert alice.get(f"memories/{uid}").json()["content"] == "Whales sing"
        assert len(alice.get("memories").json()["results"]) == 1
        assert alice.post("memories/search", {"query": "whales"}).json()["results"]
        assert alice.post("context", {"query": "whales"}).json()["memories"]


def test_a_tool_says_it_in_a_sentence(alice: Caller) -> None:
    use(alice, "store", content="Whales sing")
    with refusing():
        answer = refused(alice, "store", content=BEARS)
    assert answer.startswith("The server's disk is full: nothing was stored.")
    assert use(alice, "store", content=BEARS)["outcome"] == "created"


def test_clients_of_mem0_are_told_in_their_way(alice: Caller) -> None:
    alice.remember("Whales sing")
    body = {"messages": [{"role": "user", "content": BEARS}], "user_id": "u", "infer": False}
    with refusing():
        answer = alice.client.post("/compat/mem0/v1/memories/", body)
    assert answer.status_code == 507
    assert "disk is full" in answer.json()["detail"]


# --- pages

FORM = {"content": BEARS, "category": "general", "kind": "fact", "importance": "3", "confidence": "0.9", "subject": ""}


@pytest.fixture
def olga(alice: Caller) -> Client:
    olga = member("olga", alice.app, "owner")
    olga.raise_request_exception = False
    return olga


def sent_again(answer: Any) -> dict[str, str]:
    """What the page's form would send."""
    hidden = {element["name"]: element.get("value", "") for element in elements(answer, "input", type="hidden")}
    texts = {name: BEARS for name in ("content",) if elements(answer, "textarea", name=name)}
    return {name: value for name, value in {**hidden, **texts}.items() if name != "csrfmiddlewaretoken"}


def test_a_form_is_refused_by_a_page_that_keeps_what_was_typed(olga: Client) -> None:
    with refusing():
        answer = olga.post("/memories/add", FORM, headers=PAGE)
    assert (answer.status_code, answer["Retry-After"]) == (507, "60")
    page = answer.content.decode()
    assert "disk is full" in page
    assert BEARS in page
    assert sent_again(answer) == FORM
    assert olga.post("/memories/add", sent_again(answer), headers=PAGE).status_code == 303
    assert Memory.objects.get().content == BEARS


def test_a_dialog_is_told_in_words_that_it_shows(olga: Client) -> None:
    with refusing():
        answer = olga.post("/memories/add", FORM, headers={**PAGE, **HTMX})
    assert "disk is full" in assert_problem(answer, 507)["detail"]


def test_a_form_of_the_admin_keeps_what_was_typed(alice: Caller) -> None:
    sue = sign_in("sue", is_superuser=True, is_staff=True)
    sue.raise_request_exception = False
    form = {**FORM, "app": str(alice.app.pk), "visibility": "app", "tags": "", "metadata": "{}", "_save": "Save"}
    with refusing():
        answer = sue.post("/admin/memories/memory/add/", form, headers=PAGE)
    assert answer.status_code == 507
    assert sent_again(answer)["_save"] == "Save"
    assert sue.post("/admin/memories/memory/add/", sent_again(answer), headers=PAGE).status_code == 302
    assert Memory.objects.get().content == BEARS


def test_a_password_is_not_put_into_a_page(olga: Client) -> None:
    form = {"old_password": "x", "new_password1": "seven-green-bottles", "new_password2": "seven-green-bottles"}
    other = Client(raise_request_exception=False)
    with refusing():
        for answer in (
            other.post("/login", {"username": "olga", "password": "seven-green-bottles"}, headers=PAGE),
            olga.post("/password", form, headers=PAGE),
        ):
            assert "seven-green" not in answer.content.decode()
            assert not elements(answer, "input", name="username")


def test_a_page_of_another_app_is_shown_though_it_cannot_be_remembered(alice: Caller, charlie: Caller) -> None:
    sue = sign_in("sue", is_superuser=True, is_staff=True)
    sue.raise_request_exception = False
    sue.get("/events?app=acme")
    with refusing():
        assert sue.get("/events?app=globex").status_code == 200
    assert sue.get("/events")["Location"] == "/events?app=acme"


def test_what_another_site_sends_is_not_kept_for_sending_it_again(alice: Caller) -> None:
    sue = Client(enforce_csrf_checks=True)
    answer = sue.post("/memories/add", FORM, headers=PAGE)
    assert answer.status_code == 403
    assert BEARS not in answer.content.decode()


def test_what_a_form_would_leave_in_its_session_is_refused_as_the_rest(db: None) -> None:
    def view(request: Any) -> HttpResponse:
        request.session["left"] = "something"
        return HttpResponse()

    session = SessionStore()
    session.create()
    request = RequestFactory().post("/", headers={"Cookie": f"sessionid={session.session_key}"})
    with refusing(), pytest.raises(Unwritable):
        Sessions(view)(request)


class Away:
    """An embedder on a machine that does not answer."""

    name = current_embedder().name
    thresholds = Thresholds(same=0.9, related=0.5, relevant=0.2)
    in_process, known_dim = False, 0

    @property
    def dim(self) -> int:
        raise EmbedderUnavailable("away")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailable("away")

    def embed_query(self, text: str) -> Vectors:
        raise EmbedderUnavailable("away")


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as patch:
        patch.setattr(agent_module, "current_embedder", Away)
        patch.setattr(catalogue, "current_embedder", Away)
        yield patch


def test_everything_goes_on_by_words_and_says_so(alice: Caller, away: pytest.MonkeyPatch) -> None:
    stored = alice.remember("whales sing at night", subject="sea")
    again = alice.post("memories", {"content": "Whales sing at night.", "subject": "sea"})
    assert again.json()["outcome"] == "reinforced"
    assert not Vector.objects.exists()
    body = alice.post("memories/search", {"query": "do whales sing?"}).json()
    assert [hit["id"] for hit in body["results"]] == [stored["id"]]
    assert body["degraded"] == ["vector"]
    assert alice.post("context", {"query": "do whales sing?"}).json()["degraded"] == ["vector"]
    session = alice.start_session()
    assert "whales sing" in session["context"]["text"]
    assert alice.put(f"sessions/{session['id']}/turns/1", {"llm_output": "[MEMORY:timing:sea] 9s"}).status_code == 201
    assert alice.post(f"sessions/{session['id']}/end").json()["pending"] == 1
    assert alice.patch(f"memories/{stored['id']}", {"content": "whales hum"}).status_code == 200


def test_what_was_stored_meanwhile_is_embedded_when_it_is_back(alice: Caller, away: pytest.MonkeyPatch) -> None:
    alice.remember("whales sing at night")
    assert upkeep_embed_missing() == 0, "it is still away"
    away.undo()
    assert upkeep_embed_missing() == 1
    body = alice.post("memories/search", {"query": "whales sing at night", "mode": "vector"}).json()
    assert [hit["content"] for hit in body["results"]] == ["whales sing at night"]
    assert body["degraded"] == []
    assert Memory.objects.count() == Vector.objects.count() == 1
