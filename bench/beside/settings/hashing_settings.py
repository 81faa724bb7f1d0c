"""The site's settings, but that the hashing embedder makes vectors of as many dimensions as MiniLM.

Not a module of `bench`, which would make a scratch site of its own when it is imported.
"""

from functools import partial

from memories.providers import embeddings
from memories.providers.embeddings import HashEmbedder
from memsite.config.settings import *  # noqa: F403  # all of them

embeddings.HashEmbedder = partial(HashEmbedder, 384)  # type: ignore[assignment,misc]
