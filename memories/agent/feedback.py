"""Feedback: what an agent's answers show of the memories it was given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from memories.agent.base import Caller
from memories.learn import feedback as learnt
from sessions.models import AgentSession, Turn


class Feedback(Caller):
    """Outside of transactions: answers are embedded."""

    def judge_response(
        self, session: AgentSession, turn_number: int, text: str, question: str = ""
    ) -> learnt.Feedback:  # fmt: skip
        """Judges what was shown for this turn and before. One query where nothing waits to be judged."""
        now = timezone.now()
        return learnt.judge(session, text, turn_number, self.embedder, self.actor, now, question=question)

    def judge_turn(self, session: AgentSession, turn: Turn) -> learnt.Feedback:
        """The same by a whole turn: what its tools were called with shows use as well as what was said."""
        said = "\n".join([turn.llm_output, *tool_inputs(turn)])
        return self.judge_response(session, turn.number, said, turn.user_input)

    def judge_rest(self, session: AgentSession) -> None:
        """At the session's end: what was there for all of its answers and never used is noted."""
        learnt.judge_rest(session, self.actor, timezone.now())


def tool_inputs(turn: Turn) -> Iterator[str]:
    """The texts and numbers in the inputs of its tool calls, as lines. Results are not the agent's words."""
    for call in turn.tool_calls:
        if isinstance(call, dict):
            yield from leaves(call.get("input"))


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)
