"""The only writer of memories."""

from memories.store.candidate import Candidate
from memories.store.room import LimitReached, Suggestion
from memories.store.transaction import AppGone, shrink, writing
from memories.store.writer import NothingToUndo, Writer

__all__ = ["AppGone", "Candidate", "LimitReached", "NothingToUndo", "Suggestion", "Writer", "shrink", "writing"]
