"""How a database stands to this code, by the migrations that were applied to it."""

import os

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from memsite.db.versions import TABLES, Standing, is_migrated, make_tables, standing, tables_script

pytestmark = pytest.mark.django_db


def applied() -> set[tuple[str, str]]:
    return set(MigrationRecorder.Migration.objects.values_list("app", "name"))


def test_a_new_database_is_up_to_date() -> None:
    assert standing(applied()) == Standing(unknown=[], is_older=False)


def test_an_empty_database_is_older() -> None:
    assert standing([]) == Standing(unknown=[], is_older=True)


def test_an_unknown_migration_is_named() -> None:
    assert standing([*applied(), ("memories", "9999_to_come")]).unknown == ["memories.9999_to_come"]


def test_a_database_with_a_migration_to_apply_is_not_ready() -> None:
    assert is_migrated()
    MigrationRecorder.Migration.objects.get(app="agent_sessions", name="0001_initial").delete()
    assert not is_migrated()


def test_each_app_of_ours_has_one_migration_and_few_since_the_release() -> None:
    """Squash once more before a release; a site that is installed gets further ones."""
    ours = {"tenancy", "agent_sessions", "memories", "jobs", "oauth"}
    assert {item for item in applied() if item[0] in ours} == {
        *((app, "0001_initial") for app in ours),
        ("tenancy", "0002_guidance"),
        ("tenancy", "0003_sliding_write_rate"),
        ("tenancy", "0004_min_score"),
        ("tenancy", "0005_documents"),
        ("tenancy", "0006_agents"),
        ("tenancy", "0007_identity"),
        ("tenancy", "0008_missing_write_slots"),
        ("memories", "0002_documents"),
        ("memories", "0003_saved_views"),
        ("memories", "0004_alerts"),
        ("jobs", "0002_given_up"),
    }


@pytest.mark.skipif(connection.vendor != "sqlite", reason="tables.sql is SQLite's")
def test_a_first_start_makes_what_the_migrations_make() -> None:
    """`make tables` writes the file anew."""
    if "TEST_WRITE_TABLES" in os.environ:
        TABLES.write_text(tables_script(), encoding="utf-8")
    assert TABLES.read_text(encoding="utf-8") == tables_script()


def test_tables_of_other_migrations_are_not_made() -> None:
    assert not make_tables({**MigrationLoader(None).disk_migrations, ("axes", "9999_newer"): None})
