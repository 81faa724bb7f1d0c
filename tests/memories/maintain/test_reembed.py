"""Another embedder: the old vectors serve until there are new ones of everything, and the two are never compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.utils import timezone

from memories import jobs as catalogue
from memories.index import app_embedder
from memories.index.app_embedder import embedder_called, is_partial, serving_embedder
from memories.maintain import embedding
from memories.maintain import embedding as reembedding
from memories.maintain.embedding import apps_to_reembed, apps_with_backlog, embed_backlog, note_embedded, reembed
from memories.models import Memory, Passage, Rejection, RejectionKind, Summary, Vector
from memories.models.vector import to_bytes
from memories.providers.embeddings import (
    EmbedderMisconfigured,
    EmbedderSettings,
    EmbedderUnavailable,
    HashEmbedder,
    Vectors,
    make_embedder,
)
from memories.retrieve.pipeline import dimension, indexes
from memories.services import MemoryAgent
from memories.services import base as agent_module
from memories.store import writing
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from sessions.models import AgentSession
from tests.conftest import Caller, fresh_caller, make_app, make_caller
from tests.shared_data import module_fixture
from tests.upkeep import upkeep_embed_missing

OLD = "hash-64"
TEXTS = ("whales sing at night", "bears sleep in winter", "cats purr when content", "owls hunt mice", "bees dance")


class NewEmbedder(HashEmbedder):
    """Notes what it is asked. `meanwhile` happens once, while it is at work."""

    known_dim = 128

    def __init__(self) -> None:
        super().__init__(128)
        self.texts: list[str] = []
        self.questions: list[str] = []
        self.meanwhile: Callable[[], object] | None = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        self.questions.append(text)
        return super().embed_documents([text])[0]  # type: ignore[no-any-return]


class Stopped(Exception):
    pass


class Stopping(Unclaimed):
    """A run that is taken away at its nth batch."""

    batches: int = 0

    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        self.batches -= 1
        if not self.batches:
            raise Stopped
        super().done(counts, **cursor)


@pytest.fixture
def new(monkeypatch: pytest.MonkeyPatch) -> NewEmbedder:
    """The operator has changed the settings: this is what they name."""
    embedder = NewEmbedder()
    monkeypatch.setattr(embedding, "BATCH", 2)
    monkeypatch.setattr(reembedding, "DROPPED_AT_ONCE", 2)
    return embedder


def build_known() -> Caller:
    alice = make_caller(make_app("acme"), "alice")
    for text in TEXTS:
        alice.remember(text)
    return alice


built = module_fixture(build_known)


@pytest.fixture
def known(built: Caller, db: None) -> Caller:
    """An agent whose app has a vector of each text, by the embedder before."""
    return fresh_caller(built)


@pytest.fixture
def changed(known: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """The agents' callers have the new settings as well."""
    monkeypatch.setattr(agent_module, "current_embedder", lambda: new)
    return known


def unclaimed() -> Unclaimed:
    return Unclaimed(until=timezone.now())


def stopping_at(batch: int) -> Stopping:
    run = Stopping(until=timezone.now())
    run.batches = batch
    return run


def change(app: App, embedder: Any, run: Unclaimed | None = None) -> Unclaimed:
    run = run or unclaimed()
    reembed(app, timezone.now(), run, embedder)
    return run


def models_of(app: App) -> dict[str, int]:
    rows = list(Vector.objects.for_app(app).values_list("model", flat=True))
    return {model: rows.count(model) for model in sorted(set(rows))}


def search(caller: Caller, query: str, mode: str = "vector") -> list[str]:
    """The best of what is found, and nothing was missed."""
    answer = caller.post("memories/search", {"query": query, "mode": mode}).json()
    assert answer["degraded"] == []
    return [hit["content"] for hit in answer["results"]][:1]


def serving_model(app: App) -> str:
    return App.objects.get(pk=app.pk).vector_model


# --- who serves


def test_the_first_vector_decides_who_serves(charlie: Caller) -> None:
    assert serving_model(charlie.app) == ""
    charlie.remember("whales sing")
    assert serving_model(charlie.app) == OLD


def test_searches_go_on_as_before_until_there_are_new_vectors_of_everything(changed: Caller, new: NewEmbedder) -> None:
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(3))
    assert models_of(changed.app) == {OLD: 5, new.name: 4}
    assert serving_model(changed.app) == OLD
    assert [search(changed, text) for text in TEXTS] == [[text] for text in TEXTS]
    assert new.questions == []


def test_then_the_new_ones_serve_and_the_old_ones_are_gone(changed: Caller, new: NewEmbedder) -> None:
    run = change(changed.app, new)
    assert run.counts == {"embedded": 5, "switched": 1, "dropped": 5, "bytes_dropped": 5 * 64 * 4}
    assert serving_model(changed.app) == new.name
    assert models_of(changed.app) == {new.name: 5}
    assert [search(changed, text) for text in TEXTS] == [[text] for text in TEXTS]
    assert new.questions == list(TEXTS)


def test_what_is_written_during_the_change_is_found_at_once_and_in_the_new_set(
    changed: Caller, new: NewEmbedder
) -> None:
    def meanwhile() -> None:
        changed.remember("wolves howl")
        assert search(changed, "wolves howl") == ["wolves howl"]

    new.meanwhile = meanwhile
    assert change(changed.app, new).counts["embedded"] == 6
    assert models_of(changed.app) == {new.name: 6}
    assert search(changed, "wolves howl") == ["wolves howl"]


def test_what_was_edited_while_it_was_embedded_is_embedded_again(changed: Caller, new: NewEmbedder) -> None:
    first = changed.get("memories", limit=50).json()["results"][-1]
    new.meanwhile = lambda: changed.patch(f"memories/{first['id']}", {"content": "dolphins whistle"})
    change(changed.app, new)
    assert models_of(changed.app) == {new.name: 5}
    assert search(changed, "dolphins whistle") == ["dolphins whistle"]
    assert search(changed, "whales sing at night") != ["whales sing at night"]


def test_what_is_written_after_the_last_batch_stops_the_switch(
    changed: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    switched: list[bool] = []
    switch = reembedding.switch

    def late(*arguments: Any, **more: Any) -> bool:
        if not switched:
            changed.remember("wolves howl")
        switched.append(switch(*arguments, **more))
        return switched[-1]

    monkeypatch.setattr(reembedding, "switch", late)
    change(changed.app, new)
    assert switched == [False, True]
    assert models_of(changed.app) == {new.name: 6}


def test_what_is_stored_after_the_switch_has_only_the_new_vector(changed: Caller, new: NewEmbedder) -> None:
    change(changed.app, new)
    changed.remember("wolves howl")
    assert models_of(changed.app) == {new.name: 6}


# --- stopped, killed, run again


@pytest.mark.parametrize("batch", range(1, 8))
def test_wherever_it_is_stopped_the_next_run_makes_up_for_it(changed: Caller, new: NewEmbedder, batch: int) -> None:
    run = stopping_at(batch)
    with pytest.raises(Stopped):
        change(changed.app, new, run)
    rest = Unclaimed(until=run.until, cursor=run.cursor, counts=run.counts)
    change(changed.app, new, rest)
    assert rest.counts["embedded"] == rest.counts["dropped"] == 5
    assert serving_model(changed.app) == new.name
    assert models_of(changed.app) == {new.name: 5}


def test_no_text_is_embedded_twice_when_it_is_run_again(changed: Caller, new: NewEmbedder) -> None:
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(4))  # the switch
    change(changed.app, new)
    change(changed.app, new)
    assert sorted(new.texts) == sorted(TEXTS)


def test_a_stop_at_the_switch_leaves_the_old_ones_serving(changed: Caller, new: NewEmbedder) -> None:
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(4))
    assert models_of(changed.app) == {OLD: 5, new.name: 5}
    assert serving_model(changed.app) == OLD


def test_the_operator_may_change_his_mind(changed: Caller, new: NewEmbedder) -> None:
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(3))
    run = change(changed.app, HashEmbedder())
    assert run.counts == {"switched": 0, "dropped": 4, "bytes_dropped": 4 * 128 * 4}
    assert models_of(changed.app) == {OLD: 5}


def test_while_the_new_embedder_is_away_nothing_changes(changed: Caller, new: NewEmbedder) -> None:
    def away(*_: object) -> Vectors:
        raise EmbedderUnavailable("away")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NewEmbedder, "embed_documents", away)
        patch.setattr(NewEmbedder, "embed_query", away)
        run = change(changed.app, new)
    assert run.counts == {}
    assert serving_model(changed.app) == OLD
    assert is_partial(App.objects.get(pk=changed.app.pk), new)


def test_other_apps_are_not_touched(changed: Caller, charlie: Caller, new: NewEmbedder) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent_module, "current_embedder", HashEmbedder)
        charlie.remember("foxes bark")
    change(changed.app, new)
    assert models_of(charlie.app) == {OLD: 1}
    assert search(charlie, "foxes bark") == ["foxes bark"]


def test_nothing_to_change_is_told_apart(known: Caller, new: NewEmbedder) -> None:
    app = App.objects.get(pk=known.app.pk)
    assert not is_partial(app, HashEmbedder())
    assert is_partial(app, new)
    assert not is_partial(App(app_id="empty"), new)


def test_a_run_without_a_change_finds_what_has_no_vector(known: Caller) -> None:
    Vector.objects.filter(memory__content=TEXTS[1]).delete()
    run = change(known.app, HashEmbedder())
    assert run.counts == {"embedded": 1, "switched": 0}
    assert models_of(known.app) == {OLD: 5}


# --- the embedder before


@pytest.fixture
def lost(changed: Caller) -> Caller:
    """What has served the app so far can be made by no settings."""
    App.objects.update(vector_model="ollama/gone")
    Vector.objects.update(model="ollama/gone")
    return changed


def test_without_the_embedder_before_the_new_one_serves_at_once(lost: Caller, new: NewEmbedder) -> None:
    answer = lost.post("memories/search", {"query": "do whales sing?"}).json()
    assert [hit["content"] for hit in answer["results"]] == ["whales sing at night"]
    assert answer["degraded"] == ["vector"]
    embed_backlog(lost.app, timezone.now(), unclaimed(), new)
    assert serving_model(lost.app) == new.name
    answer = lost.post("memories/search", {"query": "do whales sing?"}).json()
    assert [hit["content"] for hit in answer["results"]] == ["whales sing at night"]
    assert answer["degraded"] == ["vector"]


def test_the_server_says_so_until_all_have_new_vectors(lost: Caller, new: NewEmbedder, client: Client) -> None:
    assert client.get("/readyz").json()["degraded"] == []
    with pytest.raises(Stopped):
        change(lost.app, new, stopping_at(3))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["degraded"]) == (200, ["vectors"])
    assert is_partial(App.objects.get(pk=lost.app.pk), new)
    change(lost.app, new)
    assert client.get("/readyz").json()["degraded"] == []
    assert models_of(lost.app) == {new.name: 5}
    assert [search(lost, text) for text in TEXTS] == [[text] for text in TEXTS]


def test_one_that_will_never_answer_again_is_as_good_as_gone(
    changed: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, text: str) -> Vectors:
        raise EmbedderMisconfigured("404: no such model")

    monkeypatch.setattr(HashEmbedder, "embed_query", refuse)
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(2))
    assert serving_model(changed.app) == new.name


def test_one_that_is_away_for_a_while_goes_on_serving(
    changed: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(self: object, text: str) -> Vectors:
        raise EmbedderUnavailable("away")

    monkeypatch.setattr(HashEmbedder, "embed_query", away)
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(2))
    assert serving_model(changed.app) == OLD


def test_the_embedder_before_is_found_by_its_settings(settings: Any) -> None:
    current = HashEmbedder(32)
    assert embedder_called("openai/small", current) is None
    settings.MEMSITE = replace(settings.MEMSITE, previous_embedder="openai", previous_embedder_model="small")
    before = embedder_called("openai/small", current)
    assert before is not None
    assert before is make_embedder(EmbedderSettings("openai", model="small"))


def test_another_model_at_the_same_service_needs_no_further_setting(settings: Any) -> None:
    settings.MEMSITE = replace(
        settings.MEMSITE, embedder="ollama", embedder_url="http://127.0.0.1:9", embedder_model="b"
    )
    before = embedder_called("ollama/a", make_embedder(settings.MEMSITE.embedder_settings))
    assert before is make_embedder(EmbedderSettings("ollama", "http://127.0.0.1:9", "a"))
    assert embedder_called("openai/a", HashEmbedder()) is None


@pytest.mark.parametrize("kind", ["minilm", "multilingual"])
def test_what_comes_as_a_package_needs_no_setting_at_all(kind: Any) -> None:
    packaged = make_embedder(EmbedderSettings(kind))
    assert embedder_called(packaged.name, HashEmbedder()) is packaged


def test_settings_that_cannot_work_hide_no_others(settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, previous_embedder="ollama", previous_embedder_url="not a URL")
    assert embedder_called(OLD, HashEmbedder(32)) is not None


def test_that_it_is_gone_is_logged_once(lost: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    answer: list[str] = []
    app_embedder.warn_gone.cache_clear()
    monkeypatch.setattr(app_embedder.log, "warning", lambda event, **_: answer.append(event))
    app = App.objects.get(pk=lost.app.pk)
    assert [serving_embedder(app, new) for _ in range(3)] == [new] * 3
    assert answer == ["serving_embedder_gone"]


# --- passages of summaries


@pytest.fixture
def passage(known: Caller) -> Passage:
    memory = Memory.objects.get(content=TEXTS[0])
    summary = Summary.objects.create(app=known.app, category="general", content="- Whales sing.", made_by="rules")
    data = to_bytes(HashEmbedder().embed_documents(["Whales sing"])[0])
    return Passage.objects.create(
        app=known.app, summary=summary, memory=memory, text="Whales sing", model=OLD, data=data
    )


def test_passages_change_with_the_memories(passage: Passage, changed: Caller, new: NewEmbedder) -> None:
    before = bytes(passage.data or b"")
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(5))
    passage.refresh_from_db()
    assert (passage.model, bytes(passage.data or b"")) == (OLD, before)
    assert passage.next_model == new.name
    assert search(changed, "whales sing", mode="tiered") == [TEXTS[0]]
    change(changed.app, new)
    passage.refresh_from_db()
    assert (passage.model, passage.next_model, passage.next_data) == (new.name, "", None)
    assert bytes(passage.data or b"") == to_bytes(new.embed_documents(["Whales sing"])[0])
    assert search(changed, "whales sing", mode="tiered") == [TEXTS[0]]


def test_a_passage_without_a_vector_gets_one(passage: Passage, known: Caller) -> None:
    Passage.objects.update(model="", data=None)
    assert change(known.app, HashEmbedder()).counts["passages"] == 1
    passage.refresh_from_db()
    assert (passage.model, passage.next_model) == (OLD, "")
    assert passage.data


def test_of_an_embedder_that_did_not_come_nothing_stays_with_them(
    passage: Passage, changed: Caller, new: NewEmbedder
) -> None:
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(5))
    change(changed.app, HashEmbedder())
    passage.refresh_from_db()
    assert (passage.model, passage.next_model, passage.next_data) == (OLD, "", None)


# --- whoever holds vectors in memory


def test_processes_keep_no_index_of_the_embedder_before(changed: Caller, new: NewEmbedder) -> None:
    search(changed, TEXTS[0])
    assert [model for _, model, _ in indexes.by_key] == [OLD]
    change(changed.app, new)
    search(changed, TEXTS[0])
    assert [model for _, model, _ in indexes.by_key] == [new.name]


def test_vectors_to_come_are_no_change_for_the_index(changed: Caller, new: NewEmbedder) -> None:
    search(changed, TEXTS[0])
    with pytest.raises(Stopped):
        change(changed.app, new, stopping_at(3))
    search(changed, TEXTS[0])
    [index] = indexes.by_key.values()
    assert index.size == len(TEXTS)


def test_a_stream_that_lasts_longer_than_the_change_goes_on_with_the_new_embedder(
    changed: Caller, new: NewEmbedder
) -> None:
    session = changed.start_session()["id"]
    app = App.objects.select_related("policy").get(pk=changed.app.pk)
    caller = MemoryAgent(app, changed.agent, "agent:alice")
    reader = caller.capture_stream(AgentSession.objects.get(uid=session))

    def chunks() -> Iterator[bytes]:
        yield line("one", "[MEMORY:timing:dns] Takes 5s")
        change(changed.app, new)
        yield line("two", "[MEMORY:timing:ntp] Takes 9s")

    reader.run(chunks())
    assert models_of(changed.app) == {new.name: 7}


def line(name: str, text: str) -> bytes:
    batch_line = {"id": name, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "assistant", "message": batch_line, "parent_tool_use_id": None}).encode() + b"\n"


def test_an_app_that_shares_is_searched_by_its_own_embedder(
    changed: Caller, charlie: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for caller in (changed, charlie):
        caller.app.policy.share_memories = True
        caller.app.policy.save()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent_module, "current_embedder", HashEmbedder)
        charlie.remember("foxes bark", visibility="shared")
    change(changed.app, new)
    body = {"query": "foxes bark", "mode": "vector", "scope": "shared"}
    assert [hit["content"] for hit in changed.post("memories/search", body).json()["results"]] == ["foxes bark"]
    assert [hit["shared_by"] for hit in changed.post("memories/search", body).json()["results"]] == ["globex"]


# --- the sweep


def test_the_sweep_gives_what_was_stored_meanwhile_the_vector_of_who_serves(changed: Caller, new: NewEmbedder) -> None:
    changed.remember("wolves howl")
    Vector.objects.filter(memory__content="wolves howl").delete()
    run = unclaimed()
    embed_backlog(changed.app, timezone.now(), run, new)
    assert run.counts == {"embedded": 1}
    assert models_of(changed.app) == {OLD: 6}


def test_the_sweep_looks_at_nothing_twice(known: Caller, django_assert_num_queries: Any) -> None:
    embed_backlog(known.app, timezone.now(), unclaimed(), HashEmbedder())
    with django_assert_num_queries(1):
        embed_backlog(known.app, timezone.now(), unclaimed(), HashEmbedder())
    known.remember("wolves howl")
    Vector.objects.all().delete()
    run = unclaimed()
    embed_backlog(known.app, timezone.now(), run, HashEmbedder())
    assert run.counts == {"embedded": 1}


def test_a_sweep_that_was_stopped_goes_on_where_it_was(known: Caller, new: NewEmbedder) -> None:
    Vector.objects.all().delete()
    run = stopping_at(2)
    with pytest.raises(Stopped):
        embed_backlog(known.app, timezone.now(), run, HashEmbedder())
    assert models_of(known.app) == {OLD: 2}
    rest = Unclaimed(until=run.until, cursor=run.cursor, counts=run.counts)
    embed_backlog(known.app, timezone.now(), rest, HashEmbedder())
    assert rest.counts["embedded"] == 5
    app = App.objects.get(pk=known.app.pk)
    run = unclaimed()
    embed_backlog(app, timezone.now(), run, HashEmbedder())
    assert run.counts == {}


def test_the_jobs_do_both(changed: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "current_embedder", lambda: new)
    assert upkeep_embed_missing() == 5
    assert serving_model(changed.app) == new.name
    assert upkeep_embed_missing() == 0


def test_apps_with_something_to_do_are_found_by_one_query(
    known: Caller, charlie: Caller, new: NewEmbedder, django_assert_num_queries: Any
) -> None:
    Vector.objects.filter(app=known.app).delete()
    with django_assert_num_queries(2):
        assert [app.app_id for app in apps_to_reembed(new)] == ["acme"]
        assert apps_with_backlog() == [known.app.pk]
    embed_backlog(known.app, timezone.now(), unclaimed(), HashEmbedder())
    assert apps_with_backlog() == []
    change(known.app, new)
    assert list(apps_to_reembed(new)) == []


def test_writes_that_bring_their_vectors_set_nothing_going(
    known: Caller, charlie: Caller, django_assert_num_queries: Any
) -> None:
    """Else each app that is written to costs a run a minute, and thousands of them more than a minute has."""
    charlie.remember("foxes bark")
    assert apps_with_backlog() == []
    with django_assert_num_queries(1):
        assert apps_with_backlog() == []
    known.remember("wolves howl")
    Vector.objects.filter(memory__content="wolves howl").delete()
    charlie.remember("foxes dig")
    assert apps_with_backlog() == [known.app.pk]
    assert [app.app_id for app in App.objects.filter(change_number=F("embedded_to"))] == ["globex"]


def test_what_is_noted_of_an_app_that_changed_hands_meanwhile_is_void(known: Caller, new: NewEmbedder) -> None:
    seen = App.objects.get(pk=known.app.pk)
    with writing(known.app, "system:test", timezone.now()) as write:
        write.serve(new.name, complete=False)
    note_embedded(seen, OLD)
    assert App.objects.get(pk=known.app.pk).embedded_to == 0


# --- another model under the name of the one before


def refusing(*_: Any) -> Any:
    raise EmbedderMisconfigured("answered with 128 dimensions after 64: was the model replaced?")


@pytest.fixture
def replaced(known: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch) -> NewEmbedder:
    """Whoever serves it, has put another one in its place, and the server was started anew."""
    new.name, new.in_process = OLD, False
    new.known_dim = 0
    monkeypatch.setattr(agent_module, "current_embedder", lambda: new)
    monkeypatch.setattr(catalogue, "current_embedder", lambda: new)
    return new


def test_vectors_of_another_length_are_compared_with_no_question(known: Caller, replaced: NewEmbedder) -> None:
    for _ in "as it was told, and as it is known since":
        answer = known.post("memories/search", {"query": TEXTS[0]})
        assert answer.status_code == 200, answer.content
        assert answer.json()["results"][0]["content"] == TEXTS[0]
    known.post("context", {"query": TEXTS[0]})
    assert known.post("memories/search", {"query": TEXTS[0]}).json()["degraded"] == ["vector"]
    replaced.known_dim = replaced.dim
    assert known.post("memories", {"content": "Whales sing at noon"}).status_code == 201
    assert known.post("memories/search", {"query": "whales at noon"}).status_code == 200


def test_they_are_made_anew_as_soon_as_it_is_known(known: Caller, replaced: NewEmbedder) -> None:
    assert list(apps_to_reembed(replaced)) == []
    replaced.known_dim = replaced.dim
    known.remember("owls see in the dark")
    assert list(apps_to_reembed(replaced)) == [known.app]
    run = change(known.app, replaced)
    assert run.counts == {"switched": 1, "dropped": 5, "bytes_dropped": 5 * 64 * 4, "embedded": 5}
    assert set(Vector.objects.for_app(known.app).values_list("model", "dim")) == {(OLD, 128)}
    assert [search(known, text) for text in TEXTS] == [[text] for text in TEXTS]
    assert list(apps_to_reembed(replaced)) == []


@pytest.mark.parametrize("answers", [True, False])
def test_the_job_asks_the_service_which_model_it_has_now(
    known: Caller, replaced: NewEmbedder, answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a worker that had nothing to embed since it was started."""

    def dim(embedder: NewEmbedder) -> int:
        if not answers:
            raise EmbedderUnavailable("nobody there")
        embedder.known_dim = 128
        return 128

    monkeypatch.setattr(NewEmbedder, "dim", property(dim, lambda *_: None), raising=False)
    assert list(catalogue.Reembedding().waiting(timezone.now())) == [known.app.pk] * answers


def test_a_service_that_is_away_is_not_asked_each_minute(
    known: Caller, replaced: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[datetime] = []
    job, began = catalogue.Reembedding(), timezone.now()

    def dim(embedder: NewEmbedder) -> int:
        requests.append(now)
        raise EmbedderUnavailable("nobody there")

    monkeypatch.setattr(NewEmbedder, "dim", property(dim, lambda *_: None), raising=False)
    for minute in range(7):
        now = began + timedelta(minutes=minute)
        assert list(job.waiting(now)) == []
    assert requests == [began, began + timedelta(minutes=5)]


def test_apps_without_a_vector_are_left_alone(known: Caller, charlie: Caller, replaced: NewEmbedder) -> None:
    replaced.known_dim = replaced.dim
    Vector.objects.all().delete()
    assert list(apps_to_reembed(replaced)) == []


@pytest.mark.parametrize("which", [0, 2, 4])
def test_whichever_was_edited_since_all_others_are_made_anew(known: Caller, replaced: NewEmbedder, which: int) -> None:
    replaced.known_dim = replaced.dim
    memory = Memory.objects.for_app(known.app).order_by("pk")[which]
    assert known.patch(f"memories/{memory.uid}", {"subject": "sea"}).status_code == 200
    assert list(apps_to_reembed(replaced)) == [known.app]
    assert change(known.app, replaced).counts["dropped"] == 4
    assert list(Vector.objects.for_app(known.app).values_list("dim", flat=True)) == [128] * 5


def test_what_is_edited_while_they_go_keeps_no_other_from_going(known: Caller, replaced: NewEmbedder) -> None:
    replaced.known_dim = replaced.dim
    with pytest.raises(Stopped):
        change(known.app, replaced, stopping_at(4))
    first = Memory.objects.for_app(known.app).order_by("pk")[0]
    assert known.patch(f"memories/{first.uid}", {"subject": "sea"}).status_code == 200
    change(known.app, replaced)
    assert list(Vector.objects.for_app(known.app).values_list("dim", flat=True)) == [128] * 5


def test_passages_are_made_anew_with_them(passage: Passage, known: Caller, replaced: NewEmbedder) -> None:
    replaced.known_dim = replaced.dim
    Passage.objects.update(next_model=OLD, next_data=b"\0" * 12)
    assert change(known.app, replaced).counts["passages"] == 1
    passage.refresh_from_db()
    assert (passage.model, passage.next_model, passage.next_data) == (OLD, "", None)
    assert bytes(passage.data or b"") == to_bytes(replaced.embed_documents(["Whales sing"])[0])
    assert search(known, "whales sing", mode="tiered") == [TEXTS[0]]


def test_a_process_from_before_judges_nobody(
    known: Caller, replaced: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its service answers with vectors of another length than it knows: it gets none."""
    replaced.known_dim = replaced.dim
    change(known.app, replaced)
    before = HashEmbedder()
    monkeypatch.setattr(before, "in_process", False)
    monkeypatch.setattr(before, "embed_documents", refusing)
    monkeypatch.setattr(before, "embed_query", refusing)
    assert +change(known.app, before).counts == {}
    assert list(Vector.objects.for_app(known.app).values_list("dim", flat=True)) == [128] * 5


@pytest.mark.parametrize("error", [EmbedderMisconfigured, EmbedderUnavailable])
def test_nobody_else_says_that_all_is_there_while_they_go(
    known: Caller, replaced: NewEmbedder, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process from before, or one that cannot ask now."""
    replaced.known_dim = replaced.dim
    with monkeypatch.context() as once:
        once.setattr(reembedding, "drop", refusing)
        with pytest.raises(EmbedderMisconfigured):
            change(known.app, replaced)

    def refuse(*_: Any) -> Any:
        raise error("no vectors for you")

    other = HashEmbedder(64 if error is EmbedderMisconfigured else 128)
    monkeypatch.setattr(other, "name", OLD)
    monkeypatch.setattr(other, "in_process", False)
    monkeypatch.setattr(other, "embed_documents", refuse)
    monkeypatch.setattr(other, "embed_query", refuse)
    change(known.app, other)
    assert App.objects.get(pk=known.app.pk).vectors_lost
    change(known.app, replaced)
    assert not App.objects.get(pk=known.app.pk).vectors_lost
    assert list(Vector.objects.for_app(known.app).values_list("dim", flat=True)) == [128] * 5


def test_while_nobody_can_tell_how_long_they_are_nothing_is_said_to_be_there(
    known: Caller, replaced: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    App.objects.update(vectors_lost=True)

    def dim(embedder: NewEmbedder) -> int:
        raise EmbedderUnavailable("nobody there")

    with monkeypatch.context() as away:
        away.setattr(NewEmbedder, "dim", property(dim, lambda *_: None), raising=False)
        change(known.app, replaced)
    assert App.objects.get(pk=known.app.pk).vectors_lost
    assert models_of(known.app) == {OLD: 5}


def test_a_run_that_was_broken_off_begins_anew_with_another_model(known: Caller, replaced: NewEmbedder) -> None:
    replaced.known_dim = replaced.dim
    run = unclaimed()
    run.done({}, model=OLD, place=(10**9, 0))
    assert change(known.app, replaced, run).counts["embedded"] == 5


def test_until_then_the_server_says_so(known: Caller, replaced: NewEmbedder) -> None:
    replaced.known_dim = replaced.dim
    with pytest.raises(Stopped):
        change(known.app, replaced, stopping_at(4))
    assert known.post("memories/search", {"query": TEXTS[0]}).json()["degraded"] == ["vector"]
    change(known.app, replaced)
    assert [search(known, text) for text in TEXTS] == [[text] for text in TEXTS]


def test_of_a_model_that_does_not_serve_yet_they_go_and_the_old_ones_serve(
    changed: Caller, new: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    new.in_process = False
    memory = Memory.objects.for_app(changed.app).first()
    Vector.objects.create(app=changed.app, memory=memory, model=new.name, dim=3, data=b"\0" * 12)
    with monkeypatch.context() as once:
        once.setattr(reembedding, "complete", lambda *_: False)
        change(changed.app, new)
    assert serving_model(changed.app) == OLD
    assert models_of(changed.app) == {OLD: 5}
    change(changed.app, new)
    assert set(Vector.objects.for_app(changed.app).values_list("model", "dim")) == {(new.name, 128)}


def test_no_search_waits_for_a_service_to_tell_how_long_its_vectors_are(
    known: Caller, replaced: NewEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[str] = []
    monkeypatch.setattr(NewEmbedder, "dim", property(lambda _: requests.append("dim") or 128), raising=False)
    assert serving_embedder(known.app, replaced) is replaced
    assert dimension(known.app, replaced) == 64
    Vector.objects.for_app(known.app).delete()
    assert dimension(known.app, replaced) == 1
    replaced.known_dim = 128
    assert dimension(known.app, replaced) == 128
    assert requests == []


# --- edited by two at once


@pytest.mark.parametrize("interface", ["edit", "approve"])
def test_a_vector_is_of_the_words_that_are_stored_whoever_else_edits(
    changed: Caller, new: NewEmbedder, interface: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "current_embedder", lambda: new)
    memory = Memory.objects.for_app(changed.app).get(content=TEXTS[1])
    change(changed.app, new)
    agent = MemoryAgent(App.objects.select_related("policy").get(pk=changed.app.pk), None, "operator:olga")
    path = f"memories/{memory.uid}"

    def meanwhile() -> None:
        assert changed.patch(path, {"content": "bears eat honey"}).status_code == 200

    new.meanwhile = meanwhile
    if interface == "edit":
        agent.edit(memory, {"subject": "food"})
    else:
        stored = Rejection.objects.create(
            app=changed.app, kind=RejectionKind.APPROVAL, content=memory.text, edits=memory,
            candidate={"subject": "food"},
        )  # fmt: skip
        agent.overrule(stored)
    memory.refresh_from_db()
    assert (memory.content, memory.subject) == ("bears eat honey", "food")
    assert not memory.vectors.exists()
    assert upkeep_embed_missing() == 1
    answer = memory.vectors.get().data
    assert bytes(answer) == to_bytes(new.embed_documents(["food: bears eat honey"])[0])
