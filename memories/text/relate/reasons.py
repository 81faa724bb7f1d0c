"""Say in an operator's words what a verdict rests on."""

from .evidence import Evidence
from .verdict import Relation

STRONGEST_FIRST = {
    "number_conflict": 0.5, "opposed": 0.5, "order_clashes": 0.5, "rule_implied": 0.5, "negated_one_side": 0.5,
    "rule_clash": 0.5, "other_name": 0.5, "sibling": 0.5, "only_against_all": 0.5, "sign_clash": 0.05,
    "change_cue": 0.5,
}  # fmt: skip
"""Evidence of a contradiction → the value from which it is named."""


def give_reason(relation: Relation, evidence: Evidence) -> str:
    """A contradiction names its conflict; the other verdicts never do."""
    if relation is Relation.CONTRADICTS:
        return find_conflict(evidence) or f"same matter; {evidence.notes.get('remainder', 'each says its own')}"
    share = f"{100 * evidence.features['coverage_mean']:.0f} % of the words are matched"
    if relation is Relation.SAME:
        return f"same matter, no conflict; {share}"
    return f"another matter; {evidence.notes.get('remainder', share)}"


def find_conflict(evidence: Evidence) -> str | None:
    """Name what opposes the two; None where each only has words that the other has not."""
    for name, least in STRONGEST_FIRST.items():
        if name in evidence.notes and evidence.features[name] >= least:
            return evidence.notes[name]
    return None
