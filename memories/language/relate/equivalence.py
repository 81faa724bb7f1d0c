"""What speaks against taking two statements for the same: additions, other small words, marks, denials."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import product

from memories.language.relate import grammar
from memories.language.relate.grammar import MONTHS, NUMBER_WORDS, TENS, UNITS, stem
from memories.language.relate.lexicon import are_opposites, tokenize
from memories.language.relate.outline import (
    COVERED,
    LIGHT_WEIGHT,
    LONE_WEIGHT,
    SUBJECT_WEIGHT,
    Evidence,
    Outline,
    Pair,
    match,
)
from memories.language.relate.topics import MOST_LONE, TAKING, are_spellings, said_at
from memories.language.wordlists import words

MAX_ADDED = 2
"""Of the 479 pairs labelled the same, four add more, and the model calls none of them the same; 19 add two."""

_ARTICLES = ("a", "an", "the")
_SILENT = frozenset({"located", "situated", "o'clock"}) | grammar.PARTS_OF_DAY.keys()
"""What stands somewhere is there; and times of the day are told as values."""


def find_additions(sides: Pair) -> list[str]:
    """Return what only the new statement says, when it is too much to be lost; else nothing.

    A word that is left over on the other side is taken for another word for one of these, so only the
    surplus counts. A name is no other word for anything, unless it is short for it: "on TV".
    """
    names = [word.text for word in sides.aligned.lone_new if word.is_name]
    named = [name for name in names if name.upper() not in sides.new.written]
    if named:
        return named
    words = [word.text for word in sides.aligned.lone_new if word.weight > LIGHT_WEIGHT]
    # The texts of the digits that only the new statement has, if it has more numbers than the other.
    old, new = sides.existing_statement.quantities, sides.new_statement.quantities
    values = {quantity.named for quantity in old}
    added = [quantity.text for quantity in new if quantity.named not in values and quantity.text[:1].isdecimal()]
    numbers = added[: max(len(new) - len(old), 0)]
    surplus = len(words) - len(sides.aligned.lone_existing) + len(numbers)
    return words + numbers if surplus > MAX_ADDED else []


def find_insertion(sides: Pair, values: list[str]) -> list[str]:
    """Return what only the new statement says, where it says all of the other and more; its `values` otherwise.

    "allergic to nuts" / "allergic to nuts and eggs".

    Adverbs of manner do not count, nor who does it where the other leaves that open.
    """
    if not _holds(sides.new.tokens, sides.existing.tokens):
        return []
    words = [word.text for word in sides.aligned.lone_new if word.weight > LIGHT_WEIGHT]
    old_subjects, subjects = (
        {term.word for term in statement.terms if term.slot == "subject" and term.clause == 1}
        for statement in (sides.existing_statement, sides.new_statement)
    )
    subjects = set() if old_subjects else subjects
    matter = [word for word in words if not word.endswith("ly") and word not in _SILENT and word not in subjects]
    return matter or values


def holds_all_of(fuller: str, text: str) -> bool:
    """Tell whether a statement has all words of another, in their order; articles and endings aside."""
    return _holds([token.text for token in tokenize(fuller)], [token.text for token in tokenize(text)])


def _holds(fuller: Sequence[str], tokens: Sequence[str]) -> bool:
    stems = iter([stem(token) for token in fuller])
    return all(stem(token) in stems for token in tokens if token not in _ARTICLES)


Tokens = Sequence[str]

LIKENESS = 0.5
"""Two statements that have less of their words in common, in order, differ by more than small words."""

_JOINTS = frozenset({",", ";", ".", ":", "and", "or", "--", "(", ")"})
_OPENING = grammar.PREPOSITIONS | grammar.CONDITIONALS | words("every each") - {"of", "to", "with"}
"""What begins with one of these may stand before a sentence or after it: "on Friday we deploy"."""
_NARROWING = words(
    "only solely exclusively if unless until except without provided maybe perhaps nearly almost"
) | words("plan plans planned planning hope hopes hoped intend intends try tries tried consider considers")
"""Said on one side only, they take something back of what is said: "plans to quit" is not "quit"."""
_CHOICES = tuple(
    words(line)
    for line in (
        "i me my mine we us our he him his she her hers you your they them their",
        "is are am was were been will would",
        "some all every any most few many none no both each half one",
        "must should may might can could need needs",
        "always usually often sometimes rarely never seldom",
        "before after during since until",
        "on off",
        "up down",
        "in out",
        "over under",
        "above below",
        "to from",
        "into onto",
        "first last next",
    )
)
"""One of a class in the place of another says something else."""
_ROAMING = words("sometimes often usually always frequently regularly occasionally normally generally typically mostly")
"""Wherever in its clause one of these stands, it says the same: "sometimes fails", "fails sometimes"."""
_CLAUSES = _JOINTS | words("when while if that who which where because since as before after until unless though than")
_ALIKE = tuple(words(line) for line in ("is are am", "was were been", "every each all", "i me my mine we us our"))
_OWNERS = words("my our your his her their")


def find_other_wording(old: Outline, new: Outline) -> str | None:
    """Say which words make the difference; None if the two differ by more than these, or by nothing that tells."""
    left, right = ([token for token in side.tokens if token[0].isalnum()] for side in (old, new))
    if sorted(left) == sorted(right):
        return None if left == right or _is_rearranged(old.tokens, new.tokens) else "the same words in another order"
    for gone, come in _differences(left, right):
        if any(word in _NARROWING for word in (*gone, *come)) and not (gone and come):
            return f"said of it: {' '.join((*gone, *come))}"
        if len(gone) == len(come) == 1 and _is_other_thing(gone[0], come[0]):
            return f"another word in its place: {gone[0]} / {come[0]}"
        choices = [
            pair
            for pair in zip(gone, come, strict=False)
            if any(group.issuperset(pair) for group in _CHOICES) and not any(group.issuperset(pair) for group in _ALIKE)
        ]
        if choices and len(gone) == len(come):
            return f"another word in its place: {' / '.join(choices[0])}"
    return None


def _differences(left: Tokens, right: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield the stretches that differ; none if more than one does and less than half of the words is common."""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    others = [places for kind, *places in matcher.get_opcodes() if kind != "equal"]
    if len(others) == 1 or matcher.ratio() >= LIKENESS:
        for start, end, other_start, other_end in others:
            yield left[start:end], right[other_start:other_end]


def _is_other_thing(gone: str, come: str) -> bool:
    """Tell whether a word names another thing: another unit, another noun, or another owner, "our" / "Tom's place"."""
    kinds = [UNITS[word][0] if word in UNITS else None for word in (gone, come)]
    is_unit = kinds[0] != kinds[1]
    is_owned = not _OWNERS.isdisjoint((gone, come)) and grammar.STOP.isdisjoint({gone, come} - _OWNERS)
    return is_unit or is_owned or bool({gone, come} & {"user", "users"})


def _is_rearranged(old: Tokens, new: Tokens) -> bool:
    """Tell whether only members of a list, or whole parts of the sentence, have changed their places."""
    left, right = ([token for token in side if token[0].isalnum()] for side in (old, new))
    if _settled(old) == _settled(new):
        return True
    # "On Friday we deploy" is "we deploy on Friday".
    turns = [place for place in range(1, len(left)) if [*left[place:], *left[:place]] == right]
    if any(left[place] in _OPENING or left[0] in _OPENING for place in turns):
        return True
    return _are_neighbours_turned(left, right) or _is_name_turned(left, right)


def _are_neighbours_turned(old: Tokens, new: Tokens) -> bool:
    """Tell whether neighbours are turned: "Anna and Ben are admins" is "Ben and Anna are admins"."""
    places = [place for place, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
    first, last = places[0], places[-1]
    others = [word for word in old[first : last + 1] if word not in _JOINTS]
    if len(places) == len(others) < last + 1 - first:
        return True
    first_word, other = sorted((old[first], old[last]))
    return len(places) == 2 and last == first + 1 and first_word.isdecimal() and other in MONTHS


def _is_name_turned(old: Tokens, new: Tokens) -> bool:
    """Tell whether a name is turned: "Anna is the CTO" is "the CTO is Anna"."""
    for place, token in enumerate(old):
        name, thing = [*old[:place]], [*old[place + 1 :]]
        if token in _ALIKE[0] and [*new] == [*thing, token, *name]:
            return True
    return False


def _settled(tokens: Tokens) -> list[str]:
    """With what may stand anywhere in a clause at its end, unless something is denied there: "is not always up"."""
    settled, clause = list[str](), list[str]()
    for token in (*tokens, "."):
        if token[0].isalnum() and token not in _CLAUSES:
            clause.append(token)
            continue
        is_denied = not grammar.NEGATORS.isdisjoint(clause)
        settled += clause if is_denied else sorted(clause, key=_ROAMING.__contains__)
        clause.clear()
    return settled


_COMPARING = re.compile(r"!=|<>|==|<->|->|<-|=>|<=|>=|[=<>≠≤≥→←↔]")
_ENDING = re.compile(r"(?<=\w)(?:\+{1,2}|[#-])(?![\w*#+-])|(?<=\d)\*(?![\w*])")
"""C++, C#, A-, 4821*: not the hyphen of "read-only", nor an emphasis."""
_SIGNED = re.compile(r"(?<![\w.,)%°+-])[-−–](?=\.?\d)\.?\d+(?:[.,]\d+)*")
_SMALL = re.compile(r"(?<![\w.])\.\d+")
_SCALED = re.compile(
    r"(?<![\d.,])(\d+(?:[.,]\d+)*) ?(k|m|b|bn|mn|tn|million|billion|thousand|trillion)\b", re.IGNORECASE
)
_SCALES = {"m": "million", "mn": "million", "b": "billion", "bn": "billion", "k": "thousand", "tn": "trillion"}
_MONEY = {
    "$": "dollar",
    "€": "euro",
    "£": "pound",
    "¥": "yen",
    "₹": "rupee",
    "₽": "rouble",
    "₩": "won",
    "%": "percent",
    "dollars": "dollar",
    "usd": "dollar",
    "euros": "euro",
    "eur": "euro",
    "gbp": "pound",
    "pounds": "pound",
    "jpy": "yen",
    "inr": "rupee",
    "rupees": "rupee",
    "chf": "franc",
    "francs": "franc",
    "pct": "percent",
}
_IN = re.compile(
    "|".join(
        [
            *map(re.escape, "$€£¥₹₽₩%"),
            r"\b(?:dollars?|usd|euros?|eur|gbp|pounds?|yen|jpy|inr|rupees?"
            r"|chf|francs?|percent|pct)\b",
        ]
    ),
    re.IGNORECASE,
)
_FREE = words("~ ≈ ° ^ ` | ´ ¨ ¬ © ® ™")
"""Symbols of which a statement says the same without them."""


_ONE_SIDED = 3
"""The kinds of marks, the first ones, that tell where only one of the two has some."""


def find_other_marks(old: str, new: str) -> str | None:
    """Say which marks differ, where both statements have some of a kind, or where one ends a word with one."""
    for kind, (left, right) in enumerate(zip(_marks(old), _marks(new), strict=True)):
        if left != right and (kind < _ONE_SIDED or (left and right)):
            return f"another sign: {' '.join(left) or 'none'} / {' '.join(right) or 'none'}"
    return None


@lru_cache(maxsize=4_096)
def _marks(text: str) -> tuple[Sequence[str], ...]:
    plain = text.replace("−", "-").replace("–", "-")
    words = (word.strip(".,:;!?()[]{}'\"`*_@").lower() for word in text.split())
    amounts = (match.group().lower() for match in _IN.finditer(text))
    scaled = ((number, scale.lower()) for number, scale in _SCALED.findall(text))
    return (
        sorted(_ENDING.findall(text)),
        # Numbers below zero, and those that begin with a point.
        sorted([*_SIGNED.findall(plain), *_SMALL.findall(plain)]),
        # my_var, maria@example.org.
        sorted({word for word in words if "_" in word or "@" in word}),
        _COMPARING.findall(text),
        sorted({char for char in text if unicodedata.category(char) == "So" and char not in _FREE}),
        # Currencies, and shares of a hundred.
        sorted({_MONEY.get(name, name) for name in amounts}),
        sorted(f"{number} {_SCALES.get(scale, scale)}" for number, scale in scaled),
    )


_PLAIN = grammar.DENIALS | words("no none stop stops stopped stopping quit quits ceased ceases")
_LONG_UNITS = frozenset(unit for unit in UNITS if len(unit) > 3 and unit.endswith("s"))
_SWITCH = {"on", "off"}
_NUMBERS_DIFFER = ("number_conflict", "number_both", "number_one_side", "number_unpaired")


def find_plain_denial(sides: Pair, evidence: Evidence) -> str | None:
    """Name the negation when one statement holds all that the other says, and denies it; else None.

    The model weighs a conflict by the words that show it, and "runs at night" has only light ones. What hides in a
    word ("refuses") is left to the model: it may be undone by another.
    """
    if not evidence.features["negated_one_side"] or any(evidence.features[name] for name in _NUMBERS_DIFFER):
        return None
    if not all(side.tokens[place] in _PLAIN for side in (sides.existing, sides.new) for place in side.turns):
        return None
    for seen, other in sides.both_ways():
        # Every word of a statement, its subject aside, is in the other, one with the other sign.
        pairs = zip(seen.outline.words, seen.best, strict=True)
        telling = [(word, *best) for word, best in pairs if word.weight > SUBJECT_WEIGHT]
        is_contained = all(share >= COVERED for _, share, _ in telling)
        if is_contained and any(word.sign != other.outline.words[place].sign for word, _, place in telling):
            return evidence.notes["negated_one_side"]
    return None


def find_plain_opposite(old: Outline, new: Outline) -> str | None:
    """Name the two words where one has its opposite in its place, and nothing else differs; else None."""
    places = [place for place, (left, right) in enumerate(zip(old.tokens, new.tokens, strict=False)) if left != right]
    if len(old.tokens) != len(new.tokens) or len(places) != 1:
        return None
    left, right = old.tokens[places[0]], new.tokens[places[0]]
    is_opposite = {left, right} == _SWITCH or are_opposites(left, right)
    return f"opposed: {left} / {right}" if is_opposite else None


def find_other_unit(old: Outline, new: Outline) -> str | None:
    """Name the units where one counts in others than the other, without a number: "takes minutes" / "takes hours"."""
    mine, others = (
        {
            word
            for before, word in zip(("", *side.tokens), side.tokens, strict=False)
            if word in _LONG_UNITS and not (before[:1].isdigit() or before in NUMBER_WORDS or before in TENS)
        }
        for side in (old, new)
    )
    if len(mine) != 1 or len(others) != 1:
        return None
    left, right = mine.pop(), others.pop()
    (kind, factor), (other_kind, other_factor) = UNITS[left], UNITS[right]
    return f"{kind} differs: {left} / {right}" if kind == other_kind and factor != other_factor else None


def find_replacement(sides: Pair) -> tuple[str, str] | None:
    """Return the first words that stand in the place of each other, unless they mean the same or are spelt otherwise.

    Others that mean the same may stand in the place of each other beside them: "afraid of dogs" / "scared of cats". Of
    several words nothing is denied and none is the verb, and they are few: else it may be the same in other words.
    """
    start, end, other_end = _differing(sides.existing, sides.new)
    mine, others = (
        [word for word in side.words if start <= word.place < stop and word.weight > LONE_WEIGHT]
        for side, stop in ((sides.existing, end), (sides.new, other_end))
    )
    if not mine or not others or any(match(*pair) for pair in product(mine, others)):
        return None
    left, right = mine[0], others[0]
    if end == other_end == start + 1:
        is_other = not are_spellings(left, right) and not {left.text, right.text} <= TAKING
    else:
        is_short = max(len(mine), len(others)) <= MOST_LONE
        # It is the same up to the verb there, and denies nothing.
        verbs = [(side, said_at(side)) for side in (sides.existing, sides.new) if not side.turns]
        is_behind = all(place < start or side.tokens[place] in grammar.PREPOSITIONS for side, place in verbs)
        is_other = is_short and is_behind and len(verbs) == 2
    return (left.text, right.text) if is_other else None


def _differing(old: Outline, new: Outline) -> tuple[int, int, int]:
    """Return where two statements begin to differ, and where each ends to."""
    lengths = len(old.tokens), len(new.tokens)
    start, behind, least = 0, 0, min(lengths)
    while start < least and _is_alike(old, start, new, start):
        start += 1
    while behind < least - start and _is_alike(old, lengths[0] - behind - 1, new, lengths[1] - behind - 1):
        behind += 1
    return start, lengths[0] - behind, lengths[1] - behind


def _is_alike(old: Outline, place: int, new: Outline, other_place: int) -> bool:
    return old.tokens[place] == new.tokens[other_place] or bool(old.groups[place] & new.groups[other_place])
