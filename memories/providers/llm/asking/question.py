"""A question as a model gets it: a prompt of our own, and what others wrote behind a fence it cannot close."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from secrets import token_hex
from string import Template
from typing import Any

from memories.providers.llm.chat import Ask

PROMPTS = Path(__file__).parent / "prompts"
_TAG = "untrusted-"
_TAG_LIKE = re.compile(rf"<(?=\s{{0,9}}/?\s{{0,9}}{_TAG})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """One kind of question. `operation` is also the name of its prompt, `schema` the JSON Schema of the answer."""

    operation: str
    schema: Mapping[str, Any]
    max_tokens: int
    large: bool = True
    total_seconds: float = 60.0

    def fill(self, told: Mapping[str, object], untrusted: Mapping[str, str], max_tokens: int | None = None) -> Ask:
        """The prompt with what we say ourselves (`told`) and what others wrote, each in a fence of this question."""
        nonce = token_hex(8)
        values = {**told, **{name: fence(text, nonce) for name, text in untrusted.items()}, "nonce": nonce}
        system, prompt = (template.substitute(values) for template in load(self.operation))
        return Ask(
            self.operation, system, prompt, self.schema, max_tokens or self.max_tokens, self.large, self.total_seconds
        )


def fence(text: str, nonce: str) -> str:
    """`text` between tags with this nonce; whatever looks like such a tag inside is none any more."""
    return f"<{_TAG}{nonce}>\n{_TAG_LIKE.sub('‹', text) or '(none)'}\n</{_TAG}{nonce}>"


@cache
def load(operation: str) -> tuple[Template, Template]:
    """What the model is told, and what it is shown. Reads the files once."""
    task, shown = (PROMPTS / f"{operation}.md").read_text("utf-8").split("\n---\n")
    rule = (PROMPTS / "untrusted.md").read_text("utf-8")
    return Template(f"{task.strip()}\n\n{rule.strip()}"), Template(shown.strip())


@cache
def example(operation: str) -> dict[str, Any]:
    """The answer that a prompt shows, in a line of its own."""
    task, _ = load(operation)
    (line,) = (line for line in task.template.splitlines() if line.startswith("{"))
    shown: dict[str, Any] = json.loads(line)
    return shown


def object_of(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with exactly these properties, in the form every vendor takes."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT: Mapping[str, Any] = {"type": "string"}
NUMBER: Mapping[str, Any] = {"type": "number"}
INTEGER: Mapping[str, Any] = {"type": "integer"}
BOOLEAN: Mapping[str, Any] = {"type": "boolean"}


def list_of(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}
