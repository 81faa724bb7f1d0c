"""What deleted rows leave behind in the files of a database, and whether that has been swept away.

Deleted is deleted for everyone who asks the database. Its files may hold traces for a while: in the log of last writes,
in the full-text index, in the unused parts of pages. `memories.store.vacuum` removes them.
"""

from datetime import datetime

from django.db import connection, models
from django.db.models import F

NOTE = """
INSERT INTO tenancy_residue (id, purges, swept, seconds) VALUES (1, 1, 0, 0)
ON CONFLICT (id) DO UPDATE SET purges = tenancy_residue.purges + 1
"""


class Residue(models.Model):
    """The one row: how many deletions for good there were, and how many of them the last sweep has followed."""

    purges = models.PositiveBigIntegerField(default=0)
    swept = models.PositiveBigIntegerField(default=0)
    swept_at = models.DateTimeField(null=True)
    seconds = models.FloatField(default=0, help_text="How long the last sweep took.")

    def __str__(self) -> str:
        return f"{self.swept} of {self.purges} purges swept"


def note_residue() -> None:
    """Call it in the transaction that deletes. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(NOTE)


def residue() -> Residue | None:
    """Return what waits to be swept; None if nothing does. One query."""
    return Residue.objects.filter(pk=1, purges__gt=F("swept")).first()


def note_swept(seen: Residue, now: datetime, seconds: float) -> None:
    """Note that everything deleted before `seen` was read is swept."""
    Residue.objects.filter(pk=1).update(swept=seen.purges, swept_at=now, seconds=seconds)
