"""Joins the arms: half meaning, half words, each on a scale from 0 to 1."""

MEANING_WEIGHT = 0.5
WORDS_WEIGHT = 0.5


def fuse(cosines: dict[int, float], words: dict[int, float], relevant: float) -> dict[int, dict[str, float]]:
    """Score parts by memory pk. What shares no word and lies below the cosine `relevant` does not fit."""
    best = max(words.values(), default=0.0) or 1.0
    fits = {pk for pk, cosine in cosines.items() if cosine >= relevant} | words.keys()
    return {
        pk: {
            "meaning": MEANING_WEIGHT * max(0.0, cosines.get(pk, 0.0)),
            "words": WORDS_WEIGHT * words.get(pk, 0.0) / best,
        }
        for pk in fits
    }
