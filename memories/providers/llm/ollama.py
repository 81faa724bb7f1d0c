"""Ollama: models on one's own machine, over `POST /api/chat`."""

from collections.abc import Mapping, Set

from memories.providers.http import bearer, with_path

from .chat import Ask
from .wire import Reply, count, instructed, less_strict, part, without_lengths

DEFAULT_URL = "http://127.0.0.1:11434"

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

    def room(self, ask: Ask, refused: Set[str]) -> int:
        return ask.max_tokens

    def request(self, ask: Ask, model: str, refused: Set[str]) -> dict[str, object]:
        system = instructed(ask)
        context = max(context_for(system + ask.prompt, ask.max_tokens), self._context.get(model, 0))
        self._context[model] = context
        payload: dict[str, object] = {
            "model": model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": ask.prompt}],
            "stream": False,
            "options": {"temperature": 0, "num_predict": self.room(ask, refused), "num_ctx": context},
        }
        if THINK not in refused:
            payload["think"] = False
        if SCHEMA not in refused:
            payload["format"] = without_lengths(ask.schema)
        elif JSON not in refused:
            payload["format"] = "json"
        return payload

    def concession(self, detail: str, refused: Set[str]) -> str | None:
        if "think" in detail.lower() and THINK not in refused:
            return THINK
        return less_strict(detail, refused, (SCHEMA, JSON))

    def reply(self, answer: object) -> Reply | None:
        text = part(answer, "message", "content")
        if not isinstance(text, str):
            return None
        return Reply(
            text,
            count(part(answer, "prompt_eval_count")),
            count(part(answer, "eval_count")),
            cut=part(answer, "done_reason") == "length",
        )


def context_for(text: str, max_tokens: int) -> int:
    """Tokens for the prompt and the answer, as a power of two."""
    needed = len(text.encode(errors="replace")) // BYTES_PER_TOKEN + max_tokens + TEMPLATE_TOKENS
    size = SMALLEST_CONTEXT
    while size < min(needed, LARGEST_CONTEXT):
        size *= 2
    return size
