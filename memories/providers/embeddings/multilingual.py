"""multilingual-e5-small in process: 384 dimensions, no network. It knows some hundred languages, and one in another."""

from pathlib import Path

from .base import Thresholds
from .in_process import InProcessEmbedder
from .multilingual_files import locate_model
from .multilingual_model import Model, load_model


class MultilingualEmbedder(InProcessEmbedder):
    """Wang et al. 2024, with what vectors lean to by their language taken away (`bench.multilingual_leanings`). The
    weights are somebody's rounding of the published ones to 4 bits.
    """

    name = "multilingual-e5-small-q4"
    document_prefix = "passage: "
    query_prefix = "query: "
    # Of labelled pairs as few different statements are above `same` as with MiniLM (0.3 %), of the development
    # conversations as much of what answers is below `relevant` (15 %). `related` lies where as many contradictions are
    # seen where there are none (83 of 1,289 pairs); as many as with MiniLM are not found then (423 instead of 474).
    thresholds = Thresholds(same=0.80, related=0.45, relevant=0.34, usual=(0.163, 0.074))

    def load(self, folder: Path | None) -> Model:
        return load_model(folder or locate_model())
