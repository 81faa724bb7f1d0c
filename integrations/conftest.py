"""An app of its own for each test, on the server that `make test-frameworks` starts."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# CrewAI would tell its makers of each crew.
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")
sys.path[:0] = [str(ROOT), *(str(folder) for folder in (ROOT / "integrations").iterdir() if folder.is_dir())]

from memsite_client import Memsite  # noqa: E402

NUMBERS = count(int(time.time() * 1000))
LONGEST_WAIT_SECONDS = 60


@pytest.fixture
def new_app() -> Callable[..., str]:
    """Return what makes an app with this policy, and returns the key of its agent."""

    def make(**policy: object) -> str:
        app_id = f"frames-{next(NUMBERS)}"
        with Memsite(os.environ["MEMSITE_URL"], os.environ["MEMSITE_OPERATOR_KEY"]) as operator:
            operator.create_app(app_id, app_id, policy=dict(policy))
            return operator.create_agent(app_id, "agent")["api_key"]

    return make


@pytest.fixture
def memsite(new_app: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Memsite]:
    """A client of a new app, whose key the environment has, too."""
    monkeypatch.setenv("MEMSITE_API_KEY", new_app())
    with Memsite() as client:
        yield client


@pytest.fixture
def learnt(memsite: Memsite) -> Callable[[str], str]:
    """Return what waits until a memory holds this word, and returns what it says."""

    def wait(word: str) -> str:
        ends = time.monotonic() + LONGEST_WAIT_SECONDS
        while time.monotonic() < ends:
            for memory in memsite.list_memories():
                if word in memory["content"]:
                    return memory["content"]
            time.sleep(0.2)
        raise AssertionError(f"Nothing was learnt of {word}.")

    return wait
