"""The job that keeps copies of the whole database."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import structlog
from django.db import transaction

from memories.maintain.derived import damage_in_copy, mend_all, named
from memories.maintain.run import Run
from memsite.config.conf import get_conf
from memsite.ops.backup import make_backup

log = structlog.get_logger("memories.maintain")


def backup(now: datetime, run: Run) -> None:
    """One backup of all apps into `MEMSITE_BACKUP_DIR`, old ones rotated out. Counts `bytes`, `seconds` and, of what is
    damaged and can be made anew, `damaged` and `mended`: what the copy shows is mended on the site.

    Raises BackupError, with a sentence for people.
    """
    conf = get_conf()
    made = make_backup(conf.backups, now, conf.backup_keep, damage_in_copy)
    with transaction.atomic():
        run.done({"bytes": made.bytes, "seconds": round(made.seconds)})
    if made.damaged:
        log.error("backed_up_with_damage", damaged=named(made.damaged))
        mended = mend_all(made.damaged)
        with transaction.atomic():
            run.done({"damaged": sum(map(Counter.total, made.damaged.values())), "mended": mended.total()})
    log.info("backed_up", bytes=made.bytes, seconds=round(made.seconds, 1))
