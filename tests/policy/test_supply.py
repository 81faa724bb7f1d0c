"""What is installed is what was locked: each with its hash, from nowhere that a list would name."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from memsite import __version__

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
PIN = re.compile(
    r"[a-z0-9][a-z0-9._-]*(\[[a-z0-9,_-]+\])?==[^\s;]+( ; [^\\]+)? \\(\n {4}--hash=sha256:[0-9a-f]{64}( \\)?)+"
)


def pins(lock: Path) -> list[str]:
    return re.split(r"\n(?=\S)", lock.read_text().strip())


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_dependency_is_locked_with_its_hash_and_no_list_names_an_address(lock: Path) -> None:
    assert [pin for pin in pins(lock) if not PIN.fullmatch(pin)] == []
    assert "://" not in lock.read_text()
    assert "--index" not in lock.read_text()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_what_is_asked_for_is_locked(lock: Path) -> None:
    requested = re.findall(r"^([a-z0-9][\w.-]*)", lock.with_suffix(".in").read_text(), re.MULTILINE)
    locked = {plain(re.split(r"[\[=]", pin)[0]) for pin in pins(lock)}
    assert requested
    assert {plain(name) for name in requested} <= locked


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name)


def test_nothing_is_installed_without_its_hash() -> None:
    makefile = (ROOT / "Makefile").read_text()
    installs = re.findall(r"^(?:INSTALL :=|\t@.*pip .*install) .*$", makefile, re.MULTILINE)
    assert len(installs) >= 3
    assert [line for line in installs if "--require-hashes" not in line or "--no-deps" not in line] == []


def test_what_is_run_and_what_is_tested_are_the_same_versions() -> None:
    run, dev = (set(pins(ROOT / "requirements" / f"{name}.lock")) for name in ("run", "dev"))
    assert {pin.split(" ")[0] for pin in run} <= {pin.split(" ")[0] for pin in dev}


def test_the_package_asks_for_what_the_lock_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each range contains the version that the tests run with; the model's package is ours."""
    answer: dict[str, Any] = {}
    monkeypatch.setattr("setuptools.setup", lambda **words: answer.update(words))
    runpy.run_path(str(ROOT / "setup.py"))
    requested = {Requirement(text) for text in answer["install_requires"]}
    own = {item for item in requested if item.name.startswith("memsite-")}
    locked = dict(
        re.findall(r"^([a-z0-9._-]+)(?:\[.+?\])?==(\S+)", (ROOT / "requirements" / "run.lock").read_text(), re.M)
    )
    assert [str(item) for item in requested - own if locked[plain(item.name)] not in item.specifier] == []
    assert {str(item) for item in own} == {f"memsite-client=={__version__}", "memsite-minilm<2,>=1"}
    assert len(requested - own) == len(re.findall(r"^[a-z]", (ROOT / "requirements" / "run.in").read_text(), re.M)) - 1
