"""Requests of every kind to every operation of the schema: no answer is a 5xx, and each is as the schema says.

    .venv/bin/python -m bench.promises.fuzz [--examples 5] [--seconds 600] [--phases coverage,stateful]

Asked without a key, with an agent's and with an operator's. Exits with 1 if something was found.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.promises.site import PATIENCE_SECONDS, ROOT, Site, answer_of

PROGRAM = ROOT / ".venv" / "trust" / "bin" / "schemathesis"
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "response_headers_conformance"
)
HOOKS = "tests.promises.serializers"
"""How it sends bodies of lines, and asks on behalf of several."""
PHASES = "examples,coverage,fuzzing,stateful"
NOT_ASKED = ("uninstall_app", "revoke_key")
"""They end what the rest is asked with: the app, or its key."""
APP = "fuzzed"
SCOPES = ["read", "write", "operator"]


@dataclass(frozen=True, slots=True)
class Found:
    """What one caller's run came to; `text` is what the program printed."""

    caller: str
    code: int
    text: str


@dataclass(frozen=True, slots=True)
class How:
    """`examples` of each operation and phase; over and over for `seconds`, if any. `only` are operation ids."""

    examples: int
    seconds: int
    seed: int = 7
    phases: str = PHASES
    only: Sequence[str] = ()


def fuzz(site: Site, how: How) -> list[Found]:
    """One run for each caller, at the same time."""
    keys = callers(site)
    with ThreadPoolExecutor(len(keys)) as pool:
        runs = {caller: pool.submit(run, site, {caller: key}, how) for caller, key in keys.items()}
        return [Found(caller, *done.result()) for caller, done in runs.items()]


def fuzz_in_turns(site: Site, how: How) -> Found:
    """One run, its requests by one caller after the other."""
    return Found("all", *run(site, callers(site), how))


def callers(site: Site) -> dict[str, str]:
    return {"nobody": "", "agent": agent_with_things(site), "operator": site.operator_key}


def run(site: Site, keys: dict[str, str], how: How) -> tuple[int, str]:
    command = [
        *(str(PROGRAM), "run", f"{site.url}/api/schema?format=json", "--url", site.url, "--no-color"),
        *("--checks", CHECKS, "--phases", how.phases, "--max-examples", str(how.examples)),
        *("--seed", str(how.seed), "--generation-database", "none"),
        *(("--max-time", str(how.seconds)) if how.seconds else ()),
        *("--continue-on-failure", "--suppress-health-check", "all", "--warnings", "off"),
        *("--request-timeout", str(PATIENCE_SECONDS)),
        *(part for name in how.only for part in ("--include-operation-id", name)),
        *(part for name in NOT_ASKED for part in ("--exclude-operation-id", name)),
    ]
    own = {"PYTHONPATH": str(ROOT), "SCHEMATHESIS_HOOKS": HOOKS, "FUZZ_CALLERS": json.dumps(keys)}
    done = subprocess.run(  # noqa: S603  # their own program
        command, cwd=site.folder, env={**os.environ, **own}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def agent_with_things(site: Site) -> str:
    """Return the key of an agent who may do everything in an app that has something of everything."""
    with site.operator() as operator:
        answer_of(operator.post("apps", json={"app_id": APP, "name": APP, "policy": {"writes_per_minute": 1_000_000}}))
        made = answer_of(operator.post(f"apps/{APP}/agents", json={"name": "agent", "scopes": SCOPES}))
    key: str = made["api_key"]
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"{site.url}/api/v1/", headers=headers, timeout=60) as agent:
        session = answer_of(agent.post("sessions", json={"external_id": "one", "user_id": "u1"}))["id"]
        turn = {"user_input": "I work at Siemens.", "llm_output": "[MEMORY:timing:svc] Takes 5s", "internal_state": {}}
        answer_of(agent.put(f"sessions/{session}/turns/1", json=turn))
        answer_of(agent.post("memories", json={"content": "Whales sing", "category": "work", "session_id": session}))
        answer_of(agent.post("triggers", json={"trigger_date": "2199-01-01", "message": "Dentist"}))
        answer_of(agent.post("cooldowns", json={"action": "restart", "service": "caddy", "seconds": 600}))
    return key


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--examples", type=int, default=50, help="of each operation, caller and phase (50)")
    options.add_argument("--seconds", type=int, default=3600, help="for each caller (3600)")
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--phases", default=PHASES)
    options.add_argument("--only", nargs="*", default=(), help="operation ids")
    given = options.parse_args()
    how = How(given.examples, given.seconds, given.seed, given.phases, given.only)
    with tempfile.TemporaryDirectory(prefix="memsite-fuzz-") as folder, Site(Path(folder)) as site:
        results = fuzz(site, how)
    for item in results:
        print(f"==== {item.caller}: {item.code}\n{item.text}")
    print(json.dumps({item.caller: item.code for item in results}))
    return int(any(item.code for item in results))


if __name__ == "__main__":
    sys.exit(main())
