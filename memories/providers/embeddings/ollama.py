"""Ollama: models on one's own machine, over `POST /api/embed`."""

from collections.abc import Collection

from ..outward import ORDINARY_NETWORKS
from ..patience import Patience
from .base import EmbedderUnavailable
from .remote import RemoteEmbedder

DEFAULT_URL = "http://127.0.0.1:11434"
DEFAULT_MODEL = "nomic-embed-text"


class OllamaEmbedder(RemoteEmbedder):
    """Ollama cuts texts that are too long for the model by itself."""

    provider = "ollama"

    def __init__(
        self, url: str = DEFAULT_URL, model: str = DEFAULT_MODEL, patience: Patience | None = None,
        networks: Collection[str] = ORDINARY_NETWORKS,
    ) -> None:  # fmt: skip
        hints = {404: f"no such model or address; try `ollama pull {model}`"}
        super().__init__(url, model, patience=patience, hints=hints, networks=networks)

    def _ask(self, inputs: list[str]) -> object:
        answer = self._api.post("/api/embed", {"model": self._model, "input": inputs})
        if not isinstance(answer, dict):
            raise EmbedderUnavailable("the answer is not an object")
        return answer.get("embeddings")
