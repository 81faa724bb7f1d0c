"""All jobs, by name."""

from __future__ import annotations

from typing import Any

from memories.jobs.base import MemoryJob, Upkeeper
from memories.jobs.calendar import Decay, Monthly, Nightly, Triggers, Weekly
from memories.jobs.site import Backups, Housekeeping, Sweep
from memories.jobs.sweeps import (
    EmbeddingBacklog,
    ExtractionSweep,
    FlushCrashed,
    Imports,
    LargeApps,
    LimitSweep,
    Purging,
    Reembedding,
    Rollbacks,
    SummarySweep,
    Webhooks,
)
from memsite.jobs.job import Job

__all__ = ["JOBS", "MemoryJob", "Upkeeper"]

EVERY_JOB: tuple[Job[Any], ...] = (
    ExtractionSweep(),
    EmbeddingBacklog(),
    Reembedding(),
    LargeApps(),
    SummarySweep(),
    LimitSweep(),
    FlushCrashed(),
    Imports(),
    Rollbacks(),
    Webhooks(),
    Purging(),
    Triggers(),
    Decay(),
    Nightly(),
    Weekly(),
    Monthly(),
    Housekeeping(),
    Sweep(),
    Backups(),
)
JOBS = {job.name: job for job in EVERY_JOB}
