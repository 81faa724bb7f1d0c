"""all-MiniLM-L6-v2 in process: 384 dimensions, no network, about 3 ms for a short query. It knows English."""

from pathlib import Path

from .base import Thresholds
from .in_process import InProcessEmbedder
from .minilm_files import locate_model
from .minilm_model import Model, load_model


class MiniLMEmbedder(InProcessEmbedder):
    name = "all-MiniLM-L6-v2"
    # starting values, calibrated by the benchmark
    thresholds = Thresholds(same=0.85, related=0.45, relevant=0.25)

    def load(self, folder: Path | None) -> Model:
        return load_model(folder or locate_model())
