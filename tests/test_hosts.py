"""The stand of hosts reads what users get: the unit, the compose file, the configurations of HAProxy and PgBouncer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memsite.config.conf import unknown_variables
from tools.hosts.network import HOSTS, NETWORK, addresses
from tools.hosts.services import COMPOSE, UNIT, read_compose, read_unit
from tools.hosts.stand import BALANCER, POOLER, with_addresses

GIVEN = {"MEMSITE_SECRET_KEY": "key", "POSTGRES_PASSWORD": "word"}


def test_a_host_runs_the_commands_of_the_unit_that_users_get() -> None:
    options = {"SERVE_OPTIONS": "--host 10.0.0.11 --workers 1"}
    unit = read_unit(UNIT.read_text(), "web", Path("/state"), options)
    assert unit.before[0][1:] == ["manage.py", "setup", "--unattended"]
    assert unit.command[1:] == ["manage.py", "serve", "--only", "web", "--host", "10.0.0.11", "--workers", "1"]
    assert unit.environment["MEMSITE_DATA_DIR"] == "/state/memsite"


def test_options_that_are_not_given_leave_no_empty_word() -> None:
    unit = read_unit(UNIT.read_text(), "beat", Path("/state"), {})
    assert unit.command[-2:] == ["--only", "beat"]


def test_hosts_have_the_environment_of_the_compose_file() -> None:
    environment, database = read_compose(COMPOSE.read_text(), GIVEN)
    assert environment["MEMSITE_DATABASE_URL"] == "postgresql://memsite:word@db/memsite"
    assert database["POSTGRES_DB"] == "memsite"
    assert not unknown_variables(environment)


def test_what_the_compose_file_demands_has_to_be_given() -> None:
    with pytest.raises(KeyError):
        read_compose(COMPOSE.read_text(), {})


def test_names_in_the_compose_file_are_hosts_of_the_stand() -> None:
    environment, _ = read_compose(COMPOSE.read_text(), GIVEN)
    names = re.findall(r"(?:@|//)(\w+)/", " ".join(environment.values()))
    assert names
    assert set(names) <= HOSTS.keys()


@pytest.mark.parametrize("path", [BALANCER, POOLER])
def test_configurations_of_users_name_hosts_of_the_stand(path: Path) -> None:
    named = set(re.findall(rf"{re.escape(NETWORK)}\.\d+", with_addresses(path.read_text())))
    assert named
    assert named <= set(addresses().values())
