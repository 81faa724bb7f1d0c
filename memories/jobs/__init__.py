"""The upkeep of an app and of the site, job by job."""

from memories.jobs.catalogue import JOBS, MemoryJob, Upkeeper

__all__ = ["JOBS", "MemoryJob", "Upkeeper"]
