"""That the tests run on the database that they were given."""

import os

from django.db import connection

from memories.models import Memory
from tests.plans import plan_of

SAYS = {
    "sqlite": ("SELECT 'SQLite ' || sqlite_version()", "SQLite 3."),
    "postgresql": ("SELECT version()", "PostgreSQL "),
}


def test_it_is_the_one_that_was_given(db: None) -> None:
    given = "postgresql" if os.environ.get("TEST_DATABASE_URL") else "sqlite"
    question, begins = SAYS[given]
    with connection.cursor() as cursor:
        cursor.execute(question)
        assert cursor.fetchone()[0].startswith(begins)


def test_a_plan_names_the_table_that_it_reads(db: None) -> None:
    assert "memories_memory" in plan_of(Memory.objects.all())
