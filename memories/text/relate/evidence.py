"""What the features of a pair are gathered in."""

from dataclasses import dataclass, field

from .alignment import Alignment
from .outline import Outline
from .statement import Statement


@dataclass(frozen=True)
class Sides:
    """Both statements, read both ways: as the outlines the model compares and as statements with quantities."""

    existing: Outline
    new: Outline
    aligned: Alignment
    existing_statement: Statement
    new_statement: Statement


@dataclass
class Evidence:
    """Features by name, 0 meaning "nothing to see", and the words behind them for a reason."""

    features: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
