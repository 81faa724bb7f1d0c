"""The rules, in the order they are asked. The first that answers decides."""

from collections.abc import Callable

from . import concepts
from .language import FOREIGN_WORDS
from .lexicon import concept_of
from .matching import MIN_TELLING_WEIGHT, Pair
from .quantities import Agreement
from .statement import Statement, Term
from .verdict import Relation, Verdict

Rule = Callable[[Pair], Verdict | None]

# From which topic score (0-1, `Pair.topic`) a rule may speak; the cosine of another language for the first.
FOREIGN_SAME_FROM = 0.9
UNRELATED_BELOW = 0.30
ENTAILED_CLASH_FROM = 0.20
CLASH_FROM = 0.42
LONE_CLASH_FROM = 0.45
VALUE_FROM = 0.46
BUSY_QUANTITY_FROM = 0.58
SAME_FROM = 0.68
BUSY_SAME_FROM = 0.70
EQUAL_QUANTITY_BONUS = 0.1

_KIN = frozenset(concept_of(word) for word in concepts.KIN)
_PROFESSIONS = frozenset(concept_of(word) for word in concepts.PROFESSIONS)
_ONE_EVEN_IF_LIKED = frozenset({"metric", "imperial", "celsius", "fahrenheit", "window", "aisle"})
_PROFESSION_SLOTS = frozenset({"be", "employed", "succeed", "become", "train", "as"})
_MANY_VALUED = frozenset(concept_of(word) for word in concepts.MANY_VALUED)
_CLASS_OF: dict[str, frozenset[str]] = {}
for _name, _members in concepts.VALUE_CLASSES.items():
    for _member in _members.split():
        _CLASS_OF[_member] = _CLASS_OF.get(_member, frozenset()) | {_name}


def not_english(pair: Pair) -> Verdict | None:
    """Without grammar for the language, only a near copy with the same numbers counts as the same."""
    if pair.existing.is_english and pair.new.is_english:
        return None
    near = pair.similarity is not None and pair.similarity >= FOREIGN_SAME_FROM
    numbers_agree = sorted(q.named for q in pair.existing.quantities) == sorted(q.named for q in pair.new.quantities)
    same_denials = pair.existing.foreign_denials == pair.new.foreign_denials
    old, new = ([t for t in lone if t.word not in FOREIGN_WORDS] for lone in (pair.only_existing, pair.only_new))
    if near and numbers_agree and same_denials and not pair.clashes and not (old and new):
        return _same(pair, "near copy in a language without rules")
    return _different(pair, "not known to be English; too little certainty")


def entailed_clash(pair: Pair) -> Verdict | None:
    """A vegetarian does not order a steak: what one side entails, the other denies."""
    for old, new in pair.clashes:
        if (
            (old.is_implied or new.is_implied)
            and not old.concept.startswith("after ")
            and pair.topic >= ENTAILED_CLASH_FROM
        ):
            return _contradicts(pair, f'implied: "{old.word}" against "{new.word}"')
    return None


def entailed_agreement(pair: Pair) -> Verdict | None:
    """To be vegetarian is to eat no meat."""
    for side, other in ((pair.existing, pair.new), (pair.new, pair.existing)):
        for trait, kind in concepts.ABSTAINS_EXACTLY.items():
            denied = any(t.concept == kind and t.sign < 0 and not t.is_implied for t in other.terms)
            if 1 in side.signs.get(concept_of(trait), frozenset()) and denied:
                return _same(pair, f'implied: "{trait}" is "no {kind}"')
    return None


def another_profession(pair: Pair) -> Verdict | None:
    """Nobody is a nurse and a lawyer."""
    old, new = (_professions(side) for side in (pair.existing, pair.new))
    if old and new and not old & new and pair.topic >= ENTAILED_CLASH_FROM and not _persons_differ(pair):
        return _contradicts(pair, f'profession differs: "{min(old)}" / "{min(new)}"')
    return None


def unrelated(pair: Pair) -> Verdict | None:
    """Too little in common to be one matter."""
    if pair.topic < UNRELATED_BELOW:
        return _different(pair, "little in common")
    return None


def another_person(pair: Pair) -> Verdict | None:
    """The sister's town says nothing about the brother's."""
    term = _persons_differ(pair)
    return _different(pair, f'about another person: "{term.word}"') if term else None


def another_subject(pair: Pair) -> Verdict | None:
    """Both sentences have a subject, and neither subject occurs in the other sentence."""
    old, new = _subject_terms(pair.existing), _subject_terms(pair.new)
    if (
        not old
        or not new
        or any(t.concept in pair.new.signs for t in old)
        or any(t.concept in pair.existing.signs for t in new)
    ):
        return None
    return _different(pair, f'about another thing: "{old[0].word}" / "{new[0].word}"')


def another_condition(pair: Pair) -> Verdict | None:
    """What happens when the quota is exceeded says nothing about a missing token."""
    old, new = _condition_terms(pair.existing), _condition_terms(pair.new)
    if (
        not old
        or not new
        or any(t.concept in pair.new.signs for t in old)
        or any(t.concept in pair.existing.signs for t in new)
    ):
        return None
    return _different(pair, f'in another case: "{old[0].word}" / "{new[0].word}"')


def only_and_not_otherwise(pair: Pair) -> Verdict | None:
    """ "Only before noon" and "never after noon" say one thing."""
    if pair.existing.is_exclusive == pair.new.is_exclusive or not pair.clashes:
        return None
    for agreement, old, new in pair.quantities:
        apart = Agreement.CONFLICT if old.sign == new.sign else Agreement.COMPATIBLE
        if agreement is apart and pair.topic >= SAME_FROM:
            return _same(pair, f"only {old.text}, not {new.text}")
    return None


def negated(pair: Pair) -> Verdict | None:
    """One side affirms what the other denies."""
    if pair.topic < CLASH_FROM:
        return None
    for old, new in pair.clashes:
        others = pair.shared - {old.concept}
        same_object = bool(others) or not (pair.only_existing and pair.only_new)
        if old.concept == "store" and _has_equal_quantity(pair):
            continue  # "kept for 14 days" is "deleted after 14 days"
        if same_object or pair.topic >= LONE_CLASH_FROM:
            return _contradicts(
                pair,
                f'negated: "{old.word}"' if old.word == new.word else f'opposed: "{old.word}" / "{new.word}"',
            )
    return None


def other_quantity(pair: Pair) -> Verdict | None:
    """The same measure with another value; about another part of the thing if both name one."""
    conflicts = [match for match in pair.quantities if match[0] is Agreement.CONFLICT]
    if not conflicts:
        return None
    _, old, new = conflicts[0]
    both_have_more = bool(pair.only_existing and pair.only_new)
    if pair.topic < (BUSY_QUANTITY_FROM if both_have_more else CLASH_FROM) or _measure_other_things(pair):
        return _different(pair, f"number of another thing: {old.text} / {new.text}")
    return _contradicts(pair, f"number of {old.kind} differs: {old.text} / {new.text}")


def other_value_of_class(pair: Pair) -> Verdict | None:
    """Two values of one class where only one can hold: "on the GPU" / "on the CPU"."""
    if pair.topic < CLASH_FROM:
        return None
    exclusive = pair.existing.has_exclusive_value or pair.new.has_exclusive_value
    for old in pair.only_existing:
        for new in pair.only_new:
            if _of_one_class(old, new) and (
                exclusive or old.word in _ONE_EVEN_IF_LIKED or old.verb == "use" or not _holds_many(old)
            ):
                return _contradicts(pair, f'value differs: "{old.word}" / "{new.word}"')
    return None


def other_value(pair: Pair) -> Verdict | None:
    """The same frame filled with another value: "lives in Lisbon" / "lives in Berlin"."""
    exclusive = pair.existing.has_exclusive_value or pair.new.has_exclusive_value
    if pair.topic < VALUE_FROM:
        return None
    for old in pair.only_existing:
        for new in pair.only_new:
            if old.slot == new.slot and old.slot != "subject":
                if _is_state(old) or _is_state(new):
                    return _different(pair, f'another property: "{old.word}" / "{new.word}"')
                if _holds_many(old) and not exclusive:
                    return _different(pair, f'another of several: "{old.word}" / "{new.word}"')
                return _contradicts(pair, f'value differs: "{old.word}" / "{new.word}"')
    return None


def changed(pair: Pair) -> Verdict | None:
    """One side tells of a change and both have something the other lacks."""
    one_sided = pair.existing.tells_change != pair.new.tells_change
    if one_sided and pair.only_existing and pair.only_new and pair.topic >= VALUE_FROM:
        return _contradicts(pair, f'changed: "{pair.only_existing[0].word}" / "{pair.only_new[0].word}"')
    return None


def within_bounds(pair: Pair) -> Verdict | None:
    """A value inside the other's bound: both hold, and each says something."""
    for agreement, old, new in pair.quantities:
        if agreement is Agreement.COMPATIBLE:
            return _different(pair, f"within the other's bounds: {old.text} / {new.text}")
    return None


def says_the_same(pair: Pair) -> Verdict | None:
    """Nothing speaks against it, and words and embedding are close."""
    bonus = EQUAL_QUANTITY_BONUS if _has_equal_quantity(pair) else 0.0
    each_adds = _adds(pair.existing, pair.new, pair.only_existing) and _adds(pair.new, pair.existing, pair.only_new)
    if pair.topic + bonus >= (BUSY_SAME_FROM if each_adds else SAME_FROM):
        return _same(pair, f"same matter, no conflict (overlap {pair.overlap:.2f})")
    return None


def another_matter(pair: Pair) -> Verdict:
    """The cautious end: nothing proves that the two belong together."""
    return _different(pair, "related, but not the same statement")


RULES: tuple[Rule, ...] = (
    not_english,
    entailed_clash,
    entailed_agreement,
    another_profession,
    unrelated,
    another_person,
    another_subject,
    another_condition,
    only_and_not_otherwise,
    negated,
    other_quantity,
    other_value_of_class,
    other_value,
    changed,
    within_bounds,
    says_the_same,
    another_matter,
)


def decide(pair: Pair) -> Verdict:
    """Return the verdict of the first rule that has one."""
    return next(verdict for rule in RULES if (verdict := rule(pair)) is not None)


def _same(pair: Pair, reason: str) -> Verdict:
    return Verdict(Relation.SAME, reason, round(pair.topic, 3))


def _contradicts(pair: Pair, reason: str) -> Verdict:
    return Verdict(Relation.CONTRADICTS, reason, round(pair.topic, 3))


def _different(pair: Pair, reason: str) -> Verdict:
    return Verdict(Relation.DIFFERENT, reason, round(1 - pair.topic, 3))


def _subject_terms(statement: Statement) -> list[Term]:
    return [t for t in statement.terms if t.slot == "subject" and t.clause == 1 and t.weight >= MIN_TELLING_WEIGHT]


def _condition_terms(statement: Statement) -> list[Term]:
    return [t for t in statement.terms if t.in_condition and t.weight >= MIN_TELLING_WEIGHT]


def _measure_other_things(pair: Pair) -> bool:
    """Tell whether both have a telling word of their own in one slot: "unit tests" / "integration tests"."""
    return bool({term.slot for term in pair.only_existing} & {term.slot for term in pair.only_new})


def _of_one_class(old: Term, new: Term) -> bool:
    return bool(_CLASS_OF.get(old.word, frozenset()) & _CLASS_OF.get(new.word, frozenset()))


def _is_state(term: Term) -> bool:
    """Tell whether a term is a participle after "is": a property beside others, not a value."""
    return term.slot == "be" and term.word.endswith("ed")


def _holds_many(term: Term) -> bool:
    """Tell whether the predicate of a value is one that several values satisfy at once."""
    return term.slot in _MANY_VALUED or term.verb in _MANY_VALUED


def _adds(side: Statement, other: Statement, lone_terms: list[Term]) -> bool:
    """Tell whether a side says something the other does not."""
    kinds = {quantity.kind for quantity in other.quantities}
    return bool(lone_terms) or any(quantity.kind not in kinds for quantity in side.quantities)


def _has_equal_quantity(pair: Pair) -> bool:
    return any(agreement is Agreement.EQUAL for agreement, _, _ in pair.quantities)


def _professions(statement: Statement) -> frozenset[str]:
    return frozenset(
        t.concept for t in statement.terms if t.concept in _PROFESSIONS and t.sign > 0 and t.slot in _PROFESSION_SLOTS
    )


def _persons_differ(pair: Pair) -> Term | None:
    """Return the relative one side is about, when the other is about someone else."""
    for side, other in ((pair.existing, pair.new), (pair.new, pair.existing)):
        subject = _subject_terms(side)
        by_name = any(t.concept in other.signs and t.concept not in _KIN for t in subject)
        for term in subject:
            if term.concept in _KIN and term.concept not in other.signs and not by_name:
                return term
    return None
