"""What somebody said and what was learnt from it is purged while the site runs: no file of it holds a byte of that."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from secrets import token_hex

import httpx

from bench.promises.site import PATIENCE_SECONDS, Site, answer_of

APP = "traces"
LOOK_EVERY_SECONDS = 0.5
SWEEP_SECONDS = 900
"""After a slow sweep the next one waits twenty times as long as that took."""
LETTERS = str.maketrans("0123456789", "ghijklmnop")


@dataclass(frozen=True, slots=True)
class Outcome:
    before: Counter[str]
    """How often the word stood in which file."""
    left: Counter[str]
    neighbour: Counter[str]
    seconds: float
    """From the answer to the purge until nothing was left."""

    @property
    def holds(self) -> bool:
        return bool(self.before) and not self.left and bool(self.neighbour)


def purge_in_use(site: Site, memories: int) -> Outcome:
    """Of two end users one is erased. Waits for the worker, which sweeps the files when it is rung for."""
    (key,) = site.new_app(APP)
    # Letters only, and other ones to begin with: the full-text index keeps what words have in common once.
    gone, stays = (f"{first}{token_hex(8).translate(LETTERS)}" for first in "qv")
    for word in (gone, stays):
        furnish(site, key, word, memories)
    before = traces(site, gone)
    with site.operator() as operator:
        answer_of(operator.delete(f"apps/{APP}/users/user-{gone}"))
    started = time.monotonic()
    left = traces(site, gone)
    while left and time.monotonic() < started + SWEEP_SECONDS:
        time.sleep(LOOK_EVERY_SECONDS)
        left = traces(site, gone)
    return Outcome(before, left, traces(site, stays), time.monotonic() - started)


def furnish(site: Site, key: str, word: str, memories: int) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    user = f"user-{word}"
    with httpx.Client(base_url=f"{site.url}/api/v1/", headers=headers, timeout=PATIENCE_SECONDS) as agent:
        session = answer_of(agent.post("sessions", json={"user_id": user, "title": word, "external_id": word}))["id"]
        messages = [{"role": "user", "content": f"I work at {word.title()} Systems."}]
        answer_of(agent.post(f"sessions/{session}/messages", json={"messages": messages}))
        turn = {
            "user_input": f"What of {word}?",
            "llm_output": f"[EVENT:info:svc] saw {word}\n[MEMORY:timing:{word}] Takes 5s with {word}",
            "tool_calls": [{"name": "look", "input": {"for": word}}],
            "internal_state": {"k": word},
        }
        answer_of(agent.put(f"sessions/{session}/turns/1", json=turn))
        rows = [
            {
                "content": f"{word}{n} sees {word} at noon",
                "tags": [f"{word}{n}"],
                "user_id": user,
                "session_id": session,
            }
            for n in range(memories)
        ]
        answer_of(agent.post("memories/batch", json={"memories": rows}))
        answer_of(agent.post("memories/search", json={"query": f"what does {word} see", "user_id": user}))
        answer_of(agent.post("context", json={"query": f"what takes 5s with {word}", "session_id": session}))
        answer_of(agent.post(f"sessions/{session}/end", json={"reason": f"{word} left"}))


def traces(site: Site, word: str) -> Counter[str]:
    """How often the word stands in each file of the site, in whatever case; files without it are left out.

    Of PostgreSQL in its rows: its pages and logs keep for a while what was deleted.
    """
    pattern = re.compile(word.encode(), re.IGNORECASE)
    values: Counter[str] = Counter()
    if database := site.environment.get("MEMSITE_DATABASE_URL"):
        command = ["pg_dump", "--data-only", database]
        dump = subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603  # our own
        values.update({"rows": times} if (times := len(pattern.findall(dump))) else {})
    for path in site.folder.rglob("*"):
        try:
            times = len(pattern.findall(path.read_bytes())) if path.is_file() else 0
        except FileNotFoundError:
            continue
        if times:
            values[str(path.relative_to(site.folder))] += times
    return values
