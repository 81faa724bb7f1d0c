"""What was said, in order, by whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `role` is "user", "assistant" or another speaker's. `at` is aware, if known.

    `speaker` is the name of who says it, "" for the user or the agent themselves.
    """

    role: str
    content: str
    at: datetime | None = None
    speaker: str = ""
