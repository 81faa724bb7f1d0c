"""OpenAI's chat completions, and the many servers that speak them, each a little differently."""

from collections.abc import Mapping, Set
from typing import Any

from memories.providers.http import bearer, with_path

from .chat import Ask
from .wire import ROOM_TO_THINK, Reply, count, instructed, less_strict, part, without_lengths

DEFAULT_URL = "https://api.openai.com/v1"
SMALL_MODEL = "gpt-5.6-luna"
LARGE_MODEL = "gpt-5.6-terra"

SCHEMA = "json_schema"
OBJECT = "json_object"
MAX_TOKENS = "max_tokens"
TEMPERATURE = "temperature"
EFFORT = "reasoning_effort"


class OpenAI:
    """Begins with what most servers know. OpenAI's newer models refuse `max_tokens`, and then they are asked in
    their own way: with room for their thoughts, little of that, and no temperature."""

    name = "openai"
    hints: Mapping[int, str] = {}

    def endpoint(self, url: str) -> str:
        return with_path(url, lambda path: (path or "/v1") + "/chat/completions")

    def headers(self, api_key: str) -> dict[str, str]:
        return bearer(api_key)

    def room(self, ask: Ask, refused: Set[str]) -> int:
        return ask.max_tokens + (ROOM_TO_THINK if MAX_TOKENS in refused else 0)

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        payload: dict[str, object] = {
            "model": model,
            "messages": [{"role": "system", "content": instructed(ask)}, {"role": "user", "content": ask.prompt}],
        }
        if MAX_TOKENS in refused:
            payload["max_completion_tokens"] = self.room(ask, refused)
            if EFFORT not in refused:
                payload[EFFORT] = "low"
        else:
            payload[MAX_TOKENS] = ask.max_tokens
            if TEMPERATURE not in refused:
                payload[TEMPERATURE] = 0
        return payload | response_format(ask, refused)

    def concession(self, detail: str, refused: Set[str]) -> str | None:
        if "max_completion_tokens" in detail and MAX_TOKENS not in refused:
            return MAX_TOKENS
        for name in (TEMPERATURE, EFFORT):
            if name in detail and name not in refused:
                return name
        return less_strict(detail, refused, (SCHEMA, OBJECT))

    def reply(self, answer: object) -> Reply | None:
        message = part(answer, "choices", 0, "message")
        if not isinstance(message, dict):
            return None
        ended = part(answer, "choices", 0, "finish_reason")
        return Reply(
            text_of(message.get("content")),
            count(part(answer, "usage", "prompt_tokens")),
            count(part(answer, "usage", "completion_tokens")),
            cut=ended == "length",
            declined=ended == "content_filter" or bool(message.get("refusal")),
        )


def response_format(ask: Ask, refused: Set[str]) -> dict[str, object]:
    """Not strict: that would refuse schemas in which a field may be missing."""
    if SCHEMA not in refused:
        described = {"name": "answer", "strict": False, "schema": without_lengths(ask.schema)}
        return {"response_format": {"type": SCHEMA, SCHEMA: described}}
    if OBJECT not in refused:
        return {"response_format": {"type": OBJECT}}
    return {}


def text_of(content: Any) -> str:
    """Some servers answer with a list of parts."""
    if isinstance(content, list):
        return "".join(str(part(piece, "text") or "") for piece in content)
    return content if isinstance(content, str) else ""
