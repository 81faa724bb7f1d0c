"""The only writer of memories."""

from memories.store.transaction import AppGone, LimitReached, Suggestion, shrink, writing
from memories.store.writer import Candidate, NothingToUndo, Writer

__all__ = ["AppGone", "Candidate", "LimitReached", "NothingToUndo", "Suggestion", "Writer", "shrink", "writing"]
