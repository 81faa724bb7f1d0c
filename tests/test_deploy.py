"""The files for containers, Kubernetes, systemd and proxies: what they name exists, and they agree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memories.management.commands.serve import PARTS, REQUEST_SECONDS
from memsite import __version__
from memsite.config.conf import unknown_variables
from tools.image_check import instructions

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE = [ROOT / "compose.yaml", ROOT / "compose.postgres.yaml"]
UNITS = sorted((DEPLOY / "systemd").iterdir())
TEMPLATES = sorted((DEPLOY / "helm" / "memsite" / "templates").iterdir())
FILES = [ROOT / "Containerfile", *COMPOSE, *(path for path in sorted(DEPLOY.rglob("*")) if path.is_file())]
YAML = [path for path in FILES if path.suffix == ".yaml" and path not in TEMPLATES]
CONTAINERFILE = instructions((ROOT / "Containerfile").read_text())


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text()))


def services(path: Path) -> dict[str, dict[str, Any]]:
    (document,) = documents(path)
    every: dict[str, dict[str, Any]] = document["services"]
    return {name: service for name, service in every.items() if "build" in service}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_settings_that_are_named_exist(path: Path) -> None:
    named = re.findall(r"MEMSITE_[A-Z_]*[A-Z]\b", path.read_text())
    assert unknown_variables(dict.fromkeys(named, "")) == []


@pytest.mark.parametrize("path", YAML, ids=name_of)
def test_it_can_be_read(path: Path) -> None:
    assert all(documents(path))


@pytest.mark.parametrize("path", [path for path in FILES if path not in UNITS], ids=name_of)
def test_each_part_is_one_that_serve_knows(path: Path) -> None:
    named = re.findall(r"--only,? ([a-z]+)", path.read_text())
    assert set(named) <= set(PARTS)


def test_compose_runs_every_part_on_postgresql() -> None:
    named = re.findall(r"--only (\w+)", COMPOSE[1].read_text())
    assert (len(services(COMPOSE[1])), sorted(named)) == (4, sorted(PARTS))


@pytest.mark.parametrize("path", COMPOSE, ids=name_of)
def test_containers_are_stopped_no_sooner_than_web_has_finished_its_requests(path: Path) -> None:
    seconds = [int(service["stop_grace_period"].removesuffix("s")) for service in services(path).values()]
    assert min(seconds) > REQUEST_SECONDS


def test_containers_are_back_after_a_restart_of_the_machine_and_wait_for_the_database_itself() -> None:
    every = documents(COMPOSE[1])[0]["services"]
    assert every.pop("setup")["restart"] == "no"
    assert {name: service.get("restart") for name, service in every.items()} == dict.fromkeys(every, "unless-stopped")
    assert "pg_isready -h 127.0.0.1" in every["db"]["healthcheck"]["test"]


@pytest.mark.parametrize("path", COMPOSE, ids=name_of)
def test_containers_can_write_to_their_volume_alone(path: Path) -> None:
    for service in services(path).values():
        assert (service["read_only"], service["cap_drop"], service["volumes"]) == (True, ["ALL"], ["data:/data"])


@pytest.mark.parametrize("path", COMPOSE, ids=name_of)
def test_images_are_built_of_the_containerfile(path: Path) -> None:
    """Docker would look for another name."""
    assert {service["build"]["dockerfile"] for service in services(path).values()} == {"Containerfile"}


@pytest.mark.parametrize("path", UNITS, ids=name_of)
def test_units_are_stopped_no_sooner_than_web_has_finished_its_requests(path: Path) -> None:
    assert int(re.findall(r"^TimeoutStopSec=(\d+)$", path.read_text(), re.MULTILINE)[0]) > REQUEST_SECONDS


def test_pods_are_as_confined_as_the_image_is_tried() -> None:
    stateful_set, _ = documents(DEPLOY / "kubernetes" / "memsite.yaml")
    pod = stateful_set["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    user = dict(CONTAINERFILE)["USER"].partition(":")[0]
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, int(user))
    assert container["securityContext"]["readOnlyRootFilesystem"]
    probes = [container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")]
    assert probes == ["/readyz", "/readyz", "/healthz"]


def test_the_dashboard_of_grafana_asks_for_metrics_that_there_are() -> None:
    page = (ROOT / "docs" / "monitoring.md").read_text()
    panels = json.loads((DEPLOY / "grafana" / "memsite.json").read_text())["panels"]
    metrics = {name for panel in panels for name in re.findall(r"memsite_\w+", json.dumps(panel["targets"]))}
    assert len(metrics) > 15
    assert [name for name in metrics if f"`{name.removesuffix('_bucket')}`" not in page] == []


def test_manifests_name_the_version() -> None:
    (kustomization,) = documents(DEPLOY / "kubernetes" / "kustomization.yaml")
    (chart,) = documents(DEPLOY / "helm" / "memsite" / "Chart.yaml")
    assert (kustomization["images"][0]["newTag"], chart["appVersion"]) == (__version__, __version__)


def test_the_image_is_made_of_what_the_context_lets_in() -> None:
    lines = (ROOT / ".containerignore").read_text().splitlines()
    allowed = [line[1:] for line in lines if line.startswith("!")]
    assert [name for name in allowed if not (ROOT / name).exists()] == []
    copies = [rest.split()[:-1] for name, rest in CONTAINERFILE if name == "COPY" and "--from" not in rest]
    named = [word for words in copies for word in words]
    assert [word for word in named if word != "." and word.split("/")[0] not in allowed] == []


def test_the_image_has_the_client_programs_of_the_database() -> None:
    """Debian 13 has those of PostgreSQL 17, which refuse a newer server."""
    assert {rest.split()[0] for name, rest in CONTAINERFILE if name == "FROM"} >= {"debian:trixie-slim"}
    assert documents(COMPOSE[1])[0]["services"]["db"]["image"].endswith(":pg17")
