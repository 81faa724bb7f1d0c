"""`/context`: a block for the prompt, with or without a question."""

import re
from typing import Any
from uuid import uuid4

import pytest

from memories.models import Injection, Memory
from tests.api.checks import MEMORY_FIELDS, assert_problem
from tests.conftest import Caller, make_app, make_caller

ANSWER = {"text", "tokens", "included", "total", "memories", "tier_answered", "economised", "degraded"}


def ask(caller: Caller, **question: Any) -> dict[str, Any]:
    answer = caller.post("context", question)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def shown(caller: Caller, **question: Any) -> list[str]:
    return [memory["content"] for memory in ask(caller, **question)["memories"]]


def test_without_a_question_the_block_has_what_is_known(alice: Caller) -> None:
    alice.remember("whales sing")
    body = ask(alice)
    assert body.keys() == ANSWER
    assert "- [general] whales sing (confidence: 0.7)" in body["text"]
    assert (body["included"], body["total"], body["tier_answered"]) == (1, 1, None)
    assert body["tokens"] == -(-len(body["text"]) // 4)
    assert body["memories"][0].keys() == MEMORY_FIELDS | {"trust"}


def test_with_a_question_the_block_has_what_answers_it(alice: Caller) -> None:
    alice.remember("whales sing")
    alice.remember("trains run on schedule")
    body = ask(alice, query="do whales sing?")
    assert [memory["content"] for memory in body["memories"]] == ["whales sing"]
    assert "~ whales sing (" in body["text"]
    assert "trains" not in body["text"]
    assert body["tier_answered"] == "items"


def test_the_last_messages_are_a_question_too(alice: Caller) -> None:
    alice.remember("whales sing")
    alice.remember("bears sleep")
    messages = [
        {"role": "user", "content": "bears sleep?"},
        {"role": "user", "content": "ok"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "By the way, could you tell me whether whales sing?"},
    ]
    assert shown(alice, messages=messages) == ["whales sing"]


def test_a_follow_up_is_asked_with_what_it_follows(alice: Caller) -> None:
    alice.remember("The backup server of Hamburg is called heron")
    alice.remember("Lunch is at noon")
    messages = [
        {"role": "user", "content": "What is the backup server of Bremen called?"},
        {"role": "assistant", "content": "It is called gull."},
        {"role": "user", "content": "and of Hamburg?"},
    ]
    assert shown(alice, messages=messages) == ["The backup server of Hamburg is called heron"]


def test_thanks_ask_nothing(alice: Caller) -> None:
    alice.remember("whales sing")
    assert ask(alice, messages=[{"role": "user", "content": "Thanks a lot!"}])["text"] == ""


def test_nothing_to_say_is_an_empty_text(alice: Caller) -> None:
    assert ask(alice)["text"] == ""
    alice.remember("whales sing")
    body = ask(alice, query="quarterly tax declaration")
    assert (body["text"], body["tokens"], body["included"]) == ("", 0, 0)


@pytest.mark.parametrize(
    ("format_", "begin"),
    [("ops", "## Operational Memory (1 memory, ~"), ("app", "(memories for app: Acme)"), ("turn", "~ whales")],
)
def test_the_caller_may_say_which_format(alice: Caller, format_: str, begin: str) -> None:
    alice.remember("whales sing")
    assert begin in ask(alice, format=format_)["text"]
    assert begin in ask(alice, format=format_, query="whales")["text"]


def test_the_json_format_has_the_memories_and_no_text(alice: Caller) -> None:
    alice.remember("whales sing")
    body = ask(alice, format="json")
    assert (body["text"], body["tokens"], body["included"]) == ("", 0, 1)
    assert body["memories"][0]["content"] == "whales sing"


def test_in_a_session_what_was_found_once_is_not_handed_over_again(alice: Caller) -> None:
    session = alice.start_session()["id"]
    alice.remember("whales sing")
    assert shown(alice, session_id=session, query="whales") == ["whales sing"]
    assert shown(alice, session_id=session, query="whales") == []
    assert shown(alice, session_id=alice.start_session(external_id="x")["id"], query="bears") == []
    assert shown(alice, query="whales") == ["whales sing"]


def test_what_says_something_else_since_is_handed_over_again(alice: Caller) -> None:
    memory = alice.remember("whales sing at 9")
    session = alice.start_session()["id"]
    assert shown(alice, session_id=session, query="when do whales sing?") == []
    alice.patch(f"memories/{memory['id']}", {"importance": 5})
    assert shown(alice, session_id=session, query="when do whales sing?") == []
    alice.patch(f"memories/{memory['id']}", {"content": "whales sing at 10"})
    assert shown(alice, session_id=session, query="when do whales sing?") == ["whales sing at 10"]
    assert shown(alice, session_id=session, query="when do whales sing?") == []
    alice.patch(f"memories/{memory['id']}", {"content": "whales sing at 9"})
    assert shown(alice, session_id=session, query="when do whales sing?") == ["whales sing at 9"]


def test_what_trails_far_behind_what_was_told_is_not_told_in_its_stead(alice: Caller) -> None:
    """It was not worth telling beside it, and is not now."""
    session = alice.start_session()["id"]
    told = "The auth service listens on port 4000 and nothing else"
    rows = [{"content": text} for text in (told, *(f"Ships reach the port of city {at} by noon" for at in range(9)))]
    alice.post("memories/batch", {"memories": rows, "dedupe": False})
    question = {"query": "on which port does the auth service listen?"}
    assert shown(alice, **question) == [told]
    assert shown(alice, **question, session_id=session, turn_number=1) == [told]
    assert shown(alice, **question, session_id=session, turn_number=2) == []


def test_the_best_is_shortened_where_it_is_longer_than_the_budget(alice: Caller) -> None:
    text = "Kafka rebalances when a consumer is slow: " + " ".join(f"step{at} of the runbook" for at in range(85))
    alice.remember(text, category="remediation")
    alice.remember("Kafka consumers of the mail service are slow on Mondays")
    context = ask(alice, query="kafka rebalances: what to do?", format="turn")
    assert context["included"] == context["total"] == 2
    line = next(line for line in context["text"].splitlines() if "rebalances" in line)
    assert re.fullmatch(r"~ Kafka rebalances when .* … \(confidence: .*\)", line)
    assert context["tokens"] <= alice.app.policy.turn_budget_tokens
    assert Memory.objects.filter(content=text).exists()


def test_what_was_shown_is_remembered_line_by_line(alice: Caller) -> None:
    session = alice.start_session()["id"]
    alice.remember("whales sing")
    ask(alice, session_id=session, turn_number=4, query="whales")
    row = Injection.objects.get()
    assert (row.turn_number, row.block, str(row.session.uid)) == (4, "turn", session)
    assert row.line.startswith("~ whales sing (confidence: 0.7; age: 0d; category: general)")


def test_a_turn_has_ten_memories_at_most(alice: Caller) -> None:
    for number in range(15):
        alice.remember(f"whale {number}", dedupe=False)
    assert len(shown(alice, query="whale")) == 10
    assert len(shown(alice, format="turn")) == 10
    assert len(shown(alice, query="whale", limit=2)) == 2
    assert len(shown(alice, format="ops", limit=2)) == 2


def test_the_app_block_has_the_latest_first_and_as_many_as_the_app_says(db: None) -> None:
    caller = make_caller(make_app("globex", block="app", app_limit=2), "gina")
    for number in range(3):
        caller.remember(f"whale {number}", dedupe=False)
    assert shown(caller) == ["whale 2", "whale 1"]


def test_doubtful_and_put_away_memories_are_never_injected(alice: Caller) -> None:
    alice.remember("whale one", confidence=0.29)
    archived = alice.remember("whale two")["id"]
    alice.patch(f"memories/{archived}", {"status": "archived"})
    for format_ in ("ops", "app", "turn", "json"):
        assert shown(alice, format=format_) == []
        assert shown(alice, format=format_, query="whale") == []


def test_an_end_users_block_has_no_memory_of_another(alice: Caller) -> None:
    for user in ("doe", "roe", None):
        alice.remember(f"whale of {user}", user_id=user, dedupe=False)
    assert sorted(shown(alice, user_id="doe")) == ["whale of None", "whale of doe"]
    session = alice.start_session(user_id="roe")["id"]
    assert sorted(shown(alice, session_id=session)) == ["whale of None", "whale of roe"]
    assert sorted(shown(alice, format="app", user_id="doe", query="whale")) == ["whale of None", "whale of doe"]


def test_a_question_is_asked_and_never_stored(alice: Caller) -> None:
    ask(alice, query="my secret diagnosis", session_id=alice.start_session()["id"])
    everything = "".join(alice.get(path).content.decode() for path in ("memories", "resources", "events", "sessions"))
    assert "diagnosis" not in everything


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("session_id", "x"),
        ("session_id", 5),
        ("turn_number", -1),
        ("turn_number", "1"),
        ("turn_number", 10**30),
        ("messages", "hello"),
        ("messages", {"role": "user", "content": "x"}),
        ("messages", ["hello"]),
        ("messages", [{"role": "user"}]),
        ("messages", [{"role": "user", "content": 5}]),
        ("messages", [{"role": "user", "content": "x", "at": "now"}]),
        ("messages", [{"role": "user", "content": "x"}] * 101),
        ("query", 5),
        ("query", None),
        ("query", "x" * 10_001),
        ("format", "xml"),
        ("format", 5),
        ("format", None),
        ("max_tokens", 0),
        ("max_tokens", "100"),
        ("max_tokens", 1.5),
        ("max_tokens", True),
        ("max_tokens", 10**30),
        ("limit", 0),
        ("limit", 1001),
        ("limit", "5"),
        ("user_id", ""),
        ("user_id", 5),
        ("app", "globex"),
    ],
)
def test_a_context_question_takes_only_what_it_says(alice: Caller, field: str, value: Any) -> None:
    session = alice.start_session()["id"]
    body = assert_problem(alice.post("context", {"session_id": session, field: value}), 400)
    assert all(error["field"].split(".")[0] == field for error in body["errors"])


def test_messages_and_a_query_are_two_questions(alice: Caller) -> None:
    body = {"query": "x", "messages": [{"role": "user", "content": "y"}]}
    assert_problem(alice.post("context", body), 400)


def test_a_session_of_someone_else_is_none(alice: Caller, bob: Caller, charlie: Caller) -> None:
    session = alice.start_session()["id"]
    for outsider in (bob, charlie):
        assert_problem(outsider.post("context", {"session_id": session}), 404)
    assert_problem(alice.post("context", {"session_id": str(uuid4())}), 404)
    assert not Injection.objects.exists()


def test_the_best_is_shortened_where_it_has_no_spaces(alice: Caller) -> None:
    alice.remember("用PostgreSQL 存储" + "我住在柏林，在一家小公司做软件工程师。" * 30)
    told = alice.post("context", {"query": "柏林", "max_tokens": 200}).json()
    assert told["tokens"] <= 200
    assert "我住在柏林" in told["text"]
