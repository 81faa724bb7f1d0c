"""What `relate` answers, and the only numbers a caller may turn."""

from dataclasses import dataclass
from enum import StrEnum

REASON_MAX_CHARS = 120
LEAST, MOST = -1.25, 1.5


class Relation(StrEnum):
    """How a new statement stands to one that is already kept.

    The rules tell same, contradicts and different apart, and what says all of the other in its words and more; a
    language model also sees what adds to it otherwise, and what takes the place of another that was true.
    """

    SAME = "same"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    ELABORATES = "elaborates"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Verdict:
    """A relation, the evidence behind it in an operator's words, and its probability (0-1).

    `is_shown` tells of a contradiction of the rules whether some word or number shows it. Else both only have words of
    their own, which those who hold one subject fixed mean as contraries as a rule.
    `is_certain`: the two are of one matter, however far apart their embeddings are. `ended_before`: it is the existing
    one that tells the end of what the new one says ("the trip is off" / "is going to Rome"). `matched` is the share
    (0-1) of their words that have a like on the other side.
    """

    relation: Relation
    reason: str
    score: float
    is_shown: bool = True
    is_certain: bool = False
    ended_before: bool = False
    matched: float = 1.0


@dataclass(frozen=True)
class Thresholds:
    """Cosines of the embedding model in use; the defaults suit all-MiniLM-L6-v2."""

    same: float = 0.85
    related: float = 0.45

    def scale(self, similarity: float) -> float:
        """Map a cosine so that `related` lands on 0 and `same` on 1, whatever the model."""
        scaled = (similarity - self.related) / max(self.same - self.related, 0.01)
        return min(max(scaled, LEAST), MOST)
