"""Maintainers' script: writes `multilingual_centre.npy`, the middle of what multilingual-e5-small makes of languages.

    .venv/bin/python -m bench.centre_multilingual

Whatever a text says, its vector leans the same way, which makes unrelated texts 0.74 alike, and more so in one language
than in another. With the middle of many languages taken away unrelated ones are 0.16 alike, what answers a question
stands out more, and what says the same is told better from what contradicts it (Mu and Viswanath 2018 did so with
vectors of words). The texts are Django's own messages in the languages that translate them.
"""

from __future__ import annotations

import gettext
from pathlib import Path

import django
import numpy as np

from memories.providers.embeddings import Vectors
from memories.providers.embeddings.multilingual import MultilingualEmbedder
from memories.providers.embeddings.multilingual_files import CENTRE_FILE, locate_model
from memories.providers.embeddings.multilingual_model import Model, load_model

ENGLISH = "en"
LEAST_LETTERS = 15
MOST_OFTEN = 0.9
"""A message is taken that so many of the languages have, and a language that has so many of these messages."""
PREFIXES = (MultilingualEmbedder.document_prefix, MultilingualEmbedder.query_prefix)


def messages_by_language() -> dict[str, dict[str, str]]:
    """Plain sentences with their translations."""
    folder = Path(django.__file__).parent / "conf" / "locale"
    found = {}
    for file in sorted(folder.glob("*/LC_MESSAGES/django.mo")):
        with file.open("rb") as opened:
            catalog = gettext.GNUTranslations(opened)._catalog  # type: ignore[attr-defined]
        found[file.parts[-3]] = {
            said: told
            for said, told in catalog.items()
            if isinstance(said, str) and is_sentence(said) and told not in ("", said)
        }
    return found


def is_sentence(text: str) -> bool:
    return len(text) >= LEAST_LETTERS and not set(text) & set("%{\x04")


def shared(found: dict[str, dict[str, str]]) -> tuple[list[str], dict[str, dict[str, str]]]:
    """The messages that nearly all languages have, and the languages that have nearly all of them."""
    counted = {said: sum(said in messages for messages in found.values()) for said in set().union(*found.values())}
    most = max(counted.values())
    common = sorted(said for said, count in counted.items() if count >= MOST_OFTEN * most)
    kept = {
        language: messages
        for language, messages in found.items()
        if sum(said in messages for said in common) >= MOST_OFTEN * len(common)
    }
    return common, kept


class Uncentred(MultilingualEmbedder):
    def load(self, folder: Path | None) -> Model:
        return load_model(folder or locate_model(), np.zeros(self.dim, np.float32))


def centre() -> Vectors:
    """The mean over languages of the mean over their messages, as documents and as questions."""
    common, languages = shared(messages_by_language())
    languages[ENGLISH] = {}
    embedder = Uncentred()
    means = [
        embedder.embed([prefix + messages.get(said, said) for said in common]).mean(axis=0)
        for messages in languages.values()
        for prefix in PREFIXES
    ]
    middle: Vectors = np.mean(means, axis=0, dtype=np.float32)
    return middle


if __name__ == "__main__":
    np.save(CENTRE_FILE, centre())
