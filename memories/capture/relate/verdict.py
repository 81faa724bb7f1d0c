"""What `relate` answers, and the only numbers a caller may turn."""

from dataclasses import dataclass
from enum import StrEnum

REASON_MAX_CHARS = 120


class Relation(StrEnum):
    """How a new statement stands to one that is already kept."""

    SAME = "same"
    CONTRADICTS = "contradicts"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Verdict:
    """A relation, the rule behind it in an operator's words, and how strongly it holds (0-1)."""

    relation: Relation
    reason: str
    score: float


@dataclass(frozen=True)
class Thresholds:
    """Cosines of the embedding model in use; the defaults suit all-MiniLM-L6-v2."""

    same: float = 0.85
    related: float = 0.45

    def scale(self, similarity: float) -> float:
        """Map a cosine to 0-1 so that `related` lands on 0.45 and `same` on 0.85, whatever the model."""
        related, same = self.related, max(self.same, self.related + 0.01)
        if similarity <= related:
            scaled = 0.45 * similarity / related if related > 0 else 0.0
        elif similarity <= same:
            scaled = 0.45 + 0.4 * (similarity - related) / (same - related)
        else:
            scaled = 0.85 + 0.15 * (similarity - same) / max(1.0 - same, 0.01)
        return min(max(scaled, 0.0), 1.0)
