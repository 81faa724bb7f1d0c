"""The search methods side by side: what fails or is too slow is missed, and the rest still answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import product
from threading import Barrier, Event, current_thread
from time import monotonic, sleep
from typing import Any, NoReturn

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.test.utils import CaptureQueriesContext

from memories.models import Memory
from memories.providers.embeddings import EmbedderError, EmbedderMisconfigured, EmbedderUnavailable, HashEmbedder
from memories.retrieve import pipeline, retrievers
from memories.retrieve.retrievers import fulltext, interrupted_at, run_retrievers
from memsite.tenancy.policy import Ranking
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, search, set_policy, store
from tests.tables import each_row

SHORT_SECONDS = 0.2
LONG_SECONDS = 60.0  # which even a busy machine does not take for what is over after a short time
ERRORS = (DatabaseError("gone"), OperationalError("locked"), EmbedderError("away"), TimeoutError("slow"))


def raising(error: Exception) -> Callable[..., NoReturn]:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise error

    return fail


def no_embedder(monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
    monkeypatch.setattr(HashEmbedder, "embed_query", raising(error or EmbedderUnavailable("away")))


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrievers, "DEADLINE_SECONDS", LONG_SECONDS)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Sets how many threads there are; they end with the test."""
    made: list[ThreadPoolExecutor] = []

    def of(threads: int) -> None:
        made.append(ThreadPoolExecutor(threads))
        monkeypatch.setattr(retrievers, "pool", made[-1])

    of(8)
    yield of
    for item in made:
        item.shutdown(cancel_futures=True)


@pytest.fixture
def stuck() -> Iterator[Callable[[], str]]:
    """An arm that answers when the test is over."""
    over = Event()

    def wait() -> str:
        over.wait(2 * LONG_SECONDS)
        return "late"

    yield wait
    over.set()


# --- in threads


@pytest.mark.usefixtures("pool")
def test_arms_are_asked_at_the_same_time() -> None:
    meet = Barrier(2, timeout=60)
    answers, failed = run_retrievers({"one": meet.wait, "two": meet.wait})
    assert (sorted(answers.values()), failed) == ([0, 1], [])


@pytest.mark.usefixtures("pool")
def test_each_answer_stands_under_the_name_of_its_retriever() -> None:
    requested = {f"arm {n}": (lambda n=n: n * n) for n in range(5)}
    assert run_retrievers(requested) == ({f"arm {n}": n * n for n in range(5)}, [])


@pytest.mark.usefixtures("pool")
def test_a_slow_retriever_is_missed_and_the_rest_still_answers(
    monkeypatch: pytest.MonkeyPatch, stuck: Callable[[], str]
) -> None:
    submit = retrievers.pool.submit

    def quick() -> int:
        return 1

    def begin(*given: Any) -> Future[Any]:
        future = submit(*given)
        if given[-1] is quick:  # however long its thread takes to begin
            future.result(LONG_SECONDS)
        return future

    monkeypatch.setattr(retrievers.pool, "submit", begin)
    answers, failed = run_retrievers({"slow": stuck, "quick": quick, "slow too": stuck}, SHORT_SECONDS)
    assert (answers, failed) == ({"quick": 1}, ["slow", "slow too"])


@pytest.mark.usefixtures("pool")
def test_slow_arms_share_one_deadline(stuck: Callable[[], str]) -> None:
    started = monotonic()
    run_retrievers({str(n): stuck for n in range(1_000)}, SHORT_SECONDS)
    assert monotonic() - started < LONG_SECONDS


@pytest.mark.usefixtures("pool")
def test_an_retriever_alone_is_not_waited_for_either(stuck: Callable[[], str]) -> None:
    assert run_retrievers({"slow": stuck}, SHORT_SECONDS) == ({}, ["slow"])


@pytest.mark.usefixtures("pool")
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_retriever_that_fails_in_its_thread_is_missed(error: Exception) -> None:
    assert run_retrievers({"broken": raising(error), "fine": lambda: 1}) == ({"fine": 1}, ["broken"])


@pytest.mark.usefixtures("pool")
def test_a_mistake_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        run_retrievers({"wrong": lambda: 1 // 0, "fine": lambda: 1})


def test_no_arms_have_no_answers() -> None:
    assert run_retrievers({}) == ({}, [])


def test_arms_that_ask_arms_themselves_get_their_answers_when_threads_are_few(pool: Callable[[int], None]) -> None:
    """As many searches at once as there are threads, each with arms inside."""
    pool(2)
    inner = {"vector": lambda: 1, "fulltext": lambda: 2}
    requested = {str(n): (lambda: run_retrievers(inner, SHORT_SECONDS)) for n in range(2)}
    answers, failed = run_retrievers(requested)
    assert failed == []
    assert [answer for answer in answers.values() if answer[1]] == []


# --- in the thread that asks


@pytest.fixture
def outside(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the test's transaction were none."""
    monkeypatch.setattr(retrievers, "connection", Outside())


class Outside:
    in_atomic_block, vendor = False, "sqlite"

    def __getattr__(self, name: str) -> Any:
        return getattr(connection, name)


ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
LONG_QUERY = ENDLESS.replace("FROM n)", "FROM n WHERE i < 100000)")
"""Long enough for the database to look at the clock."""


def count_for_ever() -> None:
    with connection.cursor() as cursor:
        cursor.execute(ENDLESS)


@pytest.mark.usefixtures("outside", "pool")
def test_arms_that_are_here_are_asked_in_this_thread_while_the_others_wait() -> None:
    here = Event()

    def wait() -> Any:
        return here.wait(LONG_SECONDS) and current_thread()

    def work() -> Any:
        here.set()
        return current_thread()

    answers, failed = run_retrievers({"remote": wait, "local": work}, here={"local"})
    assert failed == []
    assert answers["local"] is current_thread()
    assert answers["remote"] not in (False, current_thread())


@pytest.mark.usefixtures("outside")
def test_a_query_here_ends_at_the_deadline() -> None:
    answers, failed = run_retrievers({"endless": count_for_ever}, SHORT_SECONDS, here={"endless"})
    assert (answers, failed) == ({}, ["endless"])
    with connection.cursor() as cursor:  # and the next one is not held to it
        cursor.execute(LONG_QUERY)
        assert cursor.fetchone() == (100_000,)


@pytest.mark.usefixtures("outside")
def test_nothing_here_begins_after_the_deadline() -> None:
    begun: list[str] = []
    requested = {"endless": count_for_ever, "late": lambda: begun.append("late")}
    assert run_retrievers(requested, SHORT_SECONDS, here=requested.keys()) == ({}, ["endless", "late"])
    assert begun == []


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_retriever_that_fails_here_is_missed_too(error: Exception) -> None:
    requested = {"broken": raising(error), "fine": lambda: 1}
    assert run_retrievers(requested, here=requested.keys()) == ({"fine": 1}, ["broken"])


@pytest.mark.usefixtures("outside")
def test_with_everything_in_process_a_search_needs_no_thread(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    store(alice, "whales sing", tags=["anna"])
    monkeypatch.setattr(retrievers, "pool", None)
    for mode in ("auto", "dual", "tiered"):
        match = search(alice, "what of anna and whales", mode=mode)
        assert (contents(match), match.degraded) == (["whales sing"], [])


@pytest.mark.usefixtures("outside", "pool")
def test_an_embedder_elsewhere_is_waited_for_in_a_thread_and_no_longer_than_the_deadline(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, stuck: Callable[[], str]
) -> None:
    store(alice, "whales sing")
    monkeypatch.setattr(HashEmbedder, "in_process", False)
    monkeypatch.setattr(HashEmbedder, "embed_query", lambda *_: stuck())
    wait_for = retrievers.wait_for

    def wait_at_the_end(future: Future[Any], deadline: float) -> Any:
        """The deadline is near once the other arm has answered, however long that took."""
        assert deadline <= monotonic() + LONG_SECONDS
        monkeypatch.setattr(retrievers, "monotonic", lambda: deadline - SHORT_SECONDS)
        return wait_for(future, deadline)

    monkeypatch.setattr(retrievers, "wait_for", wait_at_the_end)
    match = search(alice, "whales sing")
    assert (contents(match), match.degraded) == (["whales sing"], ["vector"])


# --- within a transaction, as in most tests


def test_inside_a_transaction_arms_see_what_it_wrote(db: None) -> None:
    threads, _ = run_retrievers({"one": current_thread, "two": current_thread})
    assert set(threads.values()) == {current_thread()}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_inside_a_transaction_a_failing_retriever_is_missed_too(db: None, error: Exception) -> None:
    assert run_retrievers({"broken": raising(error), "fine": lambda: 1}) == ({"fine": 1}, ["broken"])


def test_inside_a_transaction_what_the_database_refuses_ends_that_retriever_alone(alice: Caller) -> None:
    def ask_nonsense() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM nowhere")

    answers, failed = run_retrievers({"broken": ask_nonsense, "fine": Memory.objects.count})
    assert (answers, failed) == ({"fine": 0}, ["broken"])


@pytest.mark.sqlite("it looks at the clock while a query runs")
def test_inside_a_transaction_what_comes_after_a_deadline_is_not_held_to_it(db: None) -> None:
    deadline = monotonic() + SHORT_SECONDS
    with interrupted_at(deadline), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    while monotonic() <= deadline:
        sleep(0.01)
    with connection.cursor() as cursor:
        cursor.execute(LONG_QUERY)
        assert cursor.fetchone() == (100_000,)


def statement_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return str(cursor.fetchone()[0])


@pytest.mark.postgres("it is told how long each statement may take")
def test_inside_a_transaction_the_time_of_a_statement_is_afterwards_as_before(db: None) -> None:
    before = statement_timeout()
    with interrupted_at(monotonic() + LONG_SECONDS):
        assert statement_timeout() != before
    assert statement_timeout() == before


def test_an_retriever_that_asks_the_database_nothing_costs_it_nothing(db: None) -> None:
    with CaptureQueriesContext(connection) as requested, interrupted_at(monotonic() + SHORT_SECONDS):
        pass
    assert list(requested) == []


# --- through the search


def test_without_the_full_text_index_meaning_still_answers(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    store(alice, "whales sing")
    monkeypatch.setattr(fulltext, "holders", raising(DatabaseError("fts5 is gone")))
    match = search(alice, "whales sing")
    assert (contents(match), match.degraded) == (["whales sing"], ["fulltext"])


@each_row(
    "error, ranking",
    list(product([EmbedderUnavailable("away"), EmbedderMisconfigured("no key"), TimeoutError()], Ranking.values)),
    rolled_back=True,
)
def test_whatever_the_ranking_words_answer_without_the_embedder(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, ranking: str, error: Exception
) -> None:
    set_policy(alice, ranking=ranking)
    store(alice, "whales sing")
    no_embedder(monkeypatch, error)
    match = search(alice, "whales")
    assert (contents(match), match.degraded) == (["whales sing"], ["vector"])


def test_without_the_embedder_the_graph_still_answers_in_dual_mode(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(alice, "takes a minute", tags=["anna"])
    no_embedder(monkeypatch)
    match = search(alice, "what of anna", mode="dual")
    assert (contents(match), match.degraded) == (["takes a minute"], ["vector"])


def test_without_the_graph_meaning_still_answers_in_dual_mode(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    store(alice, "whales sing")
    monkeypatch.setattr(pipeline, "graph_proximity", raising(DatabaseError("gone")))
    match = search(alice, "whales sing", mode="dual")
    assert (contents(match), match.degraded) == (["whales sing"], ["graph"])
    assert match.hits[0].parts == {"meaning": pytest.approx(0.5)}


def test_all_arms_down_is_an_empty_answer_that_says_so(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    store(alice, "whales sing")
    no_embedder(monkeypatch)
    monkeypatch.setattr(fulltext, "holders", raising(DatabaseError("gone")))
    monkeypatch.setattr(pipeline, "graph_proximity", raising(DatabaseError("gone")))
    for mode, arms_of_it in {
        "auto": ["vector", "fulltext"],
        "tiered": ["vector", "fulltext"],
        "dual": ["vector", "fulltext", "graph"],
        "vector": ["vector"],
        "fulltext": ["fulltext"],
        "graph": ["graph"],
    }.items():
        answer = alice.post("memories/search", {"query": "whales sing", "mode": mode})
        assert answer.status_code == 200, (mode, answer.content)
        body = answer.json()
        assert (body["results"], body["degraded"], body["tier_answered"], body["next"]) == (
            [],
            arms_of_it,
            "none",
            None,
        )


def test_summaries_that_cannot_be_read_leave_the_answer_to_the_items(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(alice, "whales sing")
    monkeypatch.setattr(pipeline, "summary_answers", raising(DatabaseError("gone")))
    body = alice.post("memories/search", {"query": "whales sing", "mode": "tiered"}).json()
    assert ([hit["content"] for hit in body["results"]], body["tier_answered"]) == (["whales sing"], "items")


def test_an_retriever_back_again_is_asked_again(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    store(alice, "whales sing")
    with monkeypatch.context() as patched:
        no_embedder(patched)
        assert search(alice, "whales sing").degraded == ["vector"]
    assert search(alice, "whales sing").degraded == []
