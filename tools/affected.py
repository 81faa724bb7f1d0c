"""Which test files a change can touch, by imports; run the nearest of them.

    .venv/bin/python -m tools.affected [--since REVISION] [--seconds 50] [--all] [--list]

A test file is touched by a change of a module that it imports, directly or through others; the fewer imports lie
between, the nearer it is. A test that speaks HTTP or opens pages is taken to import the views that its folder is about.
The nearest files run until the budget of seconds is used, by their seconds in the last run; what is left out is named.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools import call

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("memsite", "memories", "sessions", "memsite_client", "bench", "tools", "tests")
DURATIONS = ROOT / ".pytest_cache" / "v" / "durations"
QUICK = "not long and not browser"
"""What `make test` runs."""
UNKNOWN_SECONDS = 2.0
"""Of a test file that has not run here yet."""
PROCESSES = 2
VIEWS = {
    "tests/api": "memories.api.urls",
    "tests/compat": "memsite.config.urls",
    "tests/mcp": "memories.mcp.views",
    "tests/dashboard": "memories.dashboard.urls",
    "tests/oauth": "memsite.oauth.views",
    "tests/cli": "memsite_client.cli",
}
"""What the tests of a folder ask over HTTP, though they do not import it."""
ONLY_LONG = ("tests/browser/", "tests/promises/")
"""Folders whose tests `make test` leaves to `make test-long`."""
WITHOUT_PYTHON = {
    "memsite/templates/": ["tests/dashboard", "tests/memories/test_admin_pages.py", "tests/policy/test_web.py"],
    "docs/": ["tests/test_docs.py"],
    "README.md": ["tests/test_docs.py"],
    "ARCHITECTURE.md": ["tests/test_docs.py"],
    "CHANGELOG.md": ["tests/test_docs.py"],
    "CONTRIBUTING.md": ["tests/test_docs.py"],
    "Makefile": ["tests/test_makefile.py"],
    ".importlinter": ["tests/policy"],
    "pyproject.toml": ["tests/test_makefile.py"],
}
"""Test files and folders of what no Python imports, by how its path begins."""


def main(arguments: list[str]) -> int:
    """Run the nearest tests and return the exit code of pytest; 0 where nothing is touched."""
    options = read_options(arguments)
    changed = list(changed_files(options.since))
    nearest = affected_tests(changed)
    chosen, left_out = fit(nearest, read_durations(), None if options.all else options.seconds)
    tell(f"{len(changed)} changed files reach {len(nearest)} test files; {len(chosen)} of them run.")
    if options.list:
        tell("\n".join(chosen))
        return 0
    if not chosen:
        return 0
    processes = ["-n", str(PROCESSES)] if len(chosen) > PROCESSES else []
    code = call([sys.executable, "-m", "pytest", *processes, "-m", QUICK, *chosen])
    if left_out:
        tell(f"Left for `make test`: {len(left_out)} test files, the nearest of them {', '.join(left_out[:5])}.")
    return 0 if code == NO_TESTS else code


NO_TESTS = 5
"""pytest's exit code where the marks leave no test."""


def read_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default="HEAD", help="what to compare with; HEAD: what is not committed yet")
    parser.add_argument("--seconds", type=float, default=50.0, help="how long the tests may take on two cores")
    parser.add_argument("--all", action="store_true", help="all that is touched, however long it takes")
    parser.add_argument("--list", action="store_true", help="name the test files, run none")
    return parser.parse_args(arguments)


def changed_files(since: str) -> Iterator[str]:
    """Yield paths, relative to the checkout, of what differs from a revision or is not known to git yet."""
    for command in (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"]):
        answer = subprocess.run(["git", *command], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603, S607
        yield from answer.stdout.splitlines()


def affected_tests(changed: Iterable[str]) -> list[str]:
    """Return the test files that a change of these paths can touch, the nearest first."""
    importers = reverse_imports()
    distances: dict[str, int] = {}
    for path in changed:
        for test, distance in tests_of(path, importers):
            distances[test] = min(distance, distances.get(test, distance))
    quick = (test for test in distances if not test.startswith(ONLY_LONG))
    return sorted(quick, key=lambda test: (distances[test], test))


def tests_of(path: str, importers: dict[str, set[str]]) -> Iterator[tuple[str, int]]:
    """Yield (test file, imports between it and `path`)."""
    if path.endswith("conftest.py"):
        yield from ((test, 1) for test in test_files() if test.startswith(f"{Path(path).parent}/"))
    elif path.endswith(".py"):
        yield from walk_importers(module_of(path), importers)
    elif path.startswith("tests/data/"):
        stem = Path(path).stem
        yield from ((test, 0) for test in test_files() if stem in (ROOT / test).read_text(encoding="utf-8"))
    for beginning, tests in WITHOUT_PYTHON.items():
        if path.startswith(beginning):
            yield from ((test, 0) for test in test_files() if test.startswith(tuple(tests)))


def walk_importers(module: str, importers: dict[str, set[str]]) -> Iterator[tuple[str, int]]:
    seen = {module: 0}
    queue = deque([module])
    while queue:
        current = queue.popleft()
        if is_test(current):
            yield path_of(current), seen[current]
        for importer in importers.get(current, ()):
            if importer not in seen:
                seen[importer] = seen[current] + 1
                queue.append(importer)


def reverse_imports() -> dict[str, set[str]]:
    """Return who imports a module, for each module of the checkout."""
    modules = {module_of(str(path)): path for path in python_files()}
    importers: dict[str, set[str]] = {}
    for module, path in modules.items():
        for imported in imports_of(module, path, modules):
            importers.setdefault(imported, set()).add(module)
    return importers


def imports_of(module: str, path: Path, modules: dict[str, Path]) -> Iterator[str]:
    if is_test(module):
        yield from (view for folder, view in VIEWS.items() if str(path).startswith(folder))
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse((ROOT / path).read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, node.module] if node.module else above)
            names = [source, *(f"{source}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name in modules and name != module)


def python_files() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py"))


def test_files() -> list[str]:
    return [str(path) for path in python_files() if is_test(module_of(str(path)))]


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def path_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def is_test(module: str) -> bool:
    return module.startswith("tests.") and module.rpartition(".")[2].startswith("test_")


def read_durations() -> dict[str, float]:
    """Return the seconds of each test file in the last run that had it (tests/conftest.py writes them)."""
    return json.loads(DURATIONS.read_text(encoding="utf-8")) if DURATIONS.exists() else {}


def fit(tests: list[str], durations: dict[str, float], seconds: float | None) -> tuple[list[str], list[str]]:
    """Return (the first tests that fit into the seconds together, or the nearest if none does; the others)."""
    if seconds is None:
        return tests, []
    left = seconds * PROCESSES
    chosen: list[str] = []
    for test in tests:
        needed = durations.get(test, UNKNOWN_SECONDS)
        if needed <= left:
            left -= needed
            chosen.append(test)
    chosen = chosen or tests[:1]
    return chosen, [test for test in tests if test not in chosen]


def tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # a command


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
