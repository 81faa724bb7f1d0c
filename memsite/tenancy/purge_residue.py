"""What deleted rows leave behind in the files of a database, and whether that has been swept away.

Deleted is deleted for everyone who asks the database. Its files may hold traces for a while: in the log of last writes,
in the full-text index, in the unused parts of pages. `memories.store.vacuum` removes them.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection, models

SWEPT = 1
"""The row of what was swept. In it 0.1.0 counted the deletions of all apps, too."""
NOTE = """
INSERT INTO tenancy_residue (id, purges, swept, seconds) VALUES (%s, 1, 0, 0)
ON CONFLICT (id) DO UPDATE SET purges = tenancy_residue.purges + 1
"""


class Residue(models.Model):
    """How many deletions for good there were, in a row for each app, so that apps do not wait for one another.

    The row `SWEPT` says how many of all the last sweep has followed.
    """

    purges = models.PositiveBigIntegerField(default=0)
    swept = models.PositiveBigIntegerField(default=0)
    swept_at = models.DateTimeField(null=True)
    seconds = models.FloatField(default=0, help_text="How long the last sweep took.")

    def __str__(self) -> str:
        return f"{self.swept} of {self.purges} purges swept"


def note_residue(app_pk: int) -> None:
    """Call it in the transaction that deletes. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(NOTE, [SWEPT + app_pk])


def residue() -> Residue | None:
    """Return what waits to be swept, with the number of all `purges`; None if nothing does. One query."""
    rows = list(Residue.objects.all())
    seen = next((row for row in rows if row.pk == SWEPT), Residue(pk=SWEPT))
    seen.purges = sum(row.purges for row in rows)
    return seen if seen.purges > seen.swept else None


def note_swept(seen: Residue, now: datetime, seconds: float) -> None:
    """Note that everything deleted before `seen` was read is swept."""
    swept = {"swept": seen.purges, "swept_at": now, "seconds": seconds}
    Residue.objects.update_or_create(pk=SWEPT, defaults=swept)
