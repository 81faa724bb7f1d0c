"""`manage.py create_key`: whose key it makes, and why it sometimes does not."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError
from django.utils import timezone

from memories.management.commands import create_key
from memsite.tenancy.keys import find_key
from memsite.tenancy.models import Agent, ApiKey, AppStatus


def run(*arguments: str) -> tuple[str, str]:
    """What went to stdout and to stderr."""
    out, err = StringIO(), StringIO()
    call_command("create_key", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def made(*arguments: str) -> ApiKey:
    """The key on stdout, which holds nothing else."""
    out, _ = run(*arguments)
    assert out.count("\n") == 1
    row = find_key(out.strip(), timezone.now())
    assert row is not None
    return row


def test_agents_key_reads_and_writes(alice):
    row = made("--app", "acme", "--agent", "alice")
    assert (row.agent, row.scopes, row.expires_at) == (alice.agent, ["read", "write"], None)


def test_operators_key_is_of_no_agent(db):
    row = made("--operator")
    assert (row.agent, row.scopes) == (None, ["operator"])


def test_hints_go_to_stderr_and_do_not_hold_the_key(alice):
    out, err = run("--app", "acme", "--agent", "alice")
    assert "acme/alice" in err
    assert out.strip() not in err


def test_missing_agent_is_made_and_told(acme):
    _, err = run("--app", "acme", "--agent", "dora")
    assert "Made the agent dora in acme" in err
    assert Agent.objects.for_app(acme).get().name == "dora"


def test_scopes_are_the_ones_given(acme):
    assert made("--app", "acme", "--agent", "dora", "--scopes", "read").scopes == ["read"]


def test_key_expires_after_so_many_days(acme):
    row = made("--app", "acme", "--agent", "dora", "--expires-days", "30")
    assert row.expires_at is not None
    assert timedelta(days=29) < row.expires_at - timezone.now() <= timedelta(days=30)


def test_unknown_app_is_told_with_the_known_ones(alice, charlie):
    with pytest.raises(CommandError, match=r"no app acne\. Known apps: acme, globex\."):
        run("--app", "acne", "--agent", "alice")


def test_no_app_at_all_is_told(db):
    with pytest.raises(CommandError, match="Known apps: none yet"):
        run("--app", "acme", "--agent", "alice")


def test_uninstalled_app_gets_no_key(acme):
    acme.status = AppStatus.UNINSTALLED
    acme.save()
    with pytest.raises(CommandError, match="uninstalled"):
        run("--app", "acme", "--agent", "alice")


def test_third_live_key_is_refused_with_the_prefixes_of_the_two(alice):
    made("--app", "acme", "--agent", "alice")
    with pytest.raises(CommandError, match="2 live keys already") as refused:
        run("--app", "acme", "--agent", "alice")
    assert all(key.prefix in str(refused.value) for key in alice.agent.keys.all())


def test_expired_key_makes_capacity(alice):
    made("--app", "acme", "--agent", "alice")
    alice.agent.keys.update(expires_at=timezone.now())
    made("--app", "acme", "--agent", "alice")


def test_impossible_agent_name_is_refused_and_nothing_made(acme):
    with pytest.raises(CommandError, match="--agent d/ora: Letters"):
        run("--app", "acme", "--agent", "d/ora")
    assert not Agent.objects.exists()


@pytest.mark.parametrize("arguments", [[], ["--app", "acme"], ["--agent", "alice"]])
def test_key_of_nobody_is_refused(db, arguments):
    with pytest.raises(CommandError, match="Whose key"):
        run(*arguments)


@pytest.mark.parametrize("extra", [["--app", "acme"], ["--agent", "alice"], ["--scopes", "read"]])
def test_operators_key_takes_nothing_else(db, extra):
    with pytest.raises(CommandError, match="--operator goes without"):
        run("--operator", *extra)


@pytest.mark.parametrize(
    "extra",
    [["--scopes", "reed"], ["--scopes", ""], ["--expires-days", "0"], ["--expires-days", "99999999999"]],
)
def test_impossible_options_are_refused(acme, extra):
    with pytest.raises(CommandError, match="argument"):
        run("--app", "acme", "--agent", "alice", *extra)


def test_database_without_tables_is_told_with_what_to_do(db, monkeypatch):
    def missing(*_, **__):
        raise OperationalError("no such table: tenancy_apikey")

    monkeypatch.setattr(create_key, "create_key", missing)
    with pytest.raises(CommandError, match=r"manage\.py setup"):
        run("--operator")
