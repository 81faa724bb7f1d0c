"""Documentation cannot fall behind: names, numbers and paths in it are those of the code."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from memsite.tenancy.policy import POLICY_FIELDS, PRESETS, AppPolicy

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


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


def test_requirements_name_files_and_tests_that_exist() -> None:
    page = (ROOT / "docs" / "requirements.md").read_text()
    paths = re.findall(r"`((?:memsite(?:_client)?|memories|sessions|tests|docs|templates)/[\w/.-]+)(?:::(\w+))?`", page)
    assert len(paths) > 40
    assert [path for path, _ in paths if not (ROOT / path).exists()] == []
    missing = [f"{path}::{test}" for path, test in paths if test and f"def {test}" not in (ROOT / path).read_text()]
    assert missing == []


def test_commands_in_the_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`?make (\w+)", readme):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for command in re.findall(r"manage\.py (\w+)", readme):
        assert (ROOT / "memories" / "management" / "commands" / f"{command}.py").exists(), command


def compose_services() -> dict[str, Any]:
    page = (ROOT / "docs" / "deploy.md").read_text()
    [example] = re.findall(r"```yaml\n# compose\.yaml\n(.*?)```", page, re.DOTALL)
    services: dict[str, Any] = yaml.safe_load(example)["services"]
    return services


def test_containers_run_what_the_procfile_has() -> None:
    processes = re.findall(r"^(\w+):", (ROOT / "Procfile").read_text(), re.MULTILINE)
    commands = [shlex.split(service.get("command", "")) for service in compose_services().values()]
    started = [command[-1] for command in commands if command[:2] == ["honcho", "start"]]
    assert sorted(["release", *started]) == sorted(processes)


def test_containers_are_back_after_a_restart_of_the_machine_and_wait_for_the_database_itself() -> None:
    services = compose_services()
    assert services.pop("setup")["restart"] == "no"
    assert {name: service.get("restart") for name, service in services.items()} == dict.fromkeys(
        services, "unless-stopped"
    )
    assert "pg_isready -h 127.0.0.1" in services["db"]["healthcheck"]["test"]
