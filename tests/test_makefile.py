"""`make`: what it offers is described, and what is described is there."""

import ast
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import SLOW
from tests.statements import REPEATED

ROOT = Path(__file__).resolve().parent.parent
MAKEFILE = (ROOT / "Makefile").read_text()
PHONY = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
TARGETS = PHONY[1].split() if PHONY else []

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def make(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment or None)  # noqa: S603


@needs_make
@pytest.mark.parametrize("arguments", [[], ["help"]])
def test_help_lists_every_target_with_a_description(arguments):
    listed = dict(re.findall(r"^  ([a-z]+) +(\S.+)$", make(*arguments).stdout, re.MULTILINE))
    assert list(listed) == TARGETS
    assert {"run", "test", "check", "format", "lock", "clean"} <= listed.keys()


@needs_make
def test_missing_python_is_told_with_the_way_out(tmp_path):
    answer = make("run", f"VENV={tmp_path}/venv", "PYTHON=python-of-nobody")
    assert answer.returncode != 0
    assert "There is no python-of-nobody" in answer.stderr
    assert "PYTHON=/path/to/" in answer.stderr


@needs_make
@pytest.mark.parametrize(
    ("fails", "output"),
    [("version_info", "needs Python 3.11 or newer, and"), ("ensurepip", "apt install python3-venv")],
)
def test_python_that_will_not_do_is_told_with_the_way_out(tmp_path, fails, output):
    """An old Python, or Debian's without ensurepip: a stand-in that fails where those do."""
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\ncase "$*" in *{fails}*) exit 1;; --version) echo "Python 3.9.2";; esac\n')
    python.chmod(0o755)
    answer = make("run", f"VENV={tmp_path}/venv", f"PYTHON={python}")
    assert answer.returncode != 0
    assert output in answer.stderr
    assert not (tmp_path / "venv").exists()


@needs_make
def test_the_command_works_in_a_folder_with_a_space_in_its_name(tmp_path):
    checkout = tmp_path / "Köln neu"
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (checkout / "memsite_client").symlink_to(ROOT / "memsite_client")
    make(".venv/bin/memsite", f"--directory={checkout}", f"--makefile={ROOT / 'Makefile'}")
    memsite = python.with_name("memsite")
    done = subprocess.run([memsite, "search", "--help"], cwd=tmp_path, capture_output=True, text=True)  # noqa: S603
    assert done.stdout.startswith("Usage: memsite search"), done.stderr


@needs_make
def test_the_command_works_after_its_checkout_has_moved(tmp_path):
    python = tmp_path / "old" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / "old" / "memsite_client").symlink_to(ROOT / "memsite_client")
    make(".venv/bin/memsite", f"--directory={tmp_path / 'old'}", f"--makefile={ROOT / 'Makefile'}")
    memsite = (tmp_path / "old").rename(tmp_path / "new") / ".venv" / "bin" / "memsite"
    done = subprocess.run([memsite, "--version"], cwd=tmp_path, capture_output=True, text=True)  # noqa: S603
    assert done.stdout.startswith("memsite"), done.stderr


@needs_make
def test_clean_leaves_what_is_yours_and_nothing_that_was_built(tmp_path):
    ours = [
        "memsite",
        "memories",
        "sessions",
        "memsite_client",
        "bench",
        "tools",
        "tests",
        "data",
        "integrations",
        "examples",
    ]
    built = [".venv/bin", "build", "memsite/__pycache__", "memsite_client/build/lib", "memsite_client/x.egg-info"]
    for folder in (*ours, *built):
        (tmp_path / folder).mkdir(parents=True)
    done = make("clean", f"--directory={tmp_path}", f"--makefile={ROOT / 'Makefile'}")
    assert done.returncode == 0, done.stderr
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")) == sorted(ours)


@needs_make
def test_check_runs_the_tests_last():
    assert "pytest" in make("--dry-run", "check").stdout.strip().splitlines()[-1]


def test_what_ci_runs_is_what_check_runs():
    checks = re.search(r"^check: (.+?) ##", MAKEFILE, re.MULTILINE)
    assert checks
    ci = re.findall(r"^make --no-print-directory ([a-z-]+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    assert ci == checks[1].split()


@pytest.mark.parametrize("listed", [SLOW, REPEATED], ids=lambda path: path.name)
def test_each_test_that_is_left_out_somewhere_is_there(listed):
    gone = [name for name in listed.read_text().split() if not is_there(*name.split("::"))]
    assert not gone, f"Not there any more; take these lines out of {listed.relative_to(ROOT)}"


def is_there(path: str, *names: str) -> bool:
    """Tell whether the file has the function, or the class with the method."""
    inside = statements_of(path)
    for name in names:
        nodes = [node for node in inside if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name]
        if not nodes:
            return False
        inside = nodes[0].body
    return True


@cache
def statements_of(path: str) -> list[ast.stmt]:
    return ast.parse((ROOT / path).read_text()).body if (ROOT / path).exists() else []
