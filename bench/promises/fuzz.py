"""Requests of every kind to every operation of the schema: no answer is a 5xx, and each is as the schema says.

    .venv/bin/python -m bench.promises.fuzz [--examples 5] [--seed 7] [--phases coverage,fuzzing,stateful]

Asked without a key, with an agent's and with an operator's. Exits with 1 if something was found.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.promises.site import ROOT, Site, told

PROGRAM = ROOT / ".venv" / "trust" / "bin" / "schemathesis"
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "response_headers_conformance"
)
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


def fuzz(site: Site, examples: int, seed: int, phases: str = PHASES, only: Sequence[str] = ()) -> list[Found]:
    """One run for each caller. `only` are operation ids."""
    keys = {"nobody": "", "agent": agent_with_things(site), "operator": site.operator_key}
    return [Found(caller, *run(site, key, examples, seed, phases, only)) for caller, key in keys.items()]


def run(site: Site, key: str, examples: int, seed: int, phases: str, only: Sequence[str]) -> tuple[int, str]:
    command = [
        *(str(PROGRAM), "run", f"{site.url}/api/schema?format=json", "--url", site.url, "--no-color"),
        *("--checks", CHECKS, "--phases", phases, "--max-examples", str(examples), "--seed", str(seed)),
        *("--generation-database", "none", "--continue-on-failure", "--suppress-health-check", "all"),
        *("--warnings", "off", "--request-timeout", "60", "--output-sanitize", "true"),
        *(part for name in only for part in ("--include-operation-id", name)),
        *(part for name in NOT_ASKED for part in ("--exclude-operation-id", name)),
    ]
    if key:
        command += ["--header", f"Authorization:Bearer {key}"]
    done = subprocess.run(command, cwd=site.folder, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    return done.returncode, done.stdout + done.stderr


def agent_with_things(site: Site) -> str:
    """The key of an agent who may do everything in an app that has something of everything."""
    with site.operator() as operator:
        told(operator.post("apps", json={"app_id": APP, "name": APP, "policy": {"writes_per_minute": 1_000_000}}))
        made = told(operator.post(f"apps/{APP}/agents", json={"name": "agent", "scopes": SCOPES}))
    key: str = made["api_key"]
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"{site.url}/api/v1/", headers=headers, timeout=60) as agent:
        session = told(agent.post("sessions", json={"external_id": "one", "user_id": "u1"}))["id"]
        turn = {"user_input": "I work at Siemens.", "llm_output": "[MEMORY:timing:svc] Takes 5s", "internal_state": {}}
        told(agent.put(f"sessions/{session}/turns/1", json=turn))
        told(agent.post("memories", json={"content": "Whales sing", "category": "work", "session_id": session}))
        told(agent.post("triggers", json={"trigger_date": "2199-01-01", "message": "Dentist"}))
        told(agent.post("cooldowns", json={"action": "restart", "service": "caddy", "seconds": 600}))
    return key


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--examples", type=int, default=100, help="of each operation, for each caller and phase (100)")
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--phases", default=PHASES)
    options.add_argument("--only", nargs="*", default=(), help="operation ids")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="memsite-fuzz-") as folder, Site(Path(folder)) as site:
        found = fuzz(site, given.examples, given.seed, given.phases, given.only)
    for one in found:
        print(f"==== {one.caller}: {one.code}\n{one.text}")
    print(json.dumps({one.caller: one.code for one in found}))
    return int(any(one.code for one in found))


if __name__ == "__main__":
    sys.exit(main())
