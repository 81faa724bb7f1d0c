"""The upkeep of an app and of the site, job by job."""

from memories.jobs.catalogue import JOBS, MemoryJob, Service

__all__ = ["JOBS", "MemoryJob", "Service"]
