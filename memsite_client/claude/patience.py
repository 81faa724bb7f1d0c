"""How long a hook waits for the server: less, for a while, once that has kept one waiting in vain."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from memsite_client.place import state_folder

# Claude Code gives SessionEnd 1.5 seconds, and others as long as the settings say. The user waits for a prompt's.
SECONDS = {"SessionEnd": 1.5, "UserPromptSubmit": 4.0, "SessionStart": 6.0}
OTHER_SECONDS = 10.0
# Where packets are lost each hook waits to its end, twice a turn.
WARY_SECONDS, WARY_FOR_SECONDS = 1.5, 60.0


def seconds_for(event_name: str) -> float:
    seconds = SECONDS.get(event_name, OTHER_SECONDS)
    return min(seconds, WARY_SECONDS) if was_silent() else seconds


def silence_file() -> Path:
    return state_folder() / "claude" / "silent"


def was_silent() -> bool:
    """Whether it was so lately, as far as can be known."""
    with suppress(OSError):
        return 0 <= time.time() - silence_file().stat().st_mtime < WARY_FOR_SECONDS
    return False


def note_silence(seconds: float) -> None:
    """After so many; a few say nothing of the server, or it was known."""
    if seconds > WARY_SECONDS:
        with suppress(OSError):
            silence_file().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            silence_file().touch()


def note_answer() -> None:
    with suppress(OSError):
        silence_file().unlink(missing_ok=True)
