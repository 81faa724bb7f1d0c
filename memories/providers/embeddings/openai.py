"""OpenAI, and the many servers that speak its `POST /embeddings`."""

from collections.abc import Collection

from ..http import bearer
from ..outward import ORDINARY_NETWORKS
from ..patience import Patience
from .base import EmbedderUnavailable
from .remote import RemoteEmbedder

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "text-embedding-3-small"


class OpenAIEmbedder(RemoteEmbedder):
    """The key goes into one request header and is kept nowhere else. Servers at home need none."""

    provider = "openai"

    def __init__(
        self,
        url: str = DEFAULT_URL,
        model: str = DEFAULT_MODEL,
        api_key: str = "",
        patience: Patience | None = None,
        networks: Collection[str] = ORDINARY_NETWORKS,
    ) -> None:
        super().__init__(url, model, bearer(api_key), patience, networks=networks)

    def _ask(self, inputs: list[str]) -> object:
        payload = {"model": self._model, "input": inputs, "encoding_format": "float"}
        return in_order(self._api.post("/embeddings", payload))


def in_order(answer: object) -> list[object]:
    """The vectors sorted by their `index`. Raises EmbedderUnavailable when an index is missing."""
    try:
        found = {item["index"]: item["embedding"] for item in answer["data"]}  # type: ignore[index]
        return [found[index] for index in range(len(found))]
    except (KeyError, TypeError):
        raise EmbedderUnavailable("the answer is not a list of numbered vectors") from None
