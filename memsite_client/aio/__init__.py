"""The client for asyncio."""

from memsite_client.aio.apps import AsyncApps
from memsite_client.aio.learning import AsyncLearning
from memsite_client.aio.memories import AsyncMemories
from memsite_client.aio.portable import AsyncPortable
from memsite_client.aio.recall import AsyncRecall
from memsite_client.aio.sessions import AsyncSessions
from memsite_client.aio.telling import AsyncTelling

__all__ = ["AsyncMemsite"]


class AsyncMemsite(AsyncMemories, AsyncRecall, AsyncSessions, AsyncLearning, AsyncApps, AsyncPortable, AsyncTelling):
    """Every door of the API as a method, named as in `/api/docs`."""
