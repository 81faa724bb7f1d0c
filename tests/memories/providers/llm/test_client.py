import json
import logging
import socket
import threading
import traceback
from contextlib import closing
from dataclasses import replace

import pytest

from memories.providers.http import Patience
from memories.providers.llm.client import Circuit, LLMSettings, Models, build_chat, make_chat
from memories.providers.llm.provider import (
    Ask,
    Grant,
    LLMDenied,
    LLMError,
    LLMMisconfigured,
    LLMTooSlow,
    LLMUnavailable,
    LLMUnusable,
)
from tests.memories.providers.llm.conftest import PRICES
from tests.memories.providers.llm.servers import KEY, Drips, Drops, Fails, Floods, Hangs, Raw, Says
from tests.tables import each_row


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def circuit(clock):
    return Circuit("host", clock=clock)


def fail(circuit, times=1, error=LLMUnavailable):
    for _ in range(times):
        with pytest.raises(error, match="away"), circuit.guard():
            raise error("away")


def work(circuit):
    with circuit.guard():
        pass


def test_it_opens_after_five_failures_in_a_row(circuit):
    fail(circuit, 4)
    assert (circuit.state(), circuit.wait_seconds()) == ("closed", 0.0)
    fail(circuit)
    assert (circuit.state(), circuit.wait_seconds()) == ("open", 30.0)


def test_an_answer_in_between_begins_the_count_anew(circuit):
    fail(circuit, 4)
    work(circuit)
    fail(circuit, 4)
    assert circuit.state() == "closed"


def test_a_refusal_is_an_answer(circuit):
    fail(circuit, 4)
    fail(circuit, 1, LLMMisconfigured)
    fail(circuit, 4)
    assert circuit.state() == "closed"


def test_open_it_says_when_to_come_back(circuit, clock):
    fail(circuit, 5)
    clock.now += 10
    with pytest.raises(LLMUnavailable, match="host is left alone after 5 failures") as caught:
        work(circuit)
    assert caught.value.wait_seconds == 20.0


def test_after_a_while_one_may_try_and_the_others_wait(circuit, clock):
    fail(circuit, 5)
    clock.now += 30
    assert (circuit.state(), circuit.wait_seconds()) == ("half-open", 0.0)
    with circuit.guard():
        assert circuit.state() == "half-open"
        with pytest.raises(LLMUnavailable, match="left alone"), circuit.guard():
            raise AssertionError
    assert circuit.state() == "closed"


def test_a_trial_that_fails_opens_it_again(circuit, clock):
    fail(circuit, 5)
    clock.now += 31
    fail(circuit)
    assert (circuit.state(), circuit.wait_seconds()) == ("open", 30.0)


def test_a_trial_that_is_broken_off_leaves_the_next_one_to_try(circuit, clock):
    fail(circuit, 5)
    clock.now += 31
    with pytest.raises(KeyboardInterrupt), circuit.guard():
        raise KeyboardInterrupt
    assert circuit.state() == "half-open"
    work(circuit)
    assert circuit.state() == "closed"


def test_of_many_threads_one_tries(circuit, clock):
    fail(circuit, 5)
    clock.now += 31
    tried, refused = [], []
    together = threading.Barrier(8)

    def call():
        together.wait()
        try:
            with circuit.guard():
                tried.append(1)
                done.wait(60)
        except LLMUnavailable:
            refused.append(1)
            if len(refused) == 7:
                done.set()

    done = threading.Event()
    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(tried), len(refused)) == (1, 7)


FACTS = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"content": {"type": "string"}, "importance": {"type": "integer"}},
                "required": ["content", "importance"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}
PROMPT = "the user's private words"
ASK = Ask("extract", "You extract.", PROMPT, FACTS, 500)
GOOD = {"facts": [{"content": "Likes tea.", "importance": 3}]}
WRONG = {"facts": [{"content": "Likes tea.", "importance": "high"}]}


def within(seconds):
    return Ask("extract", "You extract.", PROMPT, FACTS, 500, total_seconds=seconds)


def outcomes(usages):
    return [usage.outcome for usage in usages]


# Answers


def test_a_good_answer_comes_back(chat, server, meter, kind):
    server.then(Says(GOOD))
    assert chat.ask(ASK, meter) == GOOD
    assert chat.name == kind
    assert chat.state() == "closed"


def test_it_names_who_answers(chat, chat_with, kind):
    assert [chat.made_by(large=False), chat.made_by(large=True)] == [f"{kind}:small", f"{kind}:large"]
    assert len(chat_with(kind, "http://127.0.0.1:9", large_model="x" * 300).made_by(large=True)) == 120


def test_fences_and_prose_around_it_do_not_matter(chat, server, meter, usages):
    server.then(Says(f"Here you are:\n```json\n{json.dumps(GOOD, indent=2)}\n```\nAnything else?"))
    assert chat.ask(ASK, meter) == GOOD
    assert outcomes(usages) == ["ok"]


def test_what_nobody_asked_for_is_dropped(chat, server, meter):
    server.then(Says({"facts": [{**GOOD["facts"][0], "mood": "sunny"}], "notes": "none"}))
    assert chat.ask(ASK, meter) == GOOD


def test_a_wrong_answer_may_be_put_right_once(chat, server, meter, usages):
    server.then(Says(WRONG), Says(GOOD))
    assert chat.ask(ASK, meter) == GOOD
    assert outcomes(usages) == ["unusable", "ok"]
    again = server.seen[1].prompt
    assert again.startswith(PROMPT)
    assert "facts[0].importance is not of the type integer" in again


def test_two_wrong_answers_are_enough(chat, server, meter, usages):
    server.always(Says(WRONG))
    with pytest.raises(LLMUnusable, match=r"did not answer extract .* facts\[0\]\.importance") as caught:
        chat.ask(ASK, meter)
    assert len(server.seen) == 2
    assert outcomes(usages) == ["unusable", "unusable"]
    assert "Likes tea" not in str(caught.value)


def test_the_example_of_a_prompt_is_no_answer(chat, server, meter, usages):
    server.then(Says(GOOD))
    with pytest.raises(LLMUnusable, match="repeated the example of extract"):
        chat.ask(replace(ASK, example=GOOD), meter)
    assert outcomes(usages) == ["unusable"]


def test_an_answer_that_was_cut_off_gets_more_capacity(chat, server, meter):
    server.then(Says(json.dumps(GOOD)[:-8], cut=True), Says(GOOD))
    assert chat.ask(ASK, meter) == GOOD
    assert server.seen[1].max_tokens - server.seen[0].max_tokens == 500
    assert "cut off" in server.seen[1].prompt


def test_a_whole_answer_is_good_even_if_blanks_behind_it_were_cut(chat, server, meter):
    server.then(Says(json.dumps(GOOD) + "\n" * 100, cut=True))
    assert chat.ask(ASK, meter) == GOOD


def test_a_thousand_facts_are_an_answer(chat, server, meter):
    many = {"facts": [{"content": f"Fact {number}.", "importance": 3} for number in range(1_000)]}
    server.then(Says(many))
    assert chat.ask(ASK, meter) == many


# Failures


def test_a_server_that_stumbles_is_asked_again(chat, server, meter, usages):
    server.then(Fails(500), Drops(), Says(GOOD))
    assert chat.ask(ASK, meter) == GOOD
    assert outcomes(usages) == ["ok"]


def test_a_server_that_stays_down_is_away(chat, server, meter, usages):
    server.always(Fails(503))
    with pytest.raises(LLMUnavailable, match=r"127\.0\.0\.1 answered 503"):
        chat.ask(ASK, meter)
    assert len(server.seen) == 3
    assert outcomes(usages) == ["unavailable"]


def test_a_short_wait_that_is_asked_for_is_kept(chat, server, meter):
    server.then(Fails(429, headers={"Retry-After": "0"}), Says(GOOD))
    assert chat.ask(ASK, meter) == GOOD


def test_a_wait_beyond_the_deadline_is_left_to_the_caller(chat, server, meter):
    server.then(Fails(429, headers={"Retry-After": "61"}))
    with pytest.raises(LLMUnavailable, match="answered 429") as caught:
        chat.ask(ASK, meter)
    assert caught.value.wait_seconds == 61.0
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_is_a_matter_of_settings_at_once(chat, server, meter, usages, status):
    server.then(Fails(status, "you may not use tool_choice, nor any response format"))
    with pytest.raises(LLMMisconfigured, match=f"answered {status}"):
        chat.ask(ASK, meter)
    assert len(server.seen) == 1
    assert outcomes(usages) == ["misconfigured"]


def test_a_refusal_for_another_reason_is_not_argued_with(chat, server, meter):
    server.then(Fails(400, "Your credit balance is too low"))
    with pytest.raises(LLMMisconfigured, match="answered 400"):
        chat.ask(ASK, meter)
    assert len(server.seen) == 1


def test_nobody_at_home_is_away(chat_with, meter, usages, kind):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with pytest.raises(LLMUnavailable, match="cannot be reached"):
        chat_with(kind, url).ask(ASK, meter)
    assert [(usage.outcome, usage.input_tokens, usage.cost) for usage in usages] == [("unavailable", 0, None)]


@pytest.mark.parametrize("behaviour", [Hangs(), Drips()])
def test_a_server_that_takes_too_long_is_left(chat, server, meter, usages, behaviour):
    server.then(behaviour)
    with pytest.raises(LLMUnavailable):
        chat.ask(within(0.1), meter)
    assert outcomes(usages) == ["unavailable"]
    assert 0 < usages[0].seconds < 60


def test_no_second_answer_is_asked_for_when_the_time_is_up(chat, server, usages, monkeypatch):
    clock = Clock()
    monkeypatch.setattr("memories.providers.llm.client.monotonic", clock)

    def tell_late(usage):
        usages.append(usage)
        clock.now += 100

    server.always(Says(WRONG))
    with pytest.raises(LLMUnusable):
        chat.ask(ASK, lambda expected: Grant(expected.output_tokens, tell_late))
    assert len(usages) == len(server.seen) == 1


def test_fifty_megabytes_are_not_read(chat, server, meter, usages):
    server.then(Floods(50_000_000))
    with pytest.raises(LLMUnusable, match="longer than 8,388,608 bytes"):
        chat.ask(ASK, meter)
    assert outcomes(usages) == ["unusable"]


@pytest.mark.parametrize("body", [b"", b"<html>504</html>", b'{"choices": [', b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_no_answer(chat, server, meter, body):
    server.then(Raw(body))
    with pytest.raises(LLMUnavailable, match="not JSON"):
        chat.ask(ASK, meter)


# The circuit


def test_a_server_that_keeps_failing_is_left_alone_and_tried_again(server, chat_with, meter, usages):
    clock = Clock()
    chat = chat_with(server.kind, server.url, circuit=Circuit("host", clock=clock))
    server.always(Fails(500))
    for _ in range(5):
        with pytest.raises(LLMUnavailable, match="answered 500"):
            chat.ask(ASK, meter)
    assert (chat.state(), chat.wait_seconds()) == ("open", 30.0)
    requested = len(server.seen)
    with pytest.raises(LLMUnavailable, match="left alone") as caught:
        chat.ask(ASK, meter)
    assert caught.value.wait_seconds == 30.0
    assert len(server.seen) == requested
    assert len(usages) == 5
    clock.now += 30
    assert chat.state() == "half-open"
    server.always(Says(GOOD))
    assert chat.ask(ASK, meter) == GOOD
    assert chat.state() == "closed"


def test_answers_of_no_use_do_not_open_it(server, chat_with, meter):
    chat = chat_with(server.kind, server.url, circuit=Circuit("host", failures=1))
    server.always(Says(WRONG))
    for _ in range(2):
        with pytest.raises(LLMUnusable):
            chat.ask(ASK, meter)
    assert chat.state() == "closed"


# Many at a time


def test_only_so_many_ask_at_a_time(server, chat_with, meter, usages):
    chat = chat_with(server.kind, server.url, concurrency=2)
    both = threading.Barrier(2)

    def two_by_two(seen):
        both.wait(60)
        return Says(GOOD)

    server.always(two_by_two)
    threads = [threading.Thread(target=chat.ask, args=(ASK, meter)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.most_at_once == 2
    assert outcomes(usages) == ["ok"] * 6


def test_waiting_for_a_place_counts(server, chat_with, meter, usages):
    chat = chat_with(server.kind, server.url, concurrency=1)
    requested, is_over = threading.Event(), threading.Event()

    def answer_late(seen):
        requested.set()
        is_over.wait(60)
        return Says(GOOD)

    server.always(answer_late)
    thread = threading.Thread(target=chat.ask, args=(within(60), meter))
    thread.start()
    assert requested.wait(60)
    with pytest.raises(LLMUnavailable, match="busy with our other questions"):
        chat.ask(within(0.05), meter)
    assert usages == []
    is_over.set()
    thread.join()
    assert outcomes(usages) == ["ok"]


# What it took


def test_tokens_time_and_cost_are_told(chat, server, meter, usages):
    server.then(Says(GOOD, tokens=(2_000, 100)))
    chat.ask(ASK, meter)
    (usage,) = usages
    assert (usage.operation, usage.model, usage.outcome) == ("extract", "large", "ok")
    assert usage.provider == chat.name
    assert (usage.input_tokens, usage.output_tokens) == (2_000, 100)
    assert usage.cost == pytest.approx(2_000 * 3 / 1e6 + 100 * 15 / 1e6)
    assert 0 < usage.seconds < 60


def test_wrong_answers_cost_as_well(chat, server, meter, usages):
    server.always(Says(WRONG))
    with pytest.raises(LLMUnusable):
        chat.ask(ASK, meter)
    assert [usage.cost for usage in usages] == [pytest.approx(0.006)] * 2


def test_without_a_price_there_is_no_cost(server, chat_with, meter, usages):
    server.then(Says(GOOD))
    chat_with(server.kind, server.url, prices={"small": (1.0, 1.0)}).ask(ASK, meter)
    assert (usages[0].cost, usages[0].input_tokens) == (None, 1_000)


def test_a_server_that_does_not_tell_its_tokens_costs_nobody_knows_what(chat, server, meter, usages):
    server.then(Says(GOOD, tokens=None))
    chat.ask(ASK, meter)
    assert (usages[0].input_tokens, usages[0].output_tokens, usages[0].cost) == (0, 0, None)


# What it may take


class Purse:
    """A meter with `grants`: tokens for an answer, None for as many as wanted, or the error that it raises."""

    def __init__(self, *grants):
        self.grants = list(grants)
        self.expected = []
        self.settled = []

    def __call__(self, expected):
        self.expected.append(expected)
        grant = self.grants.pop(0) if self.grants else None
        if isinstance(grant, Exception):
            raise grant
        return Grant(expected.output_tokens if grant is None else grant, self.settled.append)


def test_it_says_before_a_call_what_that_may_take(chat, server):
    purse = Purse()
    server.then(Says(GOOD, tokens=(300, 20)))
    chat.ask(ASK, purse)
    (expected,) = purse.expected
    (seen,) = server.seen
    assert expected.operation == "extract"
    assert expected.price == PRICES["large"]
    assert expected.output_tokens == expected.least_output_tokens == seen.max_tokens
    assert len(json.dumps(seen.body)) / 4 < expected.input_tokens < len(json.dumps(seen.body)) / 2
    assert [usage.outcome for usage in purse.settled] == ["ok"]


@pytest.mark.parametrize("text", ["plain words", "東京に住む。" * 50, "\U0001f600" * 200, "9876543210" * 60])
def test_no_usual_tokeniser_makes_more_of_a_question(chat, server, text):
    purse = Purse()
    server.then(Says(GOOD))
    chat.ask(replace(ASK, prompt=text), purse)
    assert purse.expected[0].input_tokens >= len(text) / 3


def test_with_less_capacity_less_is_asked_for(chat, server):
    purse = Purse()
    server.always(Says(GOOD))
    chat.ask(replace(ASK, max_tokens=5_000), purse)
    least, whole = purse.expected[0].least_output_tokens, purse.expected[0].output_tokens
    assert whole - least == 4_000
    chat.ask(replace(ASK, max_tokens=5_000), Purse(least + 7))
    assert [seen.max_tokens for seen in server.seen] == [whole, least + 7]


def test_what_may_not_be_asked_is_not(chat, server):
    purse = Purse(LLMDenied("budget: all is spent"))
    with pytest.raises(LLMDenied, match="all is spent"):
        chat.ask(ASK, purse)
    assert server.seen == purse.settled == []
    assert chat.state() == "closed"


def test_denials_do_not_open_the_circuit(chat, server):
    server.always(Says(GOOD))
    for _ in range(9):
        with pytest.raises(LLMDenied):
            chat.ask(ASK, Purse(LLMDenied("budget: all is spent")))
    assert chat.ask(ASK, Purse()) == GOOD


def test_what_may_not_be_asked_again_is_unusable(chat, server):
    server.always(Says(WRONG))
    with pytest.raises(LLMUnusable, match="all is spent"):
        chat.ask(ASK, Purse(None, LLMDenied("budget: all is spent")))
    assert len(server.seen) == 1


@pytest.mark.parametrize("grants", [(), (None, LLMDenied("budget: all is spent"))])
def test_a_call_that_was_refused_took_nothing(server, chat_with, grants):
    """And what is left out of the next is asked for anew."""
    purse = Purse(*grants)
    words = {"anthropic": "tool_choice", "ollama": "no think here", "openai": "max_completion_tokens please"}
    server.then(Fails(400, words[server.kind]), Says(GOOD))
    try:
        chat_with(server.kind, server.url).ask(ASK, purse)
    except LLMDenied:
        assert grants
    assert purse.settled[0] is None
    assert len(purse.expected) == 2
    assert len(server.seen) == len(purse.settled) == 2 - bool(grants)


def test_a_call_that_the_circuit_forbids_took_nothing(server, chat_with):
    circuit = Circuit("host", failures=1, clock=Clock())
    chat = chat_with(server.kind, server.url, circuit, Patience(attempts=1))
    server.always(Fails(500))
    purse = Purse()
    for _ in range(2):
        with pytest.raises(LLMUnavailable):
            chat.ask(ASK, purse)
    assert [usage and usage.outcome for usage in purse.settled] == ["unavailable", None]
    assert len(server.seen) == 1


# Secrets


@pytest.mark.parametrize("status", [307, 400, 401, 403, 404, 413, 422, 429, 500, 501, 200])
def test_neither_key_nor_words_are_in_an_error_or_a_log(chat, server, meter, caplog, status):
    for logger in ("", "httpx", "httpcore", "stamina"):
        caplog.set_level(logging.DEBUG, logger)
    server.always(Fails(status, f"{KEY} {PROMPT} tool_choice format temperature think max_completion_tokens"))
    with pytest.raises(LLMError) as caught:
        chat.ask(ASK, meter)
    displayed = repr(caught.value) + "".join(traceback.format_exception(caught.value)) + caplog.text
    assert KEY not in displayed
    assert PROMPT not in displayed


def test_neither_key_nor_password_is_in_a_repr_or_a_log(server, chat_with, meter, caplog):
    for logger in ("", "httpx", "httpcore", "stamina"):
        caplog.set_level(logging.DEBUG, logger)
    chat = chat_with(server.kind, server.url.replace("://", "://user:word-4711@"))
    server.always(Says(GOOD))
    try:
        chat.ask(ASK, meter)
    except LLMMisconfigured:
        assert server.seen[0].headers["authorization"].startswith("Basic ")
    parts = (chat, vars(chat), vars(chat._api), vars(chat._api._client))
    displayed = "".join(map(repr, parts)) + caplog.text
    assert "HTTP Request: POST" in caplog.text
    for secret in (KEY, "word-4711"):
        assert secret not in displayed


HOME = "http://127.0.0.1:1"


def test_the_rules_need_no_client():
    assert make_chat(LLMSettings()) is None
    assert make_chat(LLMSettings("rules", api_key=KEY)) is None


def test_the_same_settings_share_circuit_and_connections():
    first = make_chat(LLMSettings("openai", HOME, KEY, "a", "b", {"a": (1.0, 2.0)}))
    assert make_chat(LLMSettings("openai", HOME, KEY, "a", "b", {"a": (1.0, 2.0)})) is first
    assert make_chat(LLMSettings("openai", HOME, KEY, "a", "b", {"a": (1.0, 3.0)})) is not first
    assert make_chat(LLMSettings("openai", HOME, KEY, "a", "c", {"a": (1.0, 2.0)})) is not first


@each_row(
    ("settings", "expected"),
    [
        (LLMSettings("anthropic"), Models("claude-haiku-5-5", "claude-sonnet-5-5")),
        (LLMSettings("openai"), Models("gpt-5.6-luna", "gpt-5.6-terra")),
        (LLMSettings("openai", large_model="gpt-x"), Models("gpt-5.6-luna", "gpt-x")),
        (LLMSettings("openai", HOME, large_model="qwen"), Models("qwen", "qwen")),
        (LLMSettings("ollama", small_model="gemma"), Models("gemma", "gemma")),
        (LLMSettings("ollama", small_model="gemma", large_model="qwen"), Models("gemma", "qwen")),
    ],
)
def test_models_have_defaults_where_that_makes_sense(settings, expected):
    with closing(build_chat(settings)) as chat:
        assert chat._models == expected


@each_row(
    ("settings", "reason"),
    [
        (LLMSettings("ollama"), "models of ollama have to be named"),
        (LLMSettings("openai", HOME), "models of openai have to be named"),
        (LLMSettings("oracle"), "no language model of the kind 'oracle'"),
        (LLMSettings("openai", concurrency=0), "one call at a time"),
        (LLMSettings("anthropic", "localhost"), "address"),
        (LLMSettings("anthropic", "ftp://host"), "address"),
        (LLMSettings("ollama", "http://", large_model="a"), "address"),
        (LLMSettings("openai", api_key=f"{KEY} x"), "API key"),
        (LLMSettings("anthropic", api_key=f"{KEY}\n"), "API key"),
        (LLMSettings("anthropic", api_key=f"{KEY}ü"), "API key"),
    ],
)
def test_settings_that_cannot_work_are_told_without_the_key(settings, reason):
    with pytest.raises(LLMMisconfigured, match=reason) as caught:
        make_chat(settings)
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_the_key_is_not_in_the_settings_repr():
    assert KEY not in repr(LLMSettings("openai", api_key=KEY))


# Whoever cannot wait


def test_a_service_that_is_too_slow_for_one_question_is_asked_others(server, chat_with, meter):
    chat = chat_with(server.kind, server.url)
    server.always(Hangs())
    for _ in range(6):
        with pytest.raises(LLMUnavailable):
            chat.ask(within(0.05), meter)
    assert len(server.seen) == 5
    server.always(Says(GOOD))
    assert chat.ask(ASK, meter) == GOOD


def test_the_settings_say_how_long_a_question_may_take(server, chat_with, meter):
    server.always(Hangs())
    with pytest.raises(LLMTooSlow):
        chat_with(server.kind, server.url, seconds=0.1).ask(ASK, meter)
