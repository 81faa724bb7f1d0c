"""Quantities, days and limits that two statements do not share, or that clash."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product, starmap

from memories.language.relate import grammar
from memories.language.relate.grammar import INFINITY, UNITS, stem
from memories.language.relate.outline import Evidence, Outline, Pair
from memories.language.relate.parsing import Statement, Term
from memories.language.relate.quantities import (
    MINUTES_PER_DAY,
    UNITLESS,
    Agreement,
    Quantity,
    are_comparable,
    compare,
    point,
    read_number,
    span,
)
from memories.language.wordlists import words

Clash = tuple[Term, Term]


def clashes(existing: Statement, new: Statement) -> list[Clash]:
    """Return pairs of terms of one concept, one affirmed and one denied."""
    left, right = existing.signs, new.signs
    opposed = [concept for concept in left.keys() & right.keys() if not left[concept] & right[concept]]
    met = []
    for concept in sorted(opposed):
        terms = [next(term for term in side.terms if term.concept == concept) for side in (existing, new)]
        # Another word of the same negation may have the same sign on the other side.
        is_explained = any(
            fellow.cue == term.cue and fellow.concept != concept and fellow.sign in other.signs.get(fellow.concept, ())
            for term, side, other in zip(terms, (existing, new), (new, existing), strict=True)
            if term.cue is not None
            for fellow in side.terms
        )
        if not is_explained:
            met.append((terms[0], terms[1]))
    return met


CALENDAR_TOLERANCE = 0.03
MONTH_SECONDS = 28 * 86_400
MIN_SUBJECT_WEIGHT = 0.5

_KIND_NAMES = {"clock": "time of day", "period": "interval", "size": "amount of data"}
_MEASURED = frozenset(kind for kind, _ in UNITS.values())
_FACTORS = {kind: {factor for of, factor in UNITS.values() if of == kind} for kind in _MEASURED}
_NUMBER = re.compile(r"\d[\d.,]*|[a-z]+")
_LIMITS = words("budget limit maximum quota cap")
_BEHIND_A_NUMBER = words("now currently today again instead a an per each every day week month year hour . !")
"""With these a statement may go on behind a number that says how much."""
_BEFORE_A_NUMBER = (
    grammar.APPROXIMATIONS | {word for bound in grammar.BOUNDS for word in bound} | words("now only € $ £") - {"of"}
)
_IS, _EQUALS = "is", words("is are was be of to")
_CLOCK = "clock"
_TELLING = _MEASURED | {_CLOCK}


def weigh_numbers(evidence: Evidence, sides: Pair) -> None:
    f = evidence.features
    old, new = figures_of(sides.existing_statement, sides.existing), figures_of(sides.new_statement, sides.new)
    old, new = _with_unit(old, new, sides.existing, sides.new), _with_unit(new, old, sides.new, sides.existing)
    old, new = _as_times(old, new, sides.existing), _as_times(new, old, sides.new)
    kinds = _meet(evidence, old, new, (sides.existing.written, sides.new.written))
    is_equal, is_conflict = Agreement.EQUAL in kinds, Agreement.CONFLICT in kinds
    f["number_equal"] = float(is_equal and not is_conflict)
    f["number_conflict"] = float(is_conflict)
    f["number_both"] = float(is_equal and is_conflict)
    f["number_one_side"] = float(bool(old) != bool(new))
    f["number_unpaired"] = float(bool(old) and bool(new) and not kinds)


def figures_of(statement: Statement, side: Outline) -> tuple[Quantity, ...]:
    """Return its quantities as they are compared."""
    quantities = statement.quantities
    if "interval" in side.tokens:
        # "Interval is 60s" tells how often, not how long.
        quantities = tuple(replace(q, kind="period") if q.kind == "duration" else q for q in quantities)
    if not _LIMITS.isdisjoint(side.tokens):
        # A budget "of up to 18,000" is one of 18,000.
        quantities = tuple(replace(q, low=q.named) if q.low == -INFINITY else q for q in quantities)
    exact = any(q.kind == "clock" and q.low == q.high for q in quantities)
    return tuple(q for q in quantities if not (exact and q.kind == "clock" and q.is_rough))


def find_other_figure(sides: Pair) -> tuple[str, str] | None:
    """Return a figure of each where both tell some with a unit, or times, and of no kind that the other tells.

    "works from 9:00 to 17:00" / "works 40 hours".
    """
    old, new = figures_of(sides.existing_statement, sides.existing), figures_of(sides.new_statement, sides.new)
    is_told = old and new and all(q.kind in _TELLING and not q.is_rough for q in old + new)
    if not is_told or any(starmap(are_comparable, product(old, new))):
        return None
    return old[0].text, new[0].text


def _with_unit(
    quantities: tuple[Quantity, ...], others: tuple[Quantity, ...], side: Outline, other: Outline
) -> tuple[Quantity, ...]:
    """Give the only bare number, with which a statement ends, the only unit of the other.

    "rent is 640 euros" / "rent is 700 now".
    """
    bare = [q for q in quantities if _is_bare(q)]
    measured = [q for q in others if q.kind in _MEASURED]
    is_one = len(bare) == len(measured) == 1 and not any(map(_is_bare, others))
    if not is_one or any(q.kind in _MEASURED for q in quantities) or not _ends_with(side, bare[0]):
        return quantities
    said_by = _word_before(side, bare[0])
    if said_by != _word_before(other, measured[0]):
        return quantities
    number = read_number(tuple(_NUMBER.findall(measured[0].text))[:1], 0)
    factor = measured[0].named / number[1] if number and number[1] else 0.0
    if factor not in _FACTORS[measured[0].kind]:
        return quantities
    scaled = {name: getattr(bare[0], name) * factor for name in ("named", "low", "high")}
    return tuple(replace(q, kind=measured[0].kind, **scaled) if q is bare[0] else q for q in quantities)


def _as_times(quantities: tuple[Quantity, ...], others: tuple[Quantity, ...], side: Outline) -> tuple[Quantity, ...]:
    """Read the only bare number as an hour where the other tells a time: "is at 9:30" / "is at 10"; 7 may be 19:00."""
    times = [q for q in others if q.kind == _CLOCK]
    if len(quantities) != 1 or len(times) != 1 or not _is_bare(quantities[0]) or any(map(_is_bare, others)):
        return quantities
    hour, place = quantities[0].named, _place_of(side, quantities[0])
    if hour not in range(25) or side.tokens[place - 1] != "at" or not _ends_with(side, quantities[0]):
        return quantities
    return (point(_CLOCK, 60 * (hour + 12 * (hour < 12 <= times[0].named / 60)), quantities[0].text),)


def _is_bare(quantity: Quantity) -> bool:
    return quantity.kind == UNITLESS or quantity.kind.startswith("label:")


def _ends_with(side: Outline, quantity: Quantity) -> bool:
    """Tell whether behind a number there is nothing but "now", "a month" and the like."""
    place = _place_of(side, quantity)
    return place > 0 and all(token in _BEHIND_A_NUMBER for token in side.tokens[place + 1 :])


def _place_of(side: Outline, quantity: Quantity) -> int:
    """Where its number stands; 0 where that is not clear."""
    numbers = [word for word in re.split(r"[\s€$£]+", quantity.text) if word[:1].isdigit()]
    return side.tokens.index(numbers[0]) if len(numbers) == 1 and numbers[0] in side.tokens else 0


def _word_before(side: Outline, quantity: Quantity) -> str:
    """Return what a number is said by: "weighs", or "is" for all that only tells how much."""
    before = side.tokens[: _place_of(side, quantity)]
    word = next((word for word in reversed(before) if word not in _BEFORE_A_NUMBER), "")
    return _IS if word in _EQUALS else stem(word)


def _meet(
    evidence: Evidence, old: tuple[Quantity, ...], new: tuple[Quantity, ...], texts: tuple[str, str]
) -> set[Agreement]:
    """Return how the quantities of one kind agree; a value that has met its equal meets no other."""
    meetings = [(agreement(a, b), a, b) for a, b in product(old, new) if are_comparable(a, b)]
    # That two days or months are of one year tells no more.
    if all(any(quantity.kind == "date" for quantity in side) for side in (old, new)):
        meetings = [
            (kind, a, b) for kind, a, b in meetings if not (kind is Agreement.EQUAL and a.kind == b.kind == "year")
        ]
    equal = [meeting for meeting in meetings if meeting[0] is Agreement.EQUAL]
    paired_old, paired_new = [a for _, a, _ in equal], [b for _, _, b in equal]
    others = [(kind, a, b) for kind, a, b in meetings if a not in paired_old and b not in paired_new]
    for kind, a, b in others:
        if kind is Agreement.CONFLICT:
            evidence.notes["number_conflict"] = _tell_difference(a, b, texts[0])
    kinds = {kind for kind, _, _ in equal + others}
    denied = [b for _, a, b in equal if _is_denied(a, texts[0]) != _is_denied(b, texts[1])]
    if denied:
        kinds.add(Agreement.CONFLICT)
        evidence.notes["number_conflict"] = f"negated: {denied[0].text}"
    return kinds


def _tell_difference(old: Quantity, new: Quantity, text: str) -> str:
    """Tell what differs: "Number of minutes differs: 12 / 35", or what the kind of quantity is called."""
    number, _, unit = old.text.partition(" ")
    other_number, _, other_unit = new.text.partition(" ")
    if unit and unit == other_unit:
        return f"number of {unit} differs: {number} / {other_number}"
    kind, _, noun = old.kind.partition(":")
    name = _KIND_NAMES.get(kind, kind)
    if noun:  # a stem: quote the word it came from
        name = next((word for word in re.findall(r"\w+", text.lower()) if word.startswith(noun)), "number")
    name = f"number of {name}" if kind == "count" and name != "number" else name
    return f"{name} differs: {old.text} / {new.text}"


def _is_denied(quantity: Quantity, text: str) -> bool:
    """Tell whether "not" stands right before the number: "302, not 200" conflicts with "200"."""
    number = re.escape(quantity.text.split()[0]) if quantity.text else "$"
    pattern = rf"\b(not|never|instead of|rather than|longer)( (on|at|in|by|to|for))? (port )?{number}"
    return bool(re.search(pattern, text.lower()))


def agreement(old: Quantity, new: Quantity) -> Agreement:
    """Return how two quantities of one kind stand to each other, months and years counted in days or not."""
    near = abs(old.named - new.named) <= CALENDAR_TOLERANCE * max(abs(old.named), abs(new.named))
    is_calendar = old.kind in ("period", "duration") and abs(old.named) >= MONTH_SECONDS
    # What is counted; a text without a number is its own unit.
    parts = [(quantity.text, *quantity.text.partition(" ")) for quantity in (old, new)]
    units = {unit.rstrip("s") if number[:1].isdecimal() else text for text, number, _, unit in parts}
    if near and is_calendar and len(units) > 1:
        return Agreement.EQUAL  # "quarterly" is "every three months", but 90 days are not 92
    return compare(old, new)


def weigh_clashes(evidence: Evidence, old: Statement, new: Statement) -> None:
    """One concept affirmed and denied, in words or by what they imply: a vegetarian does not order a steak."""
    f, met = evidence.features, clashes(old, new)
    explicit = [(a, b) for a, b in met if not (a.is_implied or b.is_implied)]
    implied = [(a, b) for a, b in met if a.is_implied or b.is_implied]
    f["rule_clash"] = float(min(len(explicit), 2))
    f["rule_implied"] = float(bool(implied))
    if explicit:
        a, b = explicit[0]
        is_opposed = a.cue is None and b.cue is None and stem(a.word) != stem(b.word)
        negated = f"negated: {b.word if b.cue is not None else a.word}"
        evidence.notes["rule_clash"] = f"opposed: {a.word} / {b.word}" if is_opposed else negated
    if implied:
        a, b = implied[0]
        evidence.notes["rule_implied"] = f"implied: {a.word} against {b.word}"
    f["other_subject"] = float(_have_other_subjects(old, new))


def _have_other_subjects(old: Statement, new: Statement) -> bool:
    """Both sentences have a subject, and neither subject occurs in the other sentence."""
    subjects = [
        [t for t in side.terms if t.slot == "subject" and t.clause == 1 and t.weight >= MIN_SUBJECT_WEIGHT]
        for side in (old, new)
    ]
    if not all(subjects):
        return False
    said_of_old = any(term.concept in new.signs for term in subjects[0])
    return not said_of_old and not any(term.concept in old.signs for term in subjects[1])


_ORDINAL = "ordinal"
_ORDINALS = {
    "first": 1,
    "1": 1,
    "second": 2,
    "2": 2,
    "other": 2,
    "alternate": 2,
    "third": 3,
    "3": 3,
    "fourth": 4,
    "4": 4,
}
_LAST, _BEFORE_LAST = 5, ("the", "every", "each")
""" "The last Friday" is one of every month; "down last Friday" tells a day."""
_COMES_ROUND = {
    "clock": grammar.DAY,
    "weekday": 7 * grammar.DAY,
    "day of month": 30 * grammar.DAY,
    _ORDINAL: 30 * grammar.DAY,
    "date": 365 * grammar.DAY,
}
"""What comes round in which time: "every March" is "each year in March"."""
_LAST_DAYS = 28
_EACH = ("every", "each")
_JOINTS = ("and", "or", ",", "to", "-", "until")
_A = ("a", "an", "per")
_OF_EACH = (*_EACH, *_A)
_DAY = re.compile(r"\d{4}-\d|\d+\.\d+\.\d{4}")


@dataclass(frozen=True)
class Told:
    """What a statement tells of days, times and numbers, the stems of its words, and its days written in digits."""

    values: tuple[Quantity, ...]
    stems: frozenset[str]
    days: tuple[str, ...]


def find_added_values(sides: Pair) -> tuple[list[str], bool]:
    """Return what the new statement says beyond the other, and whether it leaves nothing of the other's out.

    As many as it leaves out are taken for these in other words, unless they are of one kind: "twice a week" / "on two
    days a week", but not "at weekends" / "on Saturdays".
    """
    old, new = (
        Told(
            (*figures_of(statement, side), *_read_words(side.tokens)),
            frozenset(map(stem, side.tokens)),
            tuple(token for token in side.tokens if _DAY.match(token)),
        )
        for statement, side in ((sides.existing_statement, sides.existing), (sides.new_statement, sides.new))
    )
    added = [value for value in new.values if not _is_said(value, old, new)]
    lost = [value for value in old.values if not _is_said(value, new, old)]
    is_more = len(added) > len(lost) or any(are_comparable(left, right) for left, right in product(lost, added))
    return ([value.text for value in added] if is_more else []), not lost


def _is_said(value: Quantity, own: Told, other: Told) -> bool:
    """Tell whether the one statement says a value of the other: as it is, by its words, or by what comes round then."""
    if value.text == "one":
        return True
    if value.kind == "day of month" and any(
        (fellow.kind == _ORDINAL and fellow.named == value.named) for fellow in other.values
    ):
        return True  # "the 1st Monday"
    if value.kind == "clock" and value.is_rough and any(fellow.kind == UNITLESS for fellow in other.values):
        return True  # "at 9 in the morning"
    if value.kind == "date" and "end" in own.stems and value.named % 100 >= _LAST_DAYS:
        return True  # "by the end of March"
    if value.kind == "year" and any(value.text in day for day in own.days):
        return True
    if all(stem(word) in own.stems or word in _OF_EACH for word in value.text.split()) and value.kind != _ORDINAL:
        return True  # "every month", of "the month"
    return any(_says(known, value, own, other) for known in own.values)


def _says(known: Quantity, value: Quantity, own: Told, other: Told) -> bool:
    """Tell whether a value says another one, or leaves more open: "in May", of what is on 12 May."""
    if value.kind == "period" and _COMES_ROUND.get(known.kind) == value.named:
        return True
    if all(":" in each.kind or each.kind in (UNITLESS, "status", "year") for each in (known, value)):
        return known.named == value.named
    if {known.kind, value.kind} == {UNITLESS, "clock"}:
        hour, clock = (known, value) if value.kind == "clock" else (value, known)
        # "After 4 pm" reaches to the end of the day and "before noon" to the minute before.
        ends = [clock.low] if clock.low or clock.low == clock.high else []
        ends += [clock.high, clock.high + 1] if clock.high < MINUTES_PER_DAY - 1 else []
        return any((hour.named * 60 - end) % (MINUTES_PER_DAY / 2) == 0 for end in ends)
    if not are_comparable(known, value) or (value.kind == "clock" and known.is_rough and not value.is_rough):
        return False
    agreed = agreement(known, value)
    if agreed is not Agreement.COMPATIBLE:
        return agreed is Agreement.EQUAL
    if value.kind == "weekday":
        # "Saturday and Sunday" are the first and the last day of the weekend.
        days, source = (value, own) if value.low < value.high else (known, other)
        named = {day for each in source.values if each.kind == days.kind for day in (each.low, each.high)}
        return {days.low, days.high} <= named
    return value.low <= known.low <= known.high <= value.high or value.high - value.low == known.high - known.low


def _read_words(tokens: tuple[str, ...]) -> Iterator[Quantity]:
    """Yield what else is read as words: "every March", "April and May", "a month", "every second Monday"."""
    spoken = [token for token in tokens if token not in grammar.ORDINAL_ENDINGS]
    for before, word, day in zip(("", *spoken), spoken, spoken[1:], strict=False):
        number = _LAST if word == "last" and before in _BEFORE_LAST else _ORDINALS.get(word)
        if number and day in grammar.WEEKDAYS:
            yield point(_ORDINAL, number, word)
    for before, joint, word in zip(("", "", *tokens), ("", *tokens), tokens, strict=False):
        is_month = joint in _EACH or (joint in _JOINTS and before in grammar.MONTHS)
        if is_month and word in grammar.MONTHS_THAT_ARE_WORDS:
            yield span("date", grammar.MONTHS[word] * 100.0, grammar.MONTHS[word] * 100.0 + 31, word)
    for before, word, unit in zip(tokens, tokens[1:], tokens[2:], strict=False):
        # Of what is so much "a month": what is told of "40 euros" alone.
        kind, seconds = grammar.UNITS.get(unit, ("", 0.0))
        if before in grammar.UNITS and word in _A and kind == "duration":
            yield point("period", seconds, f"{word} {unit}")
