"""What one statement says of one thing and another denies of another thing: neither has anything to do with the other.

"Likes tea" / "does not like coffee": of what has one value at a time the model, which knows what is usual, would make a
contradiction of it.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from memories.text.wordlist import words

from . import cues, grammar
from .lookup import SYNONYM_GROUPS, classes_of, stems_of
from .measures import NUMBER_WORDS, TENS
from .outline import Outline
from .stems import stem

_DENIES, _ANY_MORE = words("not never no"), words("any more anymore")
_DISLIKES = words("hate hates hated dislike dislikes disliked loathe loathes detest detests")
_CHANGES_NOTHING = words("do does did can could will would a an the .") | _DENIES
_BEING = words("be is are am was were been being")
_HAVE, _HAVING, _LIKE = "have", words("has had having"), "like"
_NO_THING = (
    cues.UNIVERSAL | cues.EXCLUSIVE | cues.BOUNDARIES | grammar.PREPOSITIONS | NUMBER_WORDS.keys() | TENS.keys()
) | words("once twice half when whenever while where if how why what who that than as")
"""What stands with one of these tells how often, since when or of how many, not of what."""
_AT_WHICH = words("at on in with during by for to from")
_KINDS = {
    stem(kind): frozenset(map(stem, words(members)))
    for kinds, members in {
        "alcohol": "beer wine whisky whiskey vodka gin rum cider champagne prosecco cocktail schnapps liquor spirits",
        "meat": "chicken beef pork steak bacon ham lamb turkey veal sausage burger salami goulash schnitzel",
        "animal animals": "dog cat horse bird spider snake mouse rat rabbit pet",
        "sugar": "chocolate cake sweets candy cookie",
        "coffee": "espresso latte cappuccino americano macchiato decaf",
        "fish": "salmon tuna cod trout herring",
        "nut nuts": "peanut almond hazelnut walnut cashew pistachio",
        "dairy": "milk cheese butter cream yoghurt yogurt",
        "sibling siblings": "brother sister twin",
        "child children kids": "son daughter kid baby",
    }.items()
    for kind in words(kinds)
}
"""What is denied of a kind is denied of all its members; the classes of siblings are kinds, too."""
MOST_OWN = 3
"""Words of which that is made in which they differ."""
_VERBS = frozenset(stem(verb) for verb in grammar.VERBS)


class _Plain(NamedTuple):
    """A word of a statement without its negation, and where it stands there."""

    word: str
    groups: frozenset[int]
    at: int


class _Own(NamedTuple):
    """What each has of its own behind what both say, `before` which this word stands; `end` words are alike again."""

    told: list[_Plain]
    denied: list[_Plain]
    before: _Plain
    end: int


def find_other_denied(old: Outline, new: Outline) -> str | None:
    """Name what the one says and the other denies, where both say it in the same words; else None.

    Not where something is said to be so, "is down" / "is not running": that may be one state in two words.
    """
    told, denied = (old, new) if _denials(new) else (new, old)
    if _denials(told) or len(_denials(denied)) != 1:
        return None
    own = _lay_apart(told, denied)
    if own is None or own.before.word in _BEING or not 0 < len(own.denied) <= MOST_OWN or len(own.told) > MOST_OWN:
        return None
    if any(at > own.denied[0].at for at in denied.turns) or any(at > own.before.at for at in told.turns):
        return None
    right = " ".join(one.word for one in own.denied)
    if not own.told:
        is_at = own.denied[0].word in _AT_WHICH and len(own.denied) > 1 and not own.end
        return f"denies it {right} alone" if is_at and _ANY_MORE.isdisjoint(denied.tokens) else None
    left = " ".join(one.word for one in own.told)
    return f"denies something else: {left} / {right}" if _are_things_apart(own) else None


def _denials(side: Outline) -> list[int]:
    """Where it denies by a word that does nothing else, or says that somebody dislikes something."""
    return [at for at in side.turns if side.tokens[at] in _DENIES | _DISLIKES]


def _lay_apart(told: Outline, denied: Outline) -> _Own | None:
    here, there = _plain_words(told), _plain_words(denied)
    begin = _count_alike(here, there)
    if begin == 0 or (begin == 1 and stem(here[0].word) not in _VERBS):
        return None  # only of whom or what both tell
    end = _count_alike(here[begin:][::-1], there[begin:][::-1])
    return _Own(here[begin : len(here) - end], there[begin : len(there) - end], here[begin - 1], end)


def _plain_words(side: Outline) -> list[_Plain]:
    """Of "does not like tea any more" that is "like tea", and so it is of "hates tea"."""
    longer = {at + 1 for at in side.turns if side.tokens[at] == "no"}
    told = [_plainly(*one) for one in zip(side.tokens, side.groups, range(len(side.tokens)), strict=True)]
    found = [
        one for one in told if one.word not in _CHANGES_NOTHING and not (one.word == "longer" and one.at in longer)
    ]
    while found and found[-1].word in _ANY_MORE:
        found.pop()
    return found


def _plainly(word: str, groups: frozenset[int], at: int) -> _Plain:
    if word in _DISLIKES:
        return _Plain(_LIKE, SYNONYM_GROUPS[stems_of(_LIKE)], at)
    return _Plain(_HAVE if word in _HAVING else word, groups, at)


def _count_alike(here: Sequence[_Plain], there: Sequence[_Plain]) -> int:
    """How many are alike from the beginning on."""
    pairs = zip(here, there, strict=False)
    return next((at for at, pair in enumerate(pairs) if not _are_alike(*pair)), min(len(here), len(there)))


def _are_alike(one: _Plain, other: _Plain) -> bool:
    return stem(one.word) == stem(other.word) or bool(one.groups & other.groups)


def _are_things_apart(own: _Own) -> bool:
    """Whether both are things, or each is where or with which something is done, and none is a kind of the other."""
    told, denied = own.told, own.denied
    if own.end and own.before.word == _HAVE:
        return False  # "has healed from the flu" / "has not recovered from the flu"
    if min(len(told), len(denied)) > 1 and {told[0].word, denied[0].word} <= _AT_WHICH:
        told, denied = told[1:], denied[1:]
    pairs = list(product(told, denied))
    return all(map(_is_of_a_thing, (*told, *denied))) and not any(
        _are_alike(one, other) or _is_kind(other.word, one.word) for one, other in pairs
    )


def _is_of_a_thing(one: _Plain) -> bool:
    is_adverb = one.word.endswith("ly") and not classes_of(one.word)
    return not (is_adverb or one.word in _NO_THING or one.word[0].isdigit())


def _is_kind(kind: str, member: str) -> bool:
    """Whether the one is a kind of which the other is: "instrument" / "piano", "Germany" / "Berlin"."""
    is_there = "country" in classes_of(kind) and "city" in classes_of(member)
    named = {stem(word) for name in classes_of(member) for word in name.split()}
    return is_there or stem(kind) in named or stem(member) in _KINDS.get(stem(kind), ())
