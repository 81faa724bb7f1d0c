"""How a new statement relates to one already kept: the same, a contradiction, or another matter.

Word lists and a little grammar find what the two share, which quantities differ, what one affirms and the other
denies; one small linear model weighs it all (`features.WEIGHED`, `weights.json`, made by `bench.train_relate`).
The cosine of the embeddings is one feature among many: contradictions are often closer in the embedding than
paraphrases.
"""

import math
from dataclasses import replace

from memories.language.relate.compatible import (
    find_other_denied,
    find_other_habit,
    find_other_possession,
    find_why_both_hold,
)
from memories.language.relate.equivalence import (
    find_additions,
    find_insertion,
    find_other_marks,
    find_other_unit,
    find_other_wording,
    find_plain_denial,
    find_plain_opposite,
    find_replacement,
)
from memories.language.relate.features import extract, lay_side_by_side
from memories.language.relate.figures import find_added_values, find_other_figure
from memories.language.relate.lexicon import canonical_text, tokenize
from memories.language.relate.outline import Evidence, Pair
from memories.language.relate.topics import (
    find_come_true,
    find_other_relative,
    is_said_of_a_relative,
    name_other_topics,
)
from memories.language.relate.verdict import (
    REASON_MAX_CHARS,
    WITH_COSINE,
    WITHOUT_COSINE,
    Relation,
    Thresholds,
    Verdict,
    find_conflict,
    give_reason,
    judge_foreign,
    load_model,
)

__all__ = ["Relation", "Thresholds", "Verdict", "find_room_beside", "judge_same_words", "relate"]

DEFAULT_THRESHOLDS = Thresholds()
DENIED = 0.9
"""How sure a verdict is that only a plain denial gives: where the model finds nothing else that differs."""

MIN_COVERAGE_OF_THE_SAME = 0.15
"""Without a word in common nothing is the same, however close the embeddings."""


def relate(
    existing: str,
    new: str,
    similarity: float | None = None,
    subject: str = "",
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Verdict:
    """Say how `new` relates to `existing`, both about one subject and category.

    `similarity` is the cosine of their embeddings; None or NaN when there is none yet. Cost: about a
    millisecond for new sentences; what was read before is kept. Never raises.
    """
    if canonical_text(existing) == canonical_text(new):
        return Verdict(Relation.SAME, "identical text", 1.0)
    is_known = similarity is not None and math.isfinite(similarity)
    closeness = thresholds.scale(float(similarity)) if is_known and similarity is not None else None
    verdict = _judge(existing, new, closeness, subject)
    return replace(verdict, reason=verdict.reason[:REASON_MAX_CHARS], score=round(verdict.score, 3))


def judge_same_words(existing: str, new: str) -> Verdict | None:
    """Judge two statements of the same words, for which an order or a sign decides; None where words differ.

    "On Fridays we deploy" / "we deploy on Fridays" is the same, "Tom reports to Alice" / "Alice reports to Tom" is not.
    """
    texts = existing, new
    old, now = (sorted(token.text for token in tokenize(text) if token.text[0].isalnum()) for text in texts)
    if not old or old != now:
        return None
    sides = lay_side_by_side(existing, new, "")
    other = find_other_wording(sides.existing, sides.new) or find_other_marks(*texts)
    return Verdict(Relation.DIFFERENT, other, DENIED) if other else Verdict(Relation.SAME, "the same words", 1.0)


def find_room_beside(existing: str, new: str, subject: str = "") -> str:
    """Say what else than the one the other denies, or parts with; empty where it may be the same."""
    if other := find_other_possession(existing, new):
        return other
    sides = lay_side_by_side(existing, new, subject)
    return "" if sides.existing.is_empty or sides.new.is_empty else find_other_denied(sides.existing, sides.new) or ""


def _judge(existing: str, new: str, closeness: float | None, subject: str) -> Verdict:
    sides = lay_side_by_side(existing, new, subject)
    foreign = judge_foreign(sides, closeness)
    if foreign is not None:
        return foreign
    if sides.existing.is_empty or sides.new.is_empty:
        return Verdict(Relation.DIFFERENT, "nothing to compare", 1.0)
    if other := find_other_denied(sides.existing, sides.new):
        return Verdict(Relation.DIFFERENT, other, DENIED)
    evidence = extract(sides, closeness)
    model = load_model(WITHOUT_COSINE if closeness is None else WITH_COSINE)
    probabilities = model.probabilities(evidence.features)
    relation = max(probabilities, key=lambda label: probabilities[label])
    if relation is Relation.SAME:
        return _judge_the_same(sides, evidence, probabilities[relation])
    if relation is Relation.CONTRADICTS:
        # Judge what the model takes for a contradiction: it is none where both may be true, or where the new one
        # only says more.
        certainty = probabilities[relation]
        why_both = find_why_both_hold(sides, evidence) or find_other_habit(sides)
        why_both = why_both or is_said_of_a_relative(sides.existing, sides.new)
        if why_both:
            return Verdict(Relation.DIFFERENT, why_both, 1 - certainty)
        is_shown = find_conflict(evidence) is not None
        more = [] if is_shown else find_insertion(sides, find_added_values(sides)[0])
        if more:
            return Verdict(Relation.ELABORATES, f"says more: {' '.join(more)}", 1 - certainty)
        reason, matched = give_reason(Relation.CONTRADICTS, evidence), evidence.features["coverage_mean"]
        return Verdict(Relation.CONTRADICTS, reason, certainty, is_shown, matched=matched)
    return Verdict(relation, give_reason(relation, evidence), probabilities[relation])


def _judge_the_same(sides: Pair, evidence: Evidence, certainty: float) -> Verdict:
    """Judge what the model takes for the same: it is that only if nothing is denied and nothing would be lost."""
    outlines = sides.existing, sides.new
    denial = find_plain_denial(sides, evidence) or find_plain_opposite(*outlines) or find_other_unit(*outlines)
    if denial:
        return Verdict(Relation.CONTRADICTS, denial, DENIED)
    if other := find_other_relative(*outlines) or name_other_topics(sides):
        return Verdict(Relation.DIFFERENT, other, 1 - certainty)
    values, is_whole = find_added_values(sides)
    more = find_insertion(sides, values)
    if more or (values and is_whole and not sides.aligned.lone_existing):
        return Verdict(Relation.ELABORATES, f"says more: {' '.join(more or values)}", certainty)
    doubt = _doubt_the_same(sides, evidence, values)
    if doubt:
        return Verdict(Relation.DIFFERENT, doubt, 1 - certainty)
    matched = evidence.features["coverage_mean"]
    return Verdict(Relation.SAME, give_reason(Relation.SAME, evidence), certainty, matched=matched)


def _doubt_the_same(sides: Pair, evidence: Evidence, values: list[str]) -> str | None:
    """Say why two statements are not the same after all: nothing may be lost, nor `values` that only one has."""
    if added := find_additions(sides) or values:
        return f"says more: {' '.join(added)}"
    if replaced := find_replacement(sides):
        return f"another word in its place: {' / '.join(replaced)}"
    if figures := find_other_figure(sides):
        return f"tells another figure: {' / '.join(figures)}"
    old, new = sides.existing, sides.new
    other = find_come_true(old, new) or find_other_marks(old.written, new.written)
    if other := other or find_other_wording(old, new):
        return other
    f = evidence.features
    if f["coverage_high"] < MIN_COVERAGE_OF_THE_SAME and not f["opposites_agree"]:
        return f"another matter; {evidence.notes.get('remainder', 'no word in common')}"
    return None
