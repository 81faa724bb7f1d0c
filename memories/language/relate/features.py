"""The named numbers the model weighs. Every one is written so that 0 means "nothing to see"."""

from dataclasses import dataclass
from itertools import product

from memories.language.relate import grammar
from memories.language.relate.figures import weigh_clashes, weigh_numbers
from memories.language.relate.grammar import stem
from memories.language.relate.lexicon import opposites_by_form, stems_of
from memories.language.relate.outline import (
    COVERED,
    EXACT,
    Alignment,
    Best,
    Evidence,
    Outline,
    Pair,
    Phrase,
    Words,
    match,
    outline,
)
from memories.language.relate.parsing import DENIED, is_tail, read

_VERBS_OF_MANY = frozenset(stem(verb) for verb in grammar.VERBS_OF_MANY)

UNKNOWN_SHARE = 0.5
"""For a statement without a content word."""


def weigh_remainders(evidence: Evidence, sides: Pair) -> None:
    """Return what is left over on both sides: two values of one kind, or two different matters."""
    f, old, new = evidence.features, sides.aligned.lone_existing, sides.aligned.lone_new
    f["lone_new"] = min(len(new), 5) / 3
    # The word that a statement begins with is one that the other side lacks.
    f["heads_differ"] = float(old[:1] == sides.aligned.existing[:1] != () and new[:1] == sides.aligned.new[:1] != ())
    f["lone_both"] = min(len(old), len(new), 4) / 3
    if old or new:
        first = (" ".join(word.text for word in lone[:3]) or "–" for lone in (old, new))
        evidence.notes["remainder"] = f"left over: {' / '.join(first)}"
    # Both say "likes" or "depends on", which holds of several things at once.
    verbs = [{word.stem for word in side} & _VERBS_OF_MANY for side in (sides.aligned.existing, sides.aligned.new)]
    is_of_many = bool(verbs[0] & verbs[1]) and not (sides.existing.is_exclusive or sides.new.is_exclusive)
    evidence.features["many_valued"] = float(bool(old and new) and is_of_many)
    names = [word.text for word in old if word.is_name], [word.text for word in new if word.is_name]
    evidence.features["other_name"] = float(all(names))
    if all(names):
        evidence.notes["other_name"] = f"other value: {names[0][0]} / {names[1][0]}"
    # Two values of one class, each on one side: "on the GPU" / "on the CPU".
    stems = {word.stem for word in sides.aligned.existing}, {word.stem for word in sides.aligned.new}
    only_old = [word for word in sides.aligned.existing if word.classes and word.stem not in stems[1]]
    only_new = [word for word in sides.aligned.new if word.classes and word.stem not in stems[0]]
    evidence.features["sibling"] = 0.0
    for left, right in product(only_old, only_new):
        if left.groups.isdisjoint(right.groups) and not left.classes.isdisjoint(right.classes):
            evidence.features["sibling"] = 1.0
            evidence.notes["sibling"] = f"other value: {left.text} / {right.text}"


MIN_ALIGNED = 0.3
_ORDER_WORDS = frozenset({"before", "after", "prior to", "following"})
_LASTING = frozenset(
    stem for word in ("keep", "retain", "store", "stay", "valid", "persist") for stem in stems_of(word)
)
WORDS_BEHIND_A_NEGATION = 3


def weigh_signs(evidence: Evidence, aligned: Alignment) -> None:
    """Aligned words said with other signs; "tea over coffee" and "coffee over tea" swap them."""
    clash = agree = strongest = 0.0
    clashing: set[int] = set()
    for word, (value, place) in zip(aligned.existing, aligned.best_existing, strict=True):
        other = aligned.new[place] if aligned.new else word
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
            evidence.notes["sign_clash"] = f"negated: {other.text}"
    evidence.features["sign_clash"] = clash / max(clash + agree, 1.0)
    evidence.features["swapped"] = float(len(clashing) > 1)


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


def weigh_opposites(evidence: Evidence, sides: Pair) -> None:
    """Opposite words and one-sided negations; the one may undo the other: "disabled" / "not enabled"."""
    opposition = Opposition(0, 0, set(), set())
    opposition.ends_then = bool(evidence.features["number_equal"]) and (
        # Something is over "after" a time or when "older" than it.
        grammar.END.isdisjoint(sides.existing.tokens) != grammar.END.isdisjoint(sides.new.tokens)
    )
    opposition.has_order = bool(evidence.features["order_agrees"] or evidence.features["order_clashes"])
    for left, right in product(sides.existing.phrases, sides.new.phrases):
        # "Rejected" / "not allowed": what the list puts on one side of the bar leaves no negation to explain.
        if left.sides & right.sides and left.sign == right.sign and left.text != right.text:
            opposition.faced_old.update(range(left.start, left.end))
            opposition.faced_new.update(range(right.start, right.end))
    for left, right in product(sides.existing.phrases, sides.new.phrases):
        is_used = left.start in opposition.faced_old or right.start in opposition.faced_new
        is_used |= opposition.has_order and (left.text in _ORDER_WORDS or right.text in _ORDER_WORDS)
        if is_used or not are_contraries(left, right):
            continue
        is_left_there = any(phrase.sides == left.sides for phrase in sides.new.phrases)
        if is_left_there or any(phrase.sides == right.sides for phrase in sides.existing.phrases):
            continue
        opposition.faced_old.update(range(left.start, left.end))
        opposition.faced_new.update(range(right.start, right.end))
        is_lasting = any(_LASTING.intersection(stems_of(phrase.text)) for phrase in (left, right))
        right_sign = -right.sign if opposition.ends_then and is_lasting else right.sign
        if opposition.count(left.sign, right_sign):
            evidence.notes.setdefault("opposed", f"opposed: {left.text} / {right.text}")
    _face_forms(evidence, opposition, sides.aligned.existing, sides.aligned.new)
    is_odd = _weigh_negations(evidence, opposition, sides)
    f, oppose, agree = evidence.features, opposition.oppose, opposition.agree
    f["opposed"] = float(oppose > 0)
    f["opposed_more"] = float(oppose > 1)
    f["opposites_agree"] = float(agree > 0 and not oppose)
    f["negated_one_side"] = float(is_odd and not oppose and not agree)
    f["negated_and_opposed"] = float(is_odd and oppose > 0)
    f["negated_and_agree"] = float(is_odd and agree > 0)


def _face_forms(evidence: Evidence, opposition: Opposition, old: Words, new: Words) -> None:
    """Count words and their opposite forms: "Encrypted" / "unencrypted", which no list needs to hold."""
    stems_old, stems_new = {word.stem for word in old}, {word.stem for word in new}
    only_old = [word for word in old if word.stem not in stems_new]
    only_new = [word for word in new if word.stem not in stems_old]
    for left in only_old:
        texts, stems = opposites_by_form(left.text), opposites_by_form(left.stem)
        for right in only_new:
            if (right.text in texts or right.stem in stems) and opposition.count(left.sign, right.sign):
                evidence.notes["opposed"] = f"opposed: {left.text} / {right.text}"


def are_contraries(left: Phrase, right: Phrase) -> bool:
    return left.text != right.text and any((group, -side) in right.sides for group, side in left.sides)


def _weigh_negations(evidence: Evidence, opposition: Opposition, sides: Pair) -> bool:
    """Tell whether the number of negations that no opposite explains is odd."""
    old = _unexplained(sides.existing, sides.new, opposition.faced_old)
    new = _unexplained(sides.new, sides.existing, opposition.faced_new)
    bound_old = [place for place in old if _reaches(sides.aligned.existing, sides.aligned.best_existing, place)]
    bound_new = [place for place in new if _reaches(sides.aligned.new, sides.aligned.best_new, place)]
    old = [place for place in old if place in bound_old or not is_tail(sides.existing.tokens, place)]
    new = [place for place in new if place in bound_new or not is_tail(sides.new.tokens, place)]
    is_shared = (len(bound_old) + len(bound_new)) % 2 == 1
    evidence.features["negated_shared_word"] = float(is_shared)
    if is_shared:
        old, new = bound_old, bound_new
    is_odd = (len(old) + len(new)) % 2 == 1
    if is_odd:
        side, place = (sides.existing, old[0]) if old else (sides.new, new[0])
        evidence.notes["negated_one_side"] = f"negated: {' '.join(side.tokens[place : place + 3])}"
    return is_odd


def _unexplained(side: Outline, other: Outline, faced: set[int]) -> list[int]:
    """Leave out a negation that is part of a phrase the other side says in other words ("no siblings")."""
    spoken = frozenset[int]().union(*other.groups)
    return [place for place in side.turns if place not in faced and not side.groups[place] & spoken]


def _reaches(words: Words, best: Best, start: int) -> bool:
    """Tell whether one of the next words behind a negation is matched on the other side."""
    behind = [value for word, (value, _) in zip(words, best, strict=True) if word.place >= start]
    values = behind[:WORDS_BEHIND_A_NEGATION] or [value for value, _ in best]  # "... is gone"
    return max(values, default=0.0) >= COVERED


def weigh_cues(evidence: Evidence, old: Outline, new: Outline) -> None:
    """Words that tell of a change, of all, or of one alone, on one side only."""
    f = evidence.features
    weak = [float(not grammar.WEAK_CHANGE.isdisjoint(side.tokens)) for side in (old, new)]
    f["weak_change_cue"] = weak[1] - weak[0]
    f["change_cue"] = float(new.is_changed) - float(old.is_changed)
    if f["change_cue"] > 0:
        evidence.notes["change_cue"] = "the new statement tells of a change"
    f["exclusive_differs"] = float(old.is_exclusive != new.is_exclusive)
    f["only_against_all"] = float(
        any(a.is_exclusive and b.is_universal and not a.is_universal for a, b in ((old, new), (new, old)))
    )
    if f["only_against_all"]:
        evidence.notes["only_against_all"] = "only on one side, all on the other"


MAX_ORDERS = 3
"""More of them are no statement any more."""

_DIRECTIONS = {"before": -1, "prior": -1, "after": 1, "once": 1, "following": 1}
_ORDERING = frozenset({*_DIRECTIONS, "until", "for"})


@dataclass(frozen=True)
class Order:
    """`first` and `second` are the words left and right of the one that orders them; -1 says "before"."""

    direction: int
    first: Words
    second: Words


def _orders(side: Outline) -> list[Order]:
    """Each reaches from the boundary before it to the next boundary or order; it may stand in front."""
    places = [place for place, word in enumerate(side.tokens) if word in _ORDERING and _direction(side, place)]
    edges = [place for place, word in enumerate(side.tokens) if word in grammar.BOUNDARIES]
    orders: list[Order] = []
    for place in places:
        start = max((edge for edge in edges if edge < place), default=-1)
        end = min((edge for edge in edges + places if edge > place), default=len(side.tokens))
        first = tuple(word for word in side.words if start < word.place < place)
        second = tuple(word for word in side.words if place < word.place < end)
        if second:
            first = first or tuple(word for word in side.words if word.place > end)
            orders.append(Order(_direction(side, place), first, second))
    return orders[:MAX_ORDERS]


def _direction(side: Outline, start: int) -> int:
    """Return the order that words tell.

    A negated "before" is "after", as is a negated "until"; "after two hours" orders nothing.
    """
    word, before, behind = side.tokens[start], side.tokens[max(start - 1, 0)], side.tokens[start + 1 : start + 2]
    if behind and (behind[0][0].isdigit() or behind[0] in grammar.QUANTITY_WORDS):
        return 0
    if word == "once":
        return int(before == "only" or behind == ("the",))
    if word == "for":
        return int(before in ("wait", "waits", "waiting"))
    is_denied = any(0 < start - place <= DENIED for place in side.negators)
    return 1 if word in ("before", "until") and is_denied else _DIRECTIONS.get(word, 0)


def _agree(order: Order, other: Order) -> int:
    """Return 1 when both put the same thing first, -1 when not, 0 when one cannot tell."""
    straight = crossed = 0.0
    for mine, alike, opposite in ((order.first, other.first, other.second), (order.second, other.second, other.first)):
        for word in mine:
            straight += max((match(word, fellow) for fellow in alike), default=0.0) * word.weight
            crossed += max((match(word, fellow) for fellow in opposite), default=0.0) * word.weight
    if straight == crossed:
        return 0
    same_way = order.direction == other.direction
    return 1 if same_way == (straight > crossed) else -1


COSINE = "cosine"
CLOSE_AT_RELATED, CLOSE_PER_STEP = 0.45, 0.4
"""What closeness adds to "one matter": MiniLM's cosine, for which the features were chosen."""

WEIGHED = (
    COSINE,
    "coverage_low",
    "coverage_high",
    "coverage_mean",
    "exact_shared",
    "opening_exact",
    "length_gap",
    "lone_new",
    "lone_both",
    "other_name",
    "sign_clash",
    "opposed",
    "opposed_more",
    "opposites_agree",
    "negated_and_opposed",
    "negated_and_agree",
    "weak_change_cue",
    "exclusive_differs",
    "only_against_all",
    "number_equal",
    "number_both",
    "number_one_side",
    "number_unpaired",
    "other_subject",
    "any_conflict",
    "matter_and_number",
    "negated_and_shared",
    "value_and_matter",
    "change_and_matter",
    "number_and_shared",
    "order_agrees",
    "order_clashes",
    "negated_one_side",
    "rule_clash",
    "rule_implied",
    "sibling",
    "many_valued",
    "heads_differ",
    "swapped",
)
"""The features the model weighs; the others only feed these, or a reason. Chosen by cross-validation."""


def lay_side_by_side(existing: str, new: str, subject: str) -> Pair:
    old, now = outline(existing, subject), outline(new, subject)
    aligned = Alignment(old.words, now.words)
    return Pair(old, now, aligned, read(old.written, subject), read(now.written, subject))


def extract(sides: Pair, closeness: float | None) -> Evidence:
    """Return the features of a pair and the words behind them. `closeness`: cosine, 0 related and 1 the same."""
    evidence = Evidence()
    f, aligned = evidence.features, sides.aligned
    shares = []
    for words, best in ((aligned.existing, aligned.best_existing), (aligned.new, aligned.best_new)):
        total = sum(word.weight for word in words)
        matched = sum(value * word.weight for word, (value, _) in zip(words, best, strict=True))
        shares.append(matched / total if total else UNKNOWN_SHARE)
    f["coverage_low"], f["coverage_high"] = sorted(shares)
    f["coverage_mean"] = sum(shares) / 2
    pairs = zip(aligned.existing, aligned.best_existing, strict=True)
    exact = sum(word.weight for word, (value, _) in pairs if value >= EXACT)
    f["exact_shared"] = exact / max(
        1.0, min(sum(word.weight for word in side) for side in (aligned.existing, aligned.new))
    )
    f["opening_exact"] = float(bool({w.stem for w in aligned.existing[:2]} & {w.stem for w in aligned.new[:2]}))
    f["length_gap"] = abs(len(aligned.existing) - len(aligned.new)) / 5
    weigh_remainders(evidence, sides)
    weigh_signs(evidence, sides.aligned)
    weigh_numbers(evidence, sides)
    agreed = {_agree(*orders) for orders in product(_orders(sides.existing), _orders(sides.new))}
    evidence.features["order_agrees"] = float(1 in agreed)
    evidence.features["order_clashes"] = float(-1 in agreed and 1 not in agreed)
    if evidence.features["order_clashes"]:
        evidence.notes["order_clashes"] = "opposed: before / after"
    weigh_opposites(evidence, sides)
    weigh_cues(evidence, sides.existing, sides.new)
    weigh_clashes(evidence, sides.existing_statement, sides.new_statement)
    _weigh_together(evidence, closeness)
    return evidence


def _weigh_together(evidence: Evidence, closeness: float | None) -> None:
    """Conflict counts when the matter is one; its absence counts the same way."""
    f = evidence.features
    f[COSINE] = 0.0 if closeness is None else closeness
    coverage = f["coverage_mean"]
    matter = coverage if closeness is None else (coverage + CLOSE_AT_RELATED + CLOSE_PER_STEP * closeness) / 2
    f["any_conflict"] = max(
        f["number_conflict"],
        f["opposed"],
        f["order_clashes"],
        min(f["rule_clash"], 1),
        f["rule_implied"],
        f["sign_clash"],
        f["swapped"],
        0.8 * f["negated_one_side"],
        0.7 * f["sibling"],
    )
    f["matter_and_number"] = matter * f["number_conflict"]
    f["number_and_shared"] = f["number_conflict"] * f["exact_shared"]
    f["negated_and_shared"] = f["negated_shared_word"] * f["exact_shared"]
    f["value_and_matter"] = max(f["other_name"], f["sibling"]) * matter
    f["change_and_matter"] = max(f["change_cue"], 0) * matter
    if not f["negated_one_side"]:
        f["sign_clash"] *= 0.5  # negated on both sides: the signs of single words are guesses
