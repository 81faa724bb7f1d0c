"""The only writer of memories."""

from memories.store.candidate import Candidate
from memories.store.writer import NothingToUndo, Writer, writing

__all__ = ["Candidate", "NothingToUndo", "Writer", "writing"]
