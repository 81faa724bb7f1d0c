"""multilingual-e5-small in process: 384 dimensions, no network. It knows some hundred languages, and one in another."""

from pathlib import Path

from .base import Thresholds
from .in_process import InProcessEmbedder
from .multilingual_files import locate_model
from .multilingual_model import Model, load_model


class MultilingualEmbedder(InProcessEmbedder):
    """Wang et al. 2024. The weights are somebody's rounding of the published ones to 4 bits."""

    name = "multilingual-e5-small-q4"
    document_prefix = "passage: "
    query_prefix = "query: "
    # `same` and `related` are as far between apart and alike as MiniLM's (`bands`); `relevant` leaves out as much of
    # what answers the questions of the development conversations as MiniLM's does; `usual` was measured on them.
    thresholds = Thresholds(same=0.956, related=0.867, relevant=0.79, usual=(0.739, 0.023))

    def load(self, folder: Path | None) -> Model:
        return load_model(folder or locate_model())
