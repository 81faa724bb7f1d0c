"""How much of each statement the other one says, and what is left over."""

from itertools import product

from . import cues
from .alignment import EXACT, Words
from .evidence import Evidence, Sides
from .outline import Word
from .stems import stem

_VERBS_OF_MANY = frozenset(stem(verb) for verb in cues.VERBS_OF_MANY)

Best = list[tuple[float, int]]
UNKNOWN_SHARE = 0.5
"""For a statement without a content word."""


def weigh_coverage(found: Evidence, sides: Sides) -> None:
    f, aligned = found.features, sides.aligned
    shares = _share(aligned.existing, aligned.best_existing), _share(aligned.new, aligned.best_new)
    f["coverage_low"], f["coverage_high"] = sorted(shares)
    f["coverage_mean"] = sum(shares) / 2
    f["exact_shared"] = _exact_share(aligned.existing, aligned.new, aligned.best_existing)
    f["opening_exact"] = float(bool({w.stem for w in aligned.existing[:2]} & {w.stem for w in aligned.new[:2]}))
    f["length_gap"] = abs(len(aligned.existing) - len(aligned.new)) / 5


def weigh_remainders(found: Evidence, sides: Sides) -> None:
    """What is left over on both sides: two values of one kind, or two different matters."""
    f, old, new = found.features, sides.aligned.lone_existing, sides.aligned.lone_new
    f["lone_new"] = min(len(new), 5) / 3
    f["heads_differ"] = float(_is_head(old, sides.aligned.existing) and _is_head(new, sides.aligned.new))
    f["lone_both"] = min(len(old), len(new), 4) / 3
    if old or new:
        found.notes["remainder"] = f"left over: {_first_words(old)} / {_first_words(new)}"
    found.features["many_valued"] = float(bool(old and new) and _share_a_verb_of_many(sides))
    _weigh_names(found, old, new)
    _weigh_siblings(found, sides.aligned.existing, sides.aligned.new)


def _is_head(lone: Words, words: Words) -> bool:
    """Tell whether the word a statement begins with is one the other side lacks."""
    return bool(lone) and lone[0] is words[0]


def _share_a_verb_of_many(sides: Sides) -> bool:
    """Tell whether both say "likes" or "depends on": it holds of several things at once."""
    if sides.existing.is_exclusive or sides.new.is_exclusive:
        return False
    verbs = [{word.stem for word in side} & _VERBS_OF_MANY for side in (sides.aligned.existing, sides.aligned.new)]
    return bool(verbs[0] & verbs[1])


def _weigh_names(found: Evidence, old: Words, new: Words) -> None:
    names = [word.text for word in old if word.is_name], [word.text for word in new if word.is_name]
    found.features["other_name"] = float(all(names))
    if all(names):
        found.notes["other_name"] = f"other value: {names[0][0]} / {names[1][0]}"


def _weigh_siblings(found: Evidence, old: Words, new: Words) -> None:
    """Two values of one class, each on one side: "on the GPU" / "on the CPU"."""
    stems = {word.stem for word in old}, {word.stem for word in new}
    only_old = [word for word in old if word.classes and word.stem not in stems[1]]
    only_new = [word for word in new if word.classes and word.stem not in stems[0]]
    found.features["sibling"] = 0.0
    for left, right in product(only_old, only_new):
        if _are_siblings(left, right):
            found.features["sibling"] = 1.0
            found.notes["sibling"] = f"other value: {left.text} / {right.text}"


def _are_siblings(left: Word, right: Word) -> bool:
    return left.groups.isdisjoint(right.groups) and not left.classes.isdisjoint(right.classes)


def _valued(words: Words, best: Best) -> list[tuple[Word, float]]:
    return [(word, value) for word, (value, _) in zip(words, best, strict=True)]


def _share(words: Words, best: Best) -> float:
    total = sum(word.weight for word in words)
    return sum(value * word.weight for word, value in _valued(words, best)) / total if total else UNKNOWN_SHARE


def _exact_share(old: Words, new: Words, best: Best) -> float:
    """Return the weight of the words both have in one form, as a share of the shorter statement."""
    exact = sum(word.weight for word, value in _valued(old, best) if value >= EXACT)
    return exact / max(1.0, min(sum(word.weight for word in side) for side in (old, new)))


def _first_words(words: Words) -> str:
    return " ".join(word.text for word in words[:3]) or "–"
