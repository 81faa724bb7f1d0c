"""A program of its own: lives in the database of MEMSITE_DATA_DIR, and purges one thing after another.

Arguments: the words that mark what is purged as a memory, a session, an end user and an app, and a neighbour's.
"""

# ruff: noqa: E402, T201  # Django first; what it prints is heard by `test_sweep`.
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
os.environ["DJANGO_SETTINGS_MODULE"] = "memsite.config.settings"

import django

django.setup()

from django.conf import settings
from django.core.management import call_command

from memories import tasks
from memories.index import index_cache
from memories.retrieve.pipeline import indexes
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Residue
from tests.api.test_purge import furnish
from tests.conftest import Caller, client_with, make_app, make_caller
from tests.talking import turn
from tests.upkeep import upkeep_learn_due, upkeep_purge, upkeep_summaries

TEXTS = 80
POLICY = {"capture_summaries": True, "capture_digest": True, "writes_per_minute": 100_000}


def fill(caller: Caller, word: str, session: dict[str, Any]) -> str:
    """Enough memories of a session to fill pages and split them; answers the session's id."""
    text = f"[EVENT:info:svc] saw {word}\n[MEMORY:timing:{word}s] Takes 5s with {word}"
    turn(caller, session, 5, f"I work at {word.title()} Systems.", text, internal_state={"k": word})
    rows = [
        {"content": f"{word}{number} sees {word} at noon " * (1 + number % 7), "subject": f"{word}{number % 9}",
         "tags": [f"{word}{number}"], "session_id": session["id"]}
        for number in range(TEXTS)
    ]  # fmt: skip
    answer = caller.post("memories/batch", {"memories": rows})
    assert answer.status_code == 200, answer.content
    return str(session["id"])


def load_indexes() -> None:
    """As a process does that has just started, and keeps them, however small they are."""
    for caller in (acme, globex):
        indexes.by_key.clear()
        caller.post("memories/search", {"query": "who sees what at noon"})


def purge(path: str) -> None:
    """Waits for the word; then tells how many memories went."""
    assert input() == "purge"
    answer = operator.delete(f"/api/v1/apps/{path}")
    assert answer.status_code == 200, answer.content
    Residue.objects.update(seconds=0)  # It has rested.
    upkeep_purge()
    tasks.upkeep_sweep()
    print(answer.json()["deleted_count"], flush=True)


settings.ALLOWED_HOSTS = ["testserver"]
call_command("migrate", verbosity=0)
operator = client_with(create_key(None, ["operator"]).text)
acme, globex = (make_caller(make_app(name, **POLICY), "agent") for name in ("acme", "globex"))
item, session, user, app, neighbour = sys.argv[1:]
lone = acme.remember(f"{item} sees {item} at noon", subject=item, tags=[item])
session_id = fill(acme, session, acme.start_session(title=session))
for caller, word in ((acme, user), (globex, app), (acme, neighbour)):
    fill(caller, word, furnish(caller, word, f"user-{word}"))
upkeep_learn_due()
upkeep_summaries()
index_cache.LEAST_ROWS = 1
index_cache.write_in_background = lambda kind, state, _: index_cache.write_index(kind, state)
load_indexes()
print(0, flush=True)
purge(f"acme/memories/{lone['id']}")
purge(f"acme/sessions/{session_id}")
purge(f"acme/users/user-{user}")
purge("globex?purge_memories=true")
assert input() == "end"
