import json
from dataclasses import replace

import pytest

from memories.providers.llm.protocols import THINKING_TOKENS, context_for
from memories.providers.llm.provider import Ask, LLMMisconfigured, LLMUnavailable, LLMUnusable
from tests.memories.providers.llm.servers import (
    KEY,
    Fails,
    Raw,
    Says,
    before_ollama_0_5,
    like_llama_cpp_python,
    not_strict,
    reasoning_only,
    serve,
    with_answers_of,
    without_forced_tools,
    without_json_schema,
    without_response_format,
    without_schema,
    without_system_role,
    without_temperature,
    without_thinking,
    without_this_grammar,
)

SCHEMA = {
    "type": "object",
    "properties": {"keep": {"type": "boolean"}, "why": {"type": "string", "maxLength": 2_000, "default": ""}},
    "required": ["keep"],
    "additionalProperties": False,
}
WIRE_SCHEMA = {**SCHEMA, "properties": {"keep": {"type": "boolean"}, "why": {"type": "string"}}}
ASK = Ask("gate", "You judge.", "Is this worth it?", SCHEMA, 100)
GOOD = {"keep": True, "why": "it is"}


@pytest.fixture
def served(chat_with, meter):
    """Asks a server of a kind, which refuses some things, so often; gives the server."""

    def ask(kind, *refusals, times=1, ask=ASK, path="", key=KEY):
        with serve(kind, key) as server:
            server.refuses(*refusals)
            server.always(Says(GOOD))
            chat = chat_with(kind, server.url + path, api_key=key)
            for _ in range(times):
                assert chat.ask(ask, meter) == GOOD
            return server

    return ask


# OpenAI


def test_openai_is_asked_for_what_fits_the_schema(served):
    (seen,) = served("openai").seen
    assert seen.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": False, "schema": WIRE_SCHEMA},
    }
    assert (seen.model, seen.prompt, seen.max_tokens) == ("large", "Is this worth it?", 100)
    assert seen.body["temperature"] == 0
    assert seen.system.startswith("You judge.")
    assert '"properties"' not in seen.system


@pytest.mark.parametrize("refusal", [without_json_schema, like_llama_cpp_python])
def test_without_json_schema_openai_is_asked_for_an_object_of_that_schema_and_that_is_remembered(served, refusal):
    formats = [seen.body["response_format"] for seen in served("openai", refusal, times=2).seen]
    assert [given["type"] for given in formats] == ["json_schema", "json_object", "json_object"]
    assert formats[1]["schema"] == formats[2]["schema"] == WIRE_SCHEMA


def test_where_no_schema_is_known_openai_is_asked_for_any_object(served):
    seen = served("openai", without_schema, times=2).seen
    assert [list(request.body["response_format"]) for request in seen] == [
        ["type", "json_schema"],
        ["type", "schema"],
        ["type"],
        ["type"],
    ]


def test_a_schema_that_leaves_nothing_open_is_asked_for_strictly_if_possible(served):
    ask = replace(ASK, schema={**SCHEMA, "required": ["keep", "why"]})
    seen = served("openai", not_strict, times=2, ask=ask).seen
    assert [request.body["response_format"]["json_schema"]["strict"] for request in seen] == [True, False, False]


@pytest.mark.parametrize("kind", ["openai", "ollama"])
def test_without_a_system_role_its_prompt_goes_before_the_question(served, kind):
    first, second, third = served(kind, without_system_role, times=2).seen
    assert first.system.startswith("You judge.")
    assert (second.system, third.system) == ("", "")
    assert second.prompt.startswith("You judge.")
    assert second.prompt.endswith("Is this worth it?")


def test_an_answer_that_may_not_be_so_long_is_halved_and_that_is_remembered(served):
    seen = served("openai", with_answers_of(1_100), times=2, ask=replace(ASK, max_tokens=4_000)).seen
    assert [request.max_tokens for request in seen] == [4_000, 2_000, 1_000, 1_000]


def test_thoughts_have_no_capacity_where_the_answer_has_just_enough(served):
    seen = served("anthropic", with_answers_of(4_096), times=2).seen
    assert [request.max_tokens for request in seen] == [100 + THINKING_TOKENS, 100, 100]


@pytest.mark.parametrize(
    ("status", "failed"),
    [
        (400, {"message": "Failed to generate JSON.", "failed_generation": "So: no."}),
        (400, {"message": "The JSON does not match the schema.", "code": "json_validate_failed"}),
        (500, {"message": "Failed to parse input at pos 0: So"}),
    ],
)
def test_a_generation_that_failed_is_a_bad_answer(chat_with, meter, usages, status, failed):
    with serve("openai") as server:
        server.then(Raw(json.dumps({"error": failed}).encode(), status), Says(GOOD))
        assert chat_with("openai", server.url).ask(ASK, meter) == GOOD
    assert [usage.outcome for usage in usages] == ["unusable", "ok"]


def test_what_is_good_in_a_generation_that_failed_is_kept(chat_with, meter):
    failed = {"code": "json_validate_failed", "failed_generation": "So: " + json.dumps(GOOD) + "."}
    with serve("openai") as server:
        server.then(Raw(json.dumps({"error": failed}).encode(), 400))
        assert chat_with("openai", server.url).ask(ASK, meter) == GOOD


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "tool_calls": [{"function": {"name": "answer", "arguments": json.dumps(GOOD)}}]},
        {"content": "", "reasoning_content": json.dumps(GOOD)},
    ],
)
def test_an_answer_in_another_field_is_found(chat_with, meter, message):
    with serve("openai") as server:
        server.then(Raw(json.dumps({"choices": [{"message": message}]}).encode()))
        assert chat_with("openai", server.url).ask(ASK, meter) == GOOD


@pytest.mark.parametrize(
    ("kind", "refusals", "agreed"),
    [
        ("openai", [], "json_schema, strict"),
        ("openai", [not_strict], "json_schema"),
        ("openai", [like_llama_cpp_python], "json_object with schema"),
        ("openai", [without_schema], "json_object"),
        ("openai", [without_this_grammar], "json_object"),
        ("openai", [without_response_format], "none"),
        ("anthropic", [], "tool, forced"),
        ("anthropic", [without_forced_tools], "tool, if it likes"),
        ("ollama", [], "schema"),
        ("ollama", [before_ollama_0_5], "json"),
    ],
)
def test_the_format_that_was_agreed_on_has_a_name(chat_with, meter, kind, refusals, agreed):
    with serve(kind) as server:
        server.refuses(*refusals)
        server.always(Says(GOOD))
        chat = chat_with(kind, server.url)
        chat.ask(replace(ASK, schema={**SCHEMA, "required": ["keep", "why"]}), meter)
        assert chat.agreed(large=True) == agreed


def test_without_any_format_openai_is_asked_in_words_alone(served):
    seen = served("openai", without_response_format, times=2).seen
    assert [request.body.get("response_format", {}).get("type") for request in seen] == [
        "json_schema",
        "json_object",
        "json_object",
        None,
        None,
    ]


@pytest.mark.parametrize(("kind", "refusal"), [("openai", without_json_schema), ("ollama", before_ollama_0_5)])
def test_a_schema_that_the_server_does_not_see_to_is_shown_to_the_model(served, kind, refusal):
    seen = served(kind, refusal).seen
    assert ['"properties"' in request.system for request in seen] == [False, True]


def test_what_one_model_refuses_another_may_take(chat_with, meter):
    with serve("openai") as server:
        server.refuses(lambda seen: without_json_schema(seen) if seen.model == "small" else None)
        server.always(Says(GOOD))
        chat = chat_with("openai", server.url)
        for large in (False, True):
            chat.ask(Ask("gate", "s", "p", SCHEMA, 100, large=large), meter)
        assert [(seen.model, seen.body["response_format"]["type"]) for seen in server.seen] == [
            ("small", "json_schema"),
            ("small", "json_object"),
            ("large", "json_schema"),
        ]


def test_models_that_think_get_capacity_for_it_and_no_temperature(served):
    seen = served("openai", reasoning_only, times=2).seen
    assert len(seen) == 3
    assert seen[2].body["max_completion_tokens"] == 100 + THINKING_TOKENS
    assert seen[2].body["reasoning_effort"] == "low"
    assert not {"max_tokens", "temperature"} & seen[2].body.keys()


def test_a_temperature_that_is_refused_is_left_out(served):
    assert ["temperature" in seen.body for seen in served("openai", without_temperature, times=2).seen] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_openai_is_found_with_and_without_the_version(served, path):
    assert served("openai", path=path).seen[0].path == "/v1/chat/completions"


def test_another_path_is_taken_as_it_is(chat_with, meter):
    with serve("openai") as server:
        with pytest.raises(LLMMisconfigured):
            chat_with("openai", server.url + "/v1beta/openai").ask(ASK, meter)
        assert server.seen[0].path == "/v1beta/openai/chat/completions"


def test_content_in_parts_is_put_together(chat_with, meter):
    parts = b'{"choices": [{"message": {"content": [{"type": "text", "text": "{\\"keep\\":"}, {"text": " true}"}]}}]}'
    with serve("openai") as server:
        server.then(Raw(parts))
        assert chat_with("openai", server.url).ask(ASK, meter)["keep"] is True


def test_without_a_key_no_header_is_sent(served):
    for kind in ("openai", "anthropic", "ollama"):
        headers = served(kind, key="").seen[0].headers
        assert not {"authorization", "x-api-key"} & headers.keys()


# Anthropic


def test_anthropic_has_to_call_a_tool_with_the_answer(served):
    (seen,) = served("anthropic").seen
    assert seen.body["tool_choice"] == {"type": "tool", "name": "answer", "disable_parallel_tool_use": True}
    assert seen.schema == WIRE_SCHEMA
    assert seen.headers["x-api-key"] == KEY
    assert seen.body["max_tokens"] == 100 + THINKING_TOKENS
    assert "temperature" not in seen.body


def test_anthropic_is_told_what_it_may_cache(served):
    (seen,) = served("anthropic").seen
    (system,) = seen.body["system"]
    assert system["cache_control"] == {"type": "ephemeral"}


def test_what_was_read_from_the_cache_counts(chat_with, meter, usages):
    used = b'{"input_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 90, "output_tokens": 7}'
    call = b'[{"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {"keep": true}}]'
    with serve("anthropic") as server:
        server.then(Raw(b'{"content": ' + call + b', "usage": ' + used + b"}"))
        chat_with("anthropic", server.url).ask(ASK, meter)
    assert (usages[0].input_tokens, usages[0].output_tokens) == (995, 7)


def test_models_that_cannot_be_forced_are_asked_to_call_it(served):
    seen = served("anthropic", without_forced_tools, times=2).seen
    assert [request.body["tool_choice"]["type"] for request in seen] == ["tool", "auto", "auto"]
    assert seen[1].body["output_config"] == {"effort": "low"}
    assert "`answer`" in seen[1].system


def test_thoughts_before_the_call_are_passed_over(chat_with, meter):
    body = (
        b'{"content": [{"type": "thinking", "thinking": "{}", "signature": "x"}, {"type": "text", "text": "So:"},'
        b' {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {"keep": false}}],'
        b' "stop_reason": "tool_use"}'
    )
    with serve("anthropic") as server:
        server.then(Raw(body))
        assert chat_with("anthropic", server.url).ask(ASK, meter)["keep"] is False


def test_a_call_that_was_cut_off_is_not_believed(chat_with, meter):
    with serve("anthropic") as server:
        server.then(Says({"keep": True}, cut=True), Says(GOOD))
        assert chat_with("anthropic", server.url).ask(ASK, meter) == GOOD
        assert "cut off" in server.seen[1].prompt


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_anthropic_is_found_with_and_without_the_version(served, path):
    assert served("anthropic", path=path).seen[0].path == "/v1/messages"


# Ollama


def test_ollama_is_asked_for_what_fits_the_schema(served):
    (seen,) = served("ollama").seen
    assert seen.body["format"] == WIRE_SCHEMA
    assert seen.body["stream"] is False
    assert seen.body["think"] is False
    assert seen.body["options"] == {"temperature": 0, "num_predict": 100, "num_ctx": 8_192}
    assert '"properties"' not in seen.system


def test_an_older_ollama_is_asked_for_json_and_that_is_remembered(served):
    seen = served("ollama", before_ollama_0_5, times=2).seen
    assert [request.body["format"] for request in seen] == [WIRE_SCHEMA, "json", "json"]


def test_where_thinking_is_unknown_it_is_not_spoken_of(served):
    assert ["think" in seen.body for seen in served("ollama", without_thinking, times=2).seen] == [True, False, False]


def test_the_context_holds_the_prompt_and_does_not_shrink_again(chat_with, meter):
    with serve("ollama") as server:
        server.always(Says(GOOD))
        chat = chat_with("ollama", server.url)
        for prompt in ("short", "long " * 10_000, "short"):
            chat.ask(Ask("gate", "s", prompt, SCHEMA, 100), meter)
        assert [seen.body["options"]["num_ctx"] for seen in server.seen] == [8_192, 32_768, 32_768]


def test_contexts_count_letters_of_any_alphabet_and_end_somewhere():
    assert context_for("a" * 24_000, 100) == 16_384
    assert context_for("好" * 8_000, 100) == 16_384
    assert context_for("\ud800" * 1_000_000, 100) == 65_536


@pytest.mark.parametrize("path", ["", "/", "/v1", "/api", "/api/"])
def test_ollama_is_found_whatever_was_added(served, path):
    assert served("ollama", path=path).seen[0].path == "/api/chat"


def test_a_model_that_is_not_pulled_says_so(chat_with, meter):
    with serve("ollama") as server:
        server.then(Fails(404, "model 'large' not found"))
        with pytest.raises(LLMMisconfigured, match="ollama pull"):
            chat_with("ollama", server.url).ask(ASK, meter)


# All


def test_the_small_model_is_asked_when_it_suffices(chat, server, meter):
    server.then(Says(GOOD))
    chat.ask(Ask("gate", "s", "p", SCHEMA, 100, large=False), meter)
    assert server.seen[0].model == "small"


def test_a_model_that_declines_is_not_asked_again(chat, server, meter, kind):
    if kind == "ollama":
        pytest.skip("has no word for it")
    server.then(Says("", declined=True))
    with pytest.raises(LLMUnusable, match="declined to answer gate"):
        chat.ask(ASK, meter)
    assert len(server.seen) == 1


@pytest.mark.parametrize("body", [b"{}", b"[]", b"null", b'"text"', b'{"choices": []}', b'{"error": {"code": 429}}'])
def test_an_answer_without_a_message_is_none(chat, server, meter, body):
    server.then(Raw(body))
    with pytest.raises(LLMUnavailable, match="without a message"):
        chat.ask(ASK, meter)


def test_a_message_without_words_is_of_no_use(chat, server, meter):
    server.always(Says(""))
    with pytest.raises(LLMUnusable, match="no complete JSON object"):
        chat.ask(ASK, meter)


@pytest.mark.parametrize(
    "fails",
    [
        Fails(413, "request_too_large"),
        Fails(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        Fails(400, "This model's maximum context length is 8192 tokens."),
        Fails(400, "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it"),
    ],
)
def test_a_question_that_is_too_long_is_no_matter_of_settings(chat, server, meter, fails):
    server.then(fails)
    with pytest.raises(LLMUnusable, match="too long for large"):
        chat.ask(ASK, meter)
    assert len(server.seen) == 1


def test_lone_surrogates_and_other_oddities_can_be_asked(chat, server, meter):
    server.then(Says(GOOD))
    chat.ask(Ask("gate", "a\ud800b", "\x00 😀 \ud83d", SCHEMA, 100), meter)
    assert server.seen[0].prompt == "\x00 😀 \ufffd"
    assert server.seen[0].system.startswith("a\ufffdb")
