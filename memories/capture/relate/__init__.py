"""How a new statement relates to one already kept: the same, a contradiction, or another matter.

No model is asked and nothing is learned: word lists and a little grammar find what the two share, which
quantities differ, what one affirms and the other denies; `rules.RULES` then decides, first answer wins.
The cosine of the embeddings helps to tell whether both speak about one matter, and never decides alone:
contradictions are often closer in the embedding than paraphrases.
"""

import math

from .matching import Pair
from .reading import read
from .rules import decide
from .tokens import canonical_text
from .verdict import REASON_MAX_CHARS, Relation, Thresholds, Verdict

__all__ = ["Relation", "Thresholds", "Verdict", "relate"]

DEFAULT_THRESHOLDS = Thresholds()


def relate(
    existing: str,
    new: str,
    similarity: float | None = None,
    subject: str = "",
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Verdict:
    """Say how `new` relates to `existing`, both about one subject and category.

    `similarity` is the cosine of their embeddings; None or NaN when there is none yet. Cost: linear in
    the length of the texts, well under a millisecond for a sentence. Never raises.
    """
    if canonical_text(existing) == canonical_text(new):
        return Verdict(Relation.SAME, "identical text", 1.0)
    known = similarity is not None and math.isfinite(similarity)
    scaled = thresholds.scale(float(similarity)) if known and similarity is not None else None
    verdict = decide(Pair(read(existing, subject), read(new, subject), scaled))
    return Verdict(verdict.relation, verdict.reason[:REASON_MAX_CHARS], verdict.score)
