"""Documentation cannot fall behind: names, numbers and paths in it are those of the code."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands

from memsite.config.conf import BROKERS, CLIENTS_OWN, Conf, read_conf, unknown_variables, variable
from memsite.tenancy.policy import POLICY_FIELDS, PRESETS, AppPolicy

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
WALKS = re.findall(r"^## (Walk: .+?)\n(.+?)(?=^## )", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE | re.DOTALL)
MOST_BYTES, MOST_WORDS = 10_000, 30_000
NAMES_A_TEST = r"`(?:tests/|make )"
# The changelog tells of what was, too.
of_now = pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: str(page.relative_to(ROOT))
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text())
    local = [link for link in links if not link.startswith(("http:", "https:", "/"))]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_policy_field_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", (ROOT / "docs" / "presets.md").read_text(), re.MULTILINE))
    assert [name for name in POLICY_FIELDS if name not in rows] == []
    policy = AppPolicy()
    for name in POLICY_FIELDS:
        value = getattr(policy, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            assert float(rows[name].replace(",", "")) == value, name


def test_every_preset_is_documented() -> None:
    page = (ROOT / "docs" / "presets.md").read_text()
    assert [preset for preset in PRESETS if f"| `{preset}` |" not in page] == []


@of_now
def test_files_and_tests_that_are_named_exist(page: Path) -> None:
    folders = "memsite|memsite_client|memories|sessions|tests|docs|bench|tools|requirements"
    named = re.findall(rf"`((?:{folders})/[\w/.*-]+)(?:::(\w+))?", page.read_text())
    assert [path for path, _ in named if not any(ROOT.glob(path))] == []
    tests = [(path, name) for path, name in named if name]
    assert [both for both in tests if f"def {both[1]}(" not in (ROOT / both[0]).read_text()] == []


@pytest.mark.parametrize(("page", "least"), [("promises.md", 14), ("promises-security.md", 24)])
def test_each_promise_names_what_shows_it(page: str, least: int) -> None:
    promises = (ROOT / "docs" / page).read_text().partition("## Several hosts")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| ((?!---|promise ).+) \|$", promises, re.MULTILINE)]
    assert len(rows) > least
    assert [row[0] for row in rows if not re.search(NAMES_A_TEST, row[1])] == []


def test_each_requirement_names_what_shows_it() -> None:
    page = (ROOT / "docs" / "requirements.md").read_text()
    items = re.findall(r"^- \*\*(\w+)\*\* (.+?)(?=^- |^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert len({name for name, _ in items}) > 45
    assert [name for name, item in items if not re.search(NAMES_A_TEST, item)] == []


@of_now
def test_commands_that_are_named_exist(page: Path) -> None:
    text, makefile = page.read_text(), (ROOT / "Makefile").read_text()
    targets = re.findall(r"(?:`|^)make ([a-z][\w-]*)", text, re.MULTILINE)
    assert [name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []
    commands = get_commands()
    assert [name for name in re.findall(r"manage\.py (\w+)", text) if name not in commands] == []


@of_now
def test_settings_that_are_named_exist(page: Path) -> None:
    named = re.findall(r"MEMSITE_[A-Z_]*[A-Z]\b", page.read_text())
    assert unknown_variables(dict.fromkeys(named, "")) == []


def test_every_setting_is_documented() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` (\|.*)", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE))
    ours = [variable(field.name) for field in fields(Conf)]
    assert [name for name in (*ours, *CLIENTS_OWN) if name not in rows] == []
    others = [scheme for scheme in BROKERS if scheme not in ("embedded", "memory")]
    assert [scheme for scheme in others if f"`{scheme}://" not in rows["MEMSITE_BROKER_URL"]] == []
    assert [name for name in ours if has_a_meaning_of_its_own(name) and "`0`" not in rows[name]] == []


def has_a_meaning_of_its_own(name: str) -> bool:
    """Whether 0 of it is "never" or "none" rather than a number, as the refusal of less says."""
    try:
        read_conf({name: "-1"})
    except ImproperlyConfigured as error:
        return ", 0 for " in str(error)
    return False


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_short_enough_to_be_read(page: Path) -> None:
    assert len(page.read_bytes()) <= MOST_BYTES


def test_all_pages_together_are_short_enough_to_be_kept_true() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    assert sum(len(page.read_text().split()) for page in pages) <= MOST_WORDS


def test_three_walks_lead_through_the_code() -> None:
    assert len(WALKS) == 3


@pytest.mark.parametrize("walk", [steps for _, steps in WALKS], ids=[title for title, _ in WALKS])
def test_each_file_of_a_walk_is_imported_by_another_one_of_it(walk: str) -> None:
    files = re.findall(r"^\d+\. `([^`]+)`", walk, re.MULTILINE)
    assert len(files) >= 10
    reached = {file: imported_files(ROOT / file) for file in files}
    others = {file: set().union(*(reached[item] for item in files if item != file)) for file in files[1:]}
    assert [file for file, imported in others.items() if file not in imported] == []


def imported_files(file: Path) -> set[str]:
    """Return the files of ours that this one imports, wherever in it."""
    candidates = (path for name in imported_names(file) for path in files_of(name))
    return {path for path in candidates if (ROOT / path).exists()}


def imported_names(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files_of(module: str) -> tuple[str, str]:
    path = module.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"
