"""What the protocols of language models have in common."""

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Protocol

from memories.providers.http import bearer, with_path
from memories.providers.llm.provider import Ask
from memories.providers.llm.schema import for_the_wire, is_strict

NO_FORMAT = "none"
# Models that think before they answer spend tokens on it, and those count.
THINKING_TOKENS = 4_096

_FORMAT_WORDS = ("response_format", "format", "json_schema", "schema", "grammar", "structured")
_NO_SYSTEM = re.compile(
    r"system (?:role|message|prompt)s? (?:is |are )?not (?:supported|allowed)|roles must alternate|"
    r"only user(?:,| and) (?:model|assistant)|(?:unknown|unexpected|invalid|unsupported) role:? ?.?system",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: text, or an object that the protocol has already read.

    `cut`: it ran into the limit of tokens. `declined`: it would not answer. 0 tokens when the service did not tell.
    """

    content: str | Mapping[str, Any]
    input_tokens: int
    output_tokens: int
    cut: bool = False
    declined: bool = False


class Dialect(Protocol):
    """One protocol. What not every server or model knows has a name, and can be left out of a request."""

    name: str
    hints: Mapping[int, str]

    def endpoint(self, url: str) -> str:
        """Return where to post, from the address that a user gave. Raises ServiceRefused."""

    def headers(self, api_key: str) -> dict[str, str]: ...

    def output_tokens(self, ask: Ask, refused: Set[str]) -> int:
        """Return tokens that an answer may take at most, thoughts included."""

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        """Return the payload, without what was `refused` before."""

    def concession(self, detail: str, refused: Set[str]) -> str | None:
        """Return what to leave out next, from the words of a refusal; None when nothing would help."""

    def agreed(self, refused: Set[str]) -> str:
        """Return the name of the strictest format that was not refused."""

    def reply(self, answer: object) -> Reply | None:
        """None for an answer that holds no message."""


def part(value: Any, *path: str | int) -> Any:
    """Return what lies at `path` in parsed JSON, or None."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def count(value: object) -> int:
    """Return a number of tokens; whatever is no such number counts as none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def instructed(ask: Ask, *, is_enforced: bool) -> str:
    """Return the system prompt, with the schema unless the server sees to it: the prompt shows an answer."""
    if is_enforced:
        return f"{ask.system}\n\nAnswer with one such JSON object, and with nothing else."
    schema = json.dumps(for_the_wire(ask.schema), ensure_ascii=False)
    return f"{ask.system}\n\nAnswer with one JSON object that fits this JSON schema, and with nothing else:\n{schema}"


def less_strict(detail: str, refused: Set[str], formats: tuple[str, ...]) -> str | None:
    """Return the strictest of `formats` that was not refused yet, if that is what a refusal is about."""
    return next((name for name in formats if name not in refused), None) if names_format(detail) else None


def names_format(detail: str) -> bool:
    return any(word in detail.lower() for word in _FORMAT_WORDS)


def names_system(detail: str) -> bool:
    return bool(_NO_SYSTEM.search(detail))


OPENAI_URL = "https://api.openai.com/v1"
OPENAI_SMALL = "gpt-5.6-luna"
OPENAI_LARGE = "gpt-5.6-terra"

JSON_SCHEMA = "json_schema"
STRICT = "strict"
OBJECT_WITH_SCHEMA = "json_object with schema"
OBJECT = "json_object"
SYSTEM_ROLE = "system role"
THOUGHTS = "room for thoughts"
MAX_TOKENS = "max_tokens"
TEMPERATURE = "temperature"
EFFORT = "reasoning_effort"


class OpenAI:
    """Speak OpenAI's protocol, beginning with what most servers know.

    OpenAI's newer models refuse `max_tokens`, and then they are asked in their own way: with capacity for their
    thoughts, little of that, and no temperature.
    """

    name = "openai"
    hints: Mapping[int, str] = {}

    def endpoint(self, url: str) -> str:
        return with_path(url, lambda path: (path or "/v1") + "/chat/completions")

    def headers(self, api_key: str) -> dict[str, str]:
        return bearer(api_key)

    def output_tokens(self, ask: Ask, refused: Set[str]) -> int:
        return ask.max_tokens + (THINKING_TOKENS if MAX_TOKENS in refused and THOUGHTS not in refused else 0)

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        payload: dict[str, object] = {"model": model, "messages": messages_of(ask, refused)}
        if MAX_TOKENS in refused:
            payload["max_completion_tokens"] = self.output_tokens(ask, refused)
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
        if names_system(detail) and SYSTEM_ROLE not in refused:
            return SYSTEM_ROLE
        if STRICT in detail and not refused & {STRICT, JSON_SCHEMA}:
            return STRICT
        return less_strict(detail, refused, (JSON_SCHEMA, OBJECT_WITH_SCHEMA, OBJECT))

    def agreed(self, refused: Set[str]) -> str:
        response_format = next(
            (name for name in (JSON_SCHEMA, OBJECT_WITH_SCHEMA, OBJECT) if name not in refused), NO_FORMAT
        )
        return (
            f"{response_format}, {STRICT}"
            if response_format == JSON_SCHEMA and STRICT not in refused
            else response_format
        )

    def reply(self, answer: object) -> Reply | None:
        message = part(answer, "choices", 0, "message")
        if not isinstance(message, dict):
            return None
        ended = part(answer, "choices", 0, "finish_reason")
        text = text_of(message.get("content"))
        # Servers with another parser than the model's put the answer among its calls or its thoughts.
        text = text or text_of(part(message, "tool_calls", 0, "function", "arguments"))
        text = text or text_of(message.get("reasoning_content") or message.get("reasoning"))
        return Reply(
            text,
            count(part(answer, "usage", "prompt_tokens")),
            count(part(answer, "usage", "completion_tokens")),
            cut=ended == "length",
            declined=ended == "content_filter" or bool(message.get("refusal")),
        )


def messages_of(ask: Ask, refused: Set[str]) -> list[dict[str, str]]:
    """Return system prompt and question; as one message where the model knows no system role."""
    system = instructed(ask, is_enforced=not refused & {JSON_SCHEMA, SCHEMA})
    if SYSTEM_ROLE in refused:
        return [{"role": "user", "content": f"{system}\n\n{ask.prompt}"}]
    return [{"role": "system", "content": system}, {"role": "user", "content": ask.prompt}]


def response_format(ask: Ask, refused: Set[str]) -> dict[str, object]:
    """Return what a server has to enforce: strictly where the schema leaves nothing open."""
    schema = for_the_wire(ask.schema)
    if JSON_SCHEMA not in refused:
        described = {"name": "answer", "strict": STRICT not in refused and is_strict(ask.schema), "schema": schema}
        return {"response_format": {"type": JSON_SCHEMA, JSON_SCHEMA: described}}
    if OBJECT_WITH_SCHEMA not in refused:
        return {"response_format": {"type": OBJECT, "schema": schema}}
    if OBJECT not in refused:
        return {"response_format": {"type": OBJECT}}
    return {}


def text_of(content: Any) -> str:
    """Return the answer's text: some servers answer with a list of parts."""
    if isinstance(content, list):
        return "".join(str(part(piece, "text") or "") for piece in content)
    return content if isinstance(content, str) else ""


ANTHROPIC_URL = "https://api.anthropic.com"
ANTHROPIC_SMALL = "claude-haiku-5-5"
ANTHROPIC_LARGE = "claude-sonnet-5-5"

VERSION = "2023-06-01"
TOOL = "answer"
FORCED = "forced"
CACHED: Mapping[str, object] = {"cache_control": {"type": "ephemeral"}}
"""Behind tools and system prompt: both are the same for every question of a kind."""
INPUT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Anthropic:
    """Sends no temperature: newer models refuse it."""

    name = "anthropic"
    hints: Mapping[int, str] = {}

    def endpoint(self, url: str) -> str:
        return with_path(url, lambda path: path.removesuffix("/v1") + "/v1/messages")

    def headers(self, api_key: str) -> dict[str, str]:
        return {"anthropic-version": VERSION} | ({"x-api-key": api_key} if api_key else {})

    def output_tokens(self, ask: Ask, refused: Set[str]) -> int:
        return ask.max_tokens + (0 if THOUGHTS in refused else THINKING_TOKENS)

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        system = f"{ask.system}\n\nAnswer by calling the tool `{TOOL}` once, and with nothing else."
        payload: dict[str, object] = {
            "model": model,
            "max_tokens": self.output_tokens(ask, refused),
            "system": [{"type": "text", "text": system, **CACHED}],
            "messages": [{"role": "user", "content": ask.prompt}],
            "tools": [{"name": TOOL, "description": "Takes the answer.", "input_schema": for_the_wire(ask.schema)}],
        }
        if FORCED not in refused:
            choice = {"type": "tool", "name": TOOL, "disable_parallel_tool_use": True}
            return payload | {"tool_choice": choice}
        # Models that cannot be forced always think, and would think long.
        return payload | {"tool_choice": {"type": "auto"}, "output_config": {"effort": "low"}}

    def concession(self, detail: str, refused: Set[str]) -> str | None:
        return FORCED if "tool_choice" in detail and FORCED not in refused else None

    def agreed(self, refused: Set[str]) -> str:
        return "tool, if it likes" if FORCED in refused else "tool, forced"

    def reply(self, answer: object) -> Reply | None:
        blocks = part(answer, "content")
        if not isinstance(blocks, list):
            return None
        return Reply(
            content_of(blocks),
            sum(count(part(answer, "usage", name)) for name in INPUT_TOKENS),
            count(part(answer, "usage", "output_tokens")),
            cut=part(answer, "stop_reason") == "max_tokens",
            declined=part(answer, "stop_reason") == "refusal",
        )


def content_of(blocks: list[Any]) -> str | Mapping[str, Any]:
    """Return what the tool was called with, or else what was said."""
    for block in blocks:
        given = part(block, "input")
        if part(block, "type") == "tool_use" and isinstance(given, dict):
            return given
    return "\n".join(str(part(block, "text")) for block in blocks if part(block, "type") == "text")


OLLAMA_URL = "http://127.0.0.1:11434"

SCHEMA = "schema"
JSON = "json"
THINK = "think"

# In UTF-8: a token is about four letters of English, or one Chinese character.
BYTES_PER_TOKEN = 3
TEMPLATE_TOKENS = 256
SMALLEST_CONTEXT = 8_192
LARGEST_CONTEXT = 65_536


class Ollama:
    """Asks for a context that holds the prompt: Ollama cuts the beginning off a longer one, and says nothing.

    Another size makes it load the model anew, so the size only ever grows, by doubling.
    """

    name = "ollama"
    hints: Mapping[int, str] = {404: "no such model or address; is the model pulled (`ollama pull`)?"}

    def __init__(self) -> None:
        self._context: dict[str, int] = {}

    def endpoint(self, url: str) -> str:
        return with_path(url, lambda path: path.removesuffix("/v1").removesuffix("/api") + "/api/chat")

    def headers(self, api_key: str) -> dict[str, str]:
        return bearer(api_key)

    def output_tokens(self, ask: Ask, refused: Set[str]) -> int:
        return ask.max_tokens

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        prompt = "".join(message["content"] for message in messages_of(ask, refused))
        context = max(context_for(prompt, ask.max_tokens), self._context.get(model, 0))
        self._context[model] = context
        payload: dict[str, object] = {
            "model": model,
            "messages": messages_of(ask, refused),
            "stream": False,
            "options": {"temperature": 0, "num_predict": self.output_tokens(ask, refused), "num_ctx": context},
        }
        if THINK not in refused:
            payload["think"] = False
        if SCHEMA not in refused:
            payload["format"] = for_the_wire(ask.schema)
        elif JSON not in refused:
            payload["format"] = "json"
        return payload

    def concession(self, detail: str, refused: Set[str]) -> str | None:
        if "think" in detail.lower() and THINK not in refused:
            return THINK
        if names_system(detail) and SYSTEM_ROLE not in refused:
            return SYSTEM_ROLE
        return less_strict(detail, refused, (SCHEMA, JSON))

    def agreed(self, refused: Set[str]) -> str:
        return next((name for name in (SCHEMA, JSON) if name not in refused), NO_FORMAT)

    def reply(self, answer: object) -> Reply | None:
        text = part(answer, "message", "content")
        if not isinstance(text, str):
            return None
        return Reply(
            text or text_of(part(answer, "message", "thinking")),
            count(part(answer, "prompt_eval_count")),
            count(part(answer, "eval_count")),
            cut=part(answer, "done_reason") == "length",
        )


def context_for(text: str, max_tokens: int) -> int:
    """Return tokens for the prompt and the answer, as a power of two."""
    needed = len(text.encode(errors="replace")) // BYTES_PER_TOKEN + max_tokens + TEMPLATE_TOKENS
    size = SMALLEST_CONTEXT
    while size < min(needed, LARGEST_CONTEXT):
        size *= 2
    return size
