"""What one statement affirms and the other denies: opposite words, negations, cues of change."""

from dataclasses import dataclass
from itertools import product

from .alignment import COVERED, Alignment, Words
from .evidence import Evidence, Sides
from .lookup import opposites_by_form, stems_of
from .negation import is_tail
from .outline import Outline, Phrase

MIN_ALIGNED = 0.3
_ORDER_WORDS = frozenset({"before", "after", "prior to", "following"})
_LASTING = frozenset(
    stem for word in ("keep", "retain", "store", "stay", "valid", "persist") for stem in stems_of(word)
)
WORDS_BEHIND_A_NEGATION = 3


def weigh_signs(found: Evidence, aligned: Alignment) -> None:
    """Aligned words said with other signs; "tea over coffee" and "coffee over tea" swap them."""
    clash = agree = strongest = 0.0
    clashing: set[int] = set()
    for word, (value, at) in zip(aligned.existing, aligned.best_existing, strict=True):
        other = aligned.new[at] if aligned.new else word
        weighed = value * min(word.weight, other.weight)
        if weighed < MIN_ALIGNED:
            continue
        if word.sign == other.sign:
            agree += weighed
            continue
        clash += weighed
        clashing.add(word.sign)
        if weighed > strongest:
            strongest = weighed
            found.notes["sign_clash"] = f"negated: {other.text}"
    found.features["sign_clash"] = clash / max(clash + agree, 1.0)
    found.features["swapped"] = float(len(clashing) > 1)


@dataclass
class Opposition:
    """Opposite words oppose with equal signs and agree with other signs. `faced_*` are the tokens used up."""

    oppose: int
    agree: int
    faced_old: set[int]
    faced_new: set[int]
    ends_then: bool = False
    has_order: bool = False

    def count(self, left_sign: int, right_sign: int) -> bool:
        """Count one meeting; tell whether it opposes."""
        opposes = left_sign == right_sign
        self.oppose += opposes
        self.agree += not opposes
        return opposes


def weigh_opposites(found: Evidence, sides: Sides) -> None:
    """Opposite words and one-sided negations; the one may undo the other: "disabled" / "not enabled"."""
    opposition = Opposition(0, 0, set(), set())
    opposition.ends_then = bool(found.features["number_equal"]) and _tells_an_end(sides)
    opposition.has_order = bool(found.features["order_agrees"] or found.features["order_clashes"])
    _pair_phrases_of_one_side(opposition, sides.existing, sides.new)
    _face_phrases(found, opposition, sides.existing, sides.new)
    _face_forms(found, opposition, sides.aligned.existing, sides.aligned.new)
    is_odd = _weigh_negations(found, opposition, sides)
    f, oppose, agree = found.features, opposition.oppose, opposition.agree
    f["opposed"] = float(oppose > 0)
    f["opposed_more"] = float(oppose > 1)
    f["opposites_agree"] = float(agree > 0 and not oppose)
    f["negated_one_side"] = float(is_odd and not oppose and not agree)
    f["negated_and_opposed"] = float(is_odd and oppose > 0)
    f["negated_and_agree"] = float(is_odd and agree > 0)


def _face_phrases(found: Evidence, opposition: Opposition, old: Outline, new: Outline) -> None:
    for left, right in product(old.phrases, new.phrases):
        is_used = left.start in opposition.faced_old or right.start in opposition.faced_new
        is_used |= opposition.has_order and (left.text in _ORDER_WORDS or right.text in _ORDER_WORDS)
        if is_used or not are_contraries(left, right) or _occurs(left, new) or _occurs(right, old):
            continue
        opposition.faced_old.update(range(left.start, left.end))
        opposition.faced_new.update(range(right.start, right.end))
        right_sign = -right.sign if opposition.ends_then and _is_lasting(left, right) else right.sign
        if opposition.count(left.sign, right_sign):
            found.notes.setdefault("opposed", f"opposed: {left.text} / {right.text}")


def _is_lasting(left: Phrase, right: Phrase) -> bool:
    return any(_LASTING.intersection(stems_of(phrase.text)) for phrase in (left, right))


def _tells_an_end(sides: Sides) -> bool:
    """ "Kept for 15 days" is "deleted after 15 days": one of the two tells how long, the other when it is over."""
    return sides.existing.tells_an_end != sides.new.tells_an_end


def _pair_phrases_of_one_side(opposition: Opposition, old: Outline, new: Outline) -> None:
    """ "Rejected" / "not allowed": what the list puts on one side of the bar leaves no negation to explain."""
    for left, right in product(old.phrases, new.phrases):
        if left.sides & right.sides and left.sign == right.sign and left.text != right.text:
            opposition.faced_old.update(range(left.start, left.end))
            opposition.faced_new.update(range(right.start, right.end))


def _face_forms(found: Evidence, opposition: Opposition, old: Words, new: Words) -> None:
    """ "Encrypted" / "unencrypted": what no list needs to hold."""
    stems_old, stems_new = {word.stem for word in old}, {word.stem for word in new}
    only_old = [word for word in old if word.stem not in stems_new]
    only_new = [word for word in new if word.stem not in stems_old]
    for left in only_old:
        texts, stems = opposites_by_form(left.text), opposites_by_form(left.stem)
        for right in only_new:
            if (right.text in texts or right.stem in stems) and opposition.count(left.sign, right.sign):
                found.notes["opposed"] = f"opposed: {left.text} / {right.text}"


def are_contraries(left: Phrase, right: Phrase) -> bool:
    return left.text != right.text and any((group, -side) in right.sides for group, side in left.sides)


def _occurs(phrase: Phrase, other: Outline) -> bool:
    return any(theirs.sides == phrase.sides for theirs in other.phrases)


def _weigh_negations(found: Evidence, opposition: Opposition, sides: Sides) -> bool:
    """Tell whether the number of negations that no opposite explains is odd."""
    old = _unexplained(sides.existing, sides.new, opposition.faced_old)
    new = _unexplained(sides.new, sides.existing, opposition.faced_new)
    bound_old = [at for at in old if _reaches(sides.aligned.existing, sides.aligned.best_existing, at)]
    bound_new = [at for at in new if _reaches(sides.aligned.new, sides.aligned.best_new, at)]
    old = [at for at in old if at in bound_old or not is_tail(sides.existing.tokens, at)]
    new = [at for at in new if at in bound_new or not is_tail(sides.new.tokens, at)]
    is_shared = (len(bound_old) + len(bound_new)) % 2 == 1
    found.features["negated_shared_word"] = float(is_shared)
    if is_shared:
        old, new = bound_old, bound_new
    is_odd = (len(old) + len(new)) % 2 == 1
    if is_odd:
        side, at = (sides.existing, old[0]) if old else (sides.new, new[0])
        found.notes["negated_one_side"] = f"negated: {' '.join(side.tokens[at : at + 3])}"
    return is_odd


def _unexplained(side: Outline, other: Outline, faced: set[int]) -> list[int]:
    """Leave out a negation that is part of a phrase the other side says in other words ("no siblings")."""
    spoken = frozenset[int]().union(*other.groups)
    return [at for at in side.turns if at not in faced and not side.groups[at] & spoken]


def _reaches(words: Words, best: list[tuple[float, int]], at: int) -> bool:
    """Tell whether one of the next words behind a negation is matched on the other side."""
    behind = [value for word, (value, _) in zip(words, best, strict=True) if word.at >= at][:WORDS_BEHIND_A_NEGATION]
    values = behind or [value for value, _ in best]  # "... is gone"
    return max(values, default=0.0) >= COVERED


def weigh_cues(found: Evidence, old: Outline, new: Outline) -> None:
    """Words that tell of a change, of all, or of one alone, on one side only."""
    f = found.features
    f["weak_change_cue"] = float(new.is_weakly_changed) - float(old.is_weakly_changed)
    f["change_cue"] = float(new.is_changed) - float(old.is_changed)
    if f["change_cue"] > 0:
        found.notes["change_cue"] = "the new statement tells of a change"
    f["exclusive_differs"] = float(old.is_exclusive != new.is_exclusive)
    f["only_against_all"] = float(_is_only_against_all(old, new) or _is_only_against_all(new, old))
    if f["only_against_all"]:
        found.notes["only_against_all"] = "only on one side, all on the other"


def _is_only_against_all(one: Outline, all_: Outline) -> bool:
    return one.is_exclusive and all_.is_universal and not one.is_universal
