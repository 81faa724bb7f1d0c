"""Anthropic's Messages. The answer comes as the input of a tool that the model has to call."""

from collections.abc import Mapping, Set
from typing import Any

from memories.providers.http import with_path

from .chat import Ask
from .wire import ROOM_TO_THINK, Reply, count, part

DEFAULT_URL = "https://api.anthropic.com"
SMALL_MODEL = "claude-haiku-5-5"
LARGE_MODEL = "claude-sonnet-5-5"

VERSION = "2023-06-01"
TOOL = "answer"
FORCED = "forced"


class Anthropic:
    """Sends no temperature: newer models refuse it."""

    name = "anthropic"
    hints: Mapping[int, str] = {}

    def endpoint(self, url: str) -> str:
        return with_path(url, lambda path: path.removesuffix("/v1") + "/v1/messages")

    def headers(self, api_key: str) -> dict[str, str]:
        return {"anthropic-version": VERSION} | ({"x-api-key": api_key} if api_key else {})

    def room(self, ask: Ask, refused: Set[str]) -> int:
        return ask.max_tokens + ROOM_TO_THINK

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        payload: dict[str, object] = {
            "model": model,
            "max_tokens": self.room(ask, refused),
            "system": f"{ask.system}\n\nAnswer by calling the tool `{TOOL}` once, and with nothing else.",
            "messages": [{"role": "user", "content": ask.prompt}],
            "tools": [{"name": TOOL, "description": "Takes the answer.", "input_schema": ask.schema}],
        }
        if FORCED not in refused:
            choice = {"type": "tool", "name": TOOL, "disable_parallel_tool_use": True}
            return payload | {"tool_choice": choice}
        # Models that cannot be forced always think, and would think long.
        return payload | {"tool_choice": {"type": "auto"}, "output_config": {"effort": "low"}}

    def concession(self, detail: str, refused: Set[str]) -> str | None:
        return FORCED if "tool_choice" in detail and FORCED not in refused else None

    def reply(self, answer: object) -> Reply | None:
        blocks = part(answer, "content")
        if not isinstance(blocks, list):
            return None
        return Reply(
            content_of(blocks),
            count(part(answer, "usage", "input_tokens")),
            count(part(answer, "usage", "output_tokens")),
            cut=part(answer, "stop_reason") == "max_tokens",
            declined=part(answer, "stop_reason") == "refusal",
        )


def content_of(blocks: list[Any]) -> str | Mapping[str, Any]:
    """What the tool was called with, or else what was said."""
    for block in blocks:
        given = part(block, "input")
        if part(block, "type") == "tool_use" and isinstance(given, dict):
            return given
    return "\n".join(str(part(block, "text")) for block in blocks if part(block, "type") == "text")
