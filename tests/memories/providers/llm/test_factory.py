import traceback
from contextlib import closing

import pytest

from memories.providers.llm.client import Models
from memories.providers.llm.factory import LLMSettings, build_chat, make_chat
from memories.providers.llm.provider import LLMMisconfigured
from tests.tables import each_row

from .servers import KEY

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
