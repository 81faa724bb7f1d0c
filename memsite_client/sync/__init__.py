# Written by `make client` from memsite_client/aio/__init__.py: change that file.
"""The client that waits for each answer."""

from memsite_client.sync.apps import Apps
from memsite_client.sync.learning import Learning
from memsite_client.sync.memories import Memories
from memsite_client.sync.portable import Portable
from memsite_client.sync.recall import Recall
from memsite_client.sync.sessions import Sessions
from memsite_client.sync.telling import Telling

__all__ = ["Memsite"]


class Memsite(Memories, Recall, Sessions, Learning, Apps, Portable, Telling):
    """Every door of the API as a method, named as in `/api/docs`."""
