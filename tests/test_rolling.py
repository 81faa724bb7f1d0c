"""An upgrade of one host after the other: what the check of migrations refuses, and the release on the new tables."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

from memsite_client import Memsite
from tests.serving import Server, serving
from tests.tables import each_row_of
from tools import rolling

ROOT = Path(__file__).resolve().parents[1]
RELEASE = tomllib.loads(rolling.RELEASE.read_text())
CODE = ("manage.py", "memsite", "memories", "sessions", "memsite_client", "templates")
WORK = """
import json, sys
import django
django.setup()
from django.conf import settings
from rest_framework.test import APIClient
from memories.tasks import upkeep_due, upkeep_work

settings.ALLOWED_HOSTS = ["testserver"]
operator_key, key, content = sys.argv[1:]
answers = []

def ask(key, method, path, body=None):
    client = APIClient(raise_request_exception=False, headers={"Authorization": f"Bearer {key}"})
    answer = getattr(client, method)(f"/api/v1/{path}", body, format="json")
    answers.append([method, path, answer.status_code])
    return answer.json() if answer.content else None

def work(key):
    session = ask(key, "post", "sessions", {"user_id": "ada"})["id"]
    said = {"user_input": "I work at Acme.", "llm_output": "[MEMORY:timing:dns] Takes 5s"}
    ask(key, "put", f"sessions/{session}/turns/1", said)
    ask(key, "post", f"sessions/{session}/messages", {"messages": [{"role": "user", "content": "I live in Köln."}]})
    memory = ask(key, "post", "memories", {"content": content})["id"]
    ask(key, "post", "memories/batch", {"memories": [{"content": "Bears sleep"}, {"content": "Foxes run"}]})
    ask(key, "post", "memories/search", {"query": "who sings"})
    ask(key, "post", "context", {"query": "how long does dns take", "session_id": session})
    ask(key, "patch", f"memories/{memory}", {"importance": 5})
    ask(key, "get", f"memories/{memory}/history")
    other = ask(key, "post", "memories", {"content": "Owls hunt"})["id"]
    ask(key, "delete", f"memories/{other}")
    ask(key, "post", f"sessions/{session}/end", {})
    for path in ("memories", "sessions", "categories", "triggers", "entities", "memories/changes"):
        ask(key, "get", path)

work(key)
ask(operator_key, "post", "apps", {"app_id": "of-the-release", "name": "of-the-release"})
work(ask(operator_key, "post", "apps/of-the-release/agents", {"name": "agent", "scopes": ["read", "write"]})["api_key"])
ask(operator_key, "get", "apps")
upkeep_due()
upkeep_work()
print(json.dumps(answers))
"""


@each_row_of("rolling")
def test_what_the_release_cannot_serve_beside_is_refused_with_what_to_do_instead(operations: str, refusal: str) -> None:
    state = MigrationLoader(None).project_state([("tenancy", RELEASE["migrations"]["tenancy"])])
    made = eval(f"[migrations.{operations}]", {"migrations": migrations, "models": models})  # noqa: S307  # our own
    refusals = list(rolling.refusals(made, "tenancy", state, rolling.tables_of(state)))
    assert (refusal in "".join(refusals)) if refusal else not refusals


def test_what_is_let_pass_has_to_be_there() -> None:
    allowed = {**RELEASE["allowed"], "memories.0001_initial: Raw SQL operation": "no reason"}
    assert list(rolling.check({**RELEASE, "allowed": allowed})) == [
        "tools/rolling.toml: memories.0001_initial: Raw SQL operation is not refused; take it out."
    ]


def test_migrations_are_compared_with_the_last_release_of_the_changelog() -> None:
    released = re.findall(r"^## \[(\d.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == RELEASE["version"]


@pytest.fixture
def released_code(tmp_path: Path) -> Path:
    """Unpack the release from the history. Skipped where there is none, as in an archive."""
    command = ["git", "archive", RELEASE["revision"], *CODE]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True)  # noqa: S603
    if archive.returncode:
        pytest.skip("the history of git does not reach back to the release")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as packed:
        packed.extractall(tmp_path / "release", filter="data")
    return tmp_path / "release"


@pytest.fixture
def own_server(tmp_path: Path, django_db_setup: None, django_db_blocker: Any) -> Iterator[Server]:
    """Start one whose apps no other test uses: the release works off what waits in all of them."""
    folder = tmp_path / "data"
    folder.mkdir()
    with django_db_blocker.unblock(), serving(folder) as server:
        yield server


@pytest.mark.long
def test_the_release_serves_beside_the_new_code_on_the_new_tables(released_code: Path, own_server: Server) -> None:
    key = own_server.new_app()
    with Memsite(own_server.url, key) as new:
        new.create_memory("Whales sing at noon")
        new.create_document("notes.md", b"# Notes\n\nSeals sing at night.")
        answers = work_of(released_code, own_server.environment, own_server.operator_key, key, "Wolves sing at dusk")
        contents = {hit["content"] for hit in new.search_memories("who sings")["results"]}
    failed = [answer for answer in answers if answer[-1] >= 400]
    assert (failed, contents >= {"Whales sing at noon", "Wolves sing at dusk"}) == ([], True)


def work_of(code: Path, environment: dict[str, str], *arguments: str) -> list[Any]:
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    command = [sys.executable, "-W", "ignore", "-c", WORK, *arguments]
    done = subprocess.run(command, cwd=code, env={**others, **environment}, capture_output=True, text=True)  # noqa: S603
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return answers
