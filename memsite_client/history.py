"""A conversation as a program left it, message by message: for frameworks that keep their history elsewhere.

Each call adds a turn to a session, whose `internal_state` says what became of the history. Turns are only ever added,
so nothing is lost where several write at once. What is said in them is learnt from like any turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from memsite_client.errors import Conflict, MemsiteError, NotFound
from memsite_client.shapes import JSON
from memsite_client.sync import Memsite

MOST_TRIES = 50
MOST_AT_ONCE = 100
"""Messages in a turn."""
__all__ = ["History"]


class History:
    """The messages of the session with this `external_id`, any JSON objects, in order.

    The session is opened with the first call. An end user's conversation belongs to `user_id`.
    """

    def __init__(self, memsite: Memsite, session: str, *, user_id: str | None = None) -> None:
        self.memsite = memsite
        self.session = session
        self.user_id = user_id
        self._id: str | None = None

    @property
    def id(self) -> str:
        """Return the server's id of the session. Open it if that is not known yet."""
        if self._id is None:
            self._id = self.memsite.start_session(external_id=self.session, user_id=self.user_id)["id"]
        return self._id

    def read(self) -> list[JSON]:
        return self._read()[0]

    def add(self, messages: Sequence[JSON], *, user_input: str = "", llm_output: str = "") -> None:
        """Add messages. `user_input` and `llm_output` are what is said in them, which is learnt from."""
        for start in range(0, len(messages), MOST_AT_ONCE):
            part = {"added": list(messages[start : start + MOST_AT_ONCE])}
            is_first = start == 0
            self._append(part, user_input if is_first else "", llm_output if is_first else "")

    def pop(self) -> JSON | None:
        """Take back the last message and return it; None without any. The turn that has it stays."""
        for _ in range(MOST_TRIES):
            messages, last = self._read()
            if not messages:
                return None
            # Somebody else may have written since it was read: then it is read again.
            if self._store(last + 1, {"removed": 1}):
                return messages[-1]
        raise MemsiteError("Others keep writing to this session: try again later.")

    def clear(self) -> None:
        """Delete the session for good, with its texts and what was learnt in it."""
        with suppress(NotFound):
            self.memsite.request("DELETE", f"sessions/{self.id}")
        self._id = None

    def _read(self) -> tuple[list[JSON], int]:
        """Return the messages, and the number of the last turn."""
        messages: list[JSON] = []
        last = 0
        for turn in sorted(self.memsite.list_turns(self.id), key=lambda turn: turn["turn_number"]):
            state = turn["internal_state"] or {}
            messages += state.get("added", [])
            del messages[len(messages) - state.get("removed", 0) :]
            last = turn["turn_number"]
        return messages, last

    def _append(self, state: JSON, user_input: str, llm_output: str) -> None:
        number = self.memsite.recover_session(self.id)["turn_number"]
        for _ in range(MOST_TRIES):
            number += 1
            if self._store(number, state, user_input, llm_output):
                return
        raise MemsiteError("Others keep writing to this session: try again later.")

    def _store(self, number: int, state: JSON, user_input: str = "", llm_output: str = "") -> bool:
        """Return False if another turn has this number. Two that say the same are told apart by their `write`."""
        checkpoint: dict[str, Any] = {"internal_state": {**state, "write": str(uuid4())}}
        try:
            self.memsite.store_turn(self.id, number, user_input=user_input, llm_output=llm_output, **checkpoint)
        except Conflict:
            return False
        return True
