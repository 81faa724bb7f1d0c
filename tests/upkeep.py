"""Jobs, done at once."""

from collections import Counter

from django.utils import timezone

from memories.jobs import JOBS
from memories.maintain.housekeeping import apps_to_purge
from memories.tasks import upkeeper
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App, AppStatus


def do(job: str) -> Counter[str]:
    """The job's work for every active app, whenever it is due; answers its counts."""
    counts: Counter[str] = Counter()
    for app in App.objects.filter(status=AppStatus.ACTIVE).select_related("policy"):
        run = Unclaimed(timezone.now())
        JOBS[job].work(upkeeper(app), run)
        counts.update(run.counts)
    return counts


def upkeep_learn_due() -> int:
    return do("extraction")["stored"]


def upkeep_summaries() -> int:
    return do("summaries")["written"]


def upkeep_embed_missing() -> int:
    return do("embedding")["embedded"] + do("reembedding")["embedded"]


def upkeep_shrink() -> int:
    return do("limit")["made_room"]


def upkeep_purge() -> None:
    """Of apps that are not active, too."""
    for app in apps_to_purge():
        JOBS["purge"].work(upkeeper(app), Unclaimed(timezone.now()))
