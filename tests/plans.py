"""How the database would answer a query if its tables were large."""

from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet


def plan_of(rows: QuerySet[Any, Any]) -> str:
    """With the names of the indexes it uses. PostgreSQL would rather read a small table than its index.

    Between two indexes it decides by what it knows of the memories: where there are none, by chance.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL enable_seqscan TO off; SET LOCAL enable_sort TO off")
                cursor.execute("ANALYZE memories_memory")
        plan = rows.explain()
        transaction.set_rollback(True)
    return plan
