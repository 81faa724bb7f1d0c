"""Models through LiteLLM: what it is asked, and what its errors mean. The library itself is not among our packages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memories.providers.http import ServiceAway, ServiceBusy, ServiceRefused
from memories.providers.llm import litellm
from memories.providers.llm.client import LLMSettings, build_chat
from memories.providers.llm.provider import Ask, LLMMisconfigured

ASK = Ask("gate", "system", "prompt", {"type": "object", "properties": {"keep": {"type": "boolean"}}}, 100, False)


class Answered(Exception):
    def __init__(self, status: int, message: str = "no") -> None:
        super().__init__(message)
        self.status_code = status


class Timeout(Exception):
    status_code = 408


class Grant:
    output_tokens = 1_000

    def settle(self, usage: Any) -> None: ...


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the library was asked; it answers that a text is to be kept."""
    calls: list[dict[str, Any]] = []
    answer = {"choices": [{"message": {"content": '{"keep": true}'}, "finish_reason": "stop"}], "usage": {}}

    def completion(**given: Any) -> Any:
        calls.append(given)
        return SimpleNamespace(model_dump=lambda: answer)

    monkeypatch.setattr(litellm, "library", lambda: SimpleNamespace(completion=completion))
    return calls


def test_a_model_is_asked_in_openais_format_with_what_the_settings_give(questions: list[dict[str, Any]]) -> None:
    chat = build_chat(LLMSettings("litellm", api_key="sk-1", large_model="bedrock/claude"))
    assert chat.ask(ASK, lambda expected: Grant()) == {"keep": True}
    (given,) = questions
    assert (given["model"], given["api_key"]) == ("bedrock/claude", "sk-1")
    assert [message["role"] for message in given["messages"]] == ["system", "user"]
    assert "api_base" not in given


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Answered(401), ServiceRefused),
        (Answered(400, "response_format is not supported"), ServiceRefused),
        (Answered(429), ServiceBusy),
        (Answered(503), ServiceBusy),
        (Timeout(), ServiceAway),
        (OSError("no route"), ServiceAway),
    ],
)
def test_its_errors_are_told_apart(error: Exception, kind: type[Exception]) -> None:
    assert type(litellm.failure(error)) is kind


def test_without_the_library_the_settings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm, "find_spec", lambda name: None)
    litellm.library.cache_clear()
    with pytest.raises(LLMMisconfigured, match="pip install litellm"):
        build_chat(LLMSettings("litellm", large_model="gemini/pro"))
