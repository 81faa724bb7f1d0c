"""Maintainers' script: writes `multilingual_leanings.npy`, where multilingual-e5-small leans in each language.

    .venv/bin/python -m bench.multilingual_leanings

Whatever a text says, its vector leans the same way, which makes unrelated texts 0.74 alike, and more so in one language
than in another. With the middle of many languages taken away unrelated ones are 0.16 alike, what answers a question
stands out more, and what says the same is told better from what contradicts it (Mu and Viswanath 2018 did so with
vectors of words). What a text then still leans to its own language more than English does is taken away, too. The texts
are Django's own messages in the languages that translate them.
"""

from __future__ import annotations

import gettext
from pathlib import Path

import django
import numpy as np

from memories.providers.embeddings import normalise_rows
from memories.providers.embeddings.multilingual import (
    LEANINGS_FILE,
    Leanings,
    Model,
    MultilingualEmbedder,
    load_model,
    locate_model,
)

ENGLISH = "en"
LEAST_LETTERS = 15
MOST_OFTEN = 0.9
"""A message is taken that so many of the languages have, and a language that has so many of these messages."""
PREFIXES = (MultilingualEmbedder.document_prefix, MultilingualEmbedder.query_prefix)


def messages_by_language() -> dict[str, dict[str, str]]:
    """Plain sentences with their translations."""
    folder = Path(django.__file__).parent / "conf" / "locale"
    results = {}
    for file in sorted(folder.glob("*/LC_MESSAGES/django.mo")):
        with file.open("rb") as opened:
            catalog = gettext.GNUTranslations(opened)._catalog  # type: ignore[attr-defined]
        results[file.parts[-3]] = {
            statement: output
            for statement, output in catalog.items()
            if isinstance(statement, str) and is_sentence(statement) and output not in ("", statement)
        }
    return results


def is_sentence(text: str) -> bool:
    return len(text) >= LEAST_LETTERS and not set(text) & set("%{\x04")


def shared(values: dict[str, dict[str, str]]) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Return the messages that nearly all languages have, and the languages that have nearly all of them."""
    counted = {
        statement: sum(statement in messages for messages in values.values())
        for statement in set().union(*values.values())
    }
    most = max(counted.values())
    common = sorted(statement for statement, count in counted.items() if count >= MOST_OFTEN * most)
    stored = {
        language: messages
        for language, messages in values.items()
        if sum(statement in messages for statement in common) >= MOST_OFTEN * len(common)
    }
    return common, stored


class AsItIs(MultilingualEmbedder):
    """Nothing taken away."""

    def load(self, folder: Path | None) -> Model:
        nothing = np.zeros((1, self.dim), np.float32)
        return load_model(folder or locate_model(), Leanings(nothing[0], nothing))


def leanings() -> Leanings:
    """Return the centre and the leanings: means over languages of means over messages, as documents and questions."""
    common, languages = shared(messages_by_language())
    languages[ENGLISH] = {}
    embedder = AsItIs()
    means = [
        [
            embedder.embed([prefix + messages.get(statement, statement) for statement in common]).mean(axis=0)
            for prefix in PREFIXES
        ]
        for messages in languages.values()
    ]
    of_languages = np.mean(means, axis=1, dtype=np.float32)
    centre = of_languages.mean(axis=0)
    return Leanings(centre, normalise_rows(of_languages - centre))


if __name__ == "__main__":
    measured = leanings()
    np.save(LEANINGS_FILE, np.concatenate([measured.centre[None], measured.languages]))
