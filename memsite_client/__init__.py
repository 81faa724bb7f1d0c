"""Client of a Memsite server: `Memsite` and `AsyncMemsite`, and what they raise.

Loaded only when they are asked for, because a hook of an agent that waits imports this package, too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memsite_client.aio import AsyncMemsite as AsyncMemsite
    from memsite_client.errors import Conflict as Conflict
    from memsite_client.errors import InvalidRequest as InvalidRequest
    from memsite_client.errors import KeyRefused as KeyRefused
    from memsite_client.errors import MemsiteError as MemsiteError
    from memsite_client.errors import NotConfigured as NotConfigured
    from memsite_client.errors import NotFound as NotFound
    from memsite_client.errors import ProblemError as ProblemError
    from memsite_client.errors import ServerAway as ServerAway
    from memsite_client.errors import ServerFailed as ServerFailed
    from memsite_client.errors import TooManyRequests as TooManyRequests
    from memsite_client.errors import VersionMismatch as VersionMismatch
    from memsite_client.sync import Memsite as Memsite

__version__ = "0.1.0"
__all__ = [
    "AsyncMemsite",
    "Conflict",
    "InvalidRequest",
    "KeyRefused",
    "Memsite",
    "MemsiteError",
    "NotConfigured",
    "NotFound",
    "ProblemError",
    "ServerAway",
    "ServerFailed",
    "TooManyRequests",
    "VersionMismatch",
]
HOMES = {"AsyncMemsite": "memsite_client.aio", "Memsite": "memsite_client.sync"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(HOMES.get(name, "memsite_client.errors")), name)
