"""The job that keeps copies of the whole database."""

from __future__ import annotations

from datetime import datetime

import structlog
from django.db import transaction

from memories.maintain.run import Run
from memsite.backup import make_backup
from memsite.conf import get_conf

log = structlog.get_logger("memories.maintain")


def backup(now: datetime, run: Run) -> None:
    """One backup of all apps into `MEMSITE_BACKUP_DIR`, old ones rotated out. Counts `bytes` and `seconds`.

    Raises BackupError, with a sentence for people.
    """
    conf = get_conf()
    made = make_backup(conf.backups, now, conf.backup_keep)
    with transaction.atomic():
        run.done({"bytes": made.bytes, "seconds": round(made.seconds)})
    log.info("backed_up", bytes=made.bytes, seconds=round(made.seconds, 1))
