"""The full-text index, asked as its database asks it."""

from django.db import connection

IN_SQLITE = "SELECT count(*) FROM memories_fulltext WHERE memories_fulltext MATCH %s"
IN_POSTGRES = "SELECT count(*) FROM memories_memory WHERE words @@ memsite_query(app_id, %s)"


def words_found(word: str) -> int:
    """How many memories of all apps the index knows with the word."""
    with connection.cursor() as cursor:
        cursor.execute(IN_SQLITE if connection.vendor == "sqlite" else IN_POSTGRES, [word])
        return int(cursor.fetchone()[0])


def check_index_of_words() -> None:
    """Raises if the index holds anything else than the memories do. PostgreSQL's is a part of them."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO memories_fulltext (memories_fulltext, rank) VALUES ('integrity-check', 1)")
