"""Where databases stand that were made when migrations were not one yet."""

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db.migrations.recorder import MigrationRecorder

from memsite.health import is_migrated
from memsite.versions import standing

pytestmark = pytest.mark.django_db


def applied() -> set[tuple[str, str]]:
    return set(MigrationRecorder.Migration.objects.values_list("app", "name"))


def test_a_database_that_was_just_made_is_whole() -> None:
    found = standing(applied())
    assert (found.unknown, found.halfway, found.is_older, found.why_halfway) == ([], [], False, "")


def test_an_empty_one_is_older_and_nothing_else() -> None:
    found = standing([])
    assert (found.unknown, found.halfway, found.is_older) == ([], [], True)


def test_one_that_has_all_that_became_one_is_whole_without_it() -> None:
    before = {(app, name) for app, name in applied() if (app, name) != ("memories", "0001_initial")}
    assert len(before) == len(applied()) - 1
    assert standing(before) == standing(applied())


def test_half_of_what_became_one_is_neither_whole_nor_simply_older() -> None:
    half = [("tenancy", "0001_apps_agents_keys"), ("tenancy", "0002_summaries_and_sentiment")]
    assert standing(half).halfway == ["tenancy.0001_initial"]


def test_what_nobody_knows_here_is_told_by_name() -> None:
    assert standing([*applied(), ("memories", "9999_to_come")]).unknown == ["memories.9999_to_come"]


def test_nothing_starts_and_nothing_migrates_halfway() -> None:
    assert is_migrated()
    MigrationRecorder.Migration.objects.get(app="agent_sessions", name="0004_cooldowns").delete()
    assert not is_migrated()
    with pytest.raises(SystemCheckError, match=r"halfway .* agent_sessions\.0001_initial\. .* commit c8a8f1a\."):
        call_command("migrate", verbosity=0, skip_checks=False)
