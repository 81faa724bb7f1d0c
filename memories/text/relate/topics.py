"""What two statements speak of, told apart by what stands before their verbs: "access tokens" / "refresh tokens", "in
production" / "in development". Of each something else may be true.
"""

import re
from itertools import pairwise, product

from memories.text.wordlist import words

from . import cues, grammar
from .alignment import COVERED, Words
from .conflicts import are_contraries
from .evidence import Sides
from .lookup import are_opposites
from .outline import Outline, Phrase, Word
from .stems import stem
from .wishes import is_past_form

_VERBS = frozenset(stem(verb) for verb in grammar.VERBS | words("need"))
AUXILIARIES = words("do does did is are am was were has have had can could will would shall should may might must")
_SAYING = AUXILIARIES | cues.DENIALS | words("be been being get gets got own owns owned")
_ARTICLES = words("the a an this that my our your his her its their")
_OTHER_CLAUSE = grammar.CONDITIONALS | grammar.BOUNDARIES
_BEFORE_A_NOUN = _ARTICLES | grammar.PREPOSITIONS
_KIN = "kin"
LONGEST = 2
"""Words of what somebody does: "turned off"."""
_LETTER = re.compile(r"((?:[\w-]+ ){1,3})([A-Z])\b")
_UNTOLD = cues.STOP - cues.NEGATORS - grammar.PREPOSITIONS


def verb_of(side: Outline) -> int:
    """Where it begins to say something of whom or what it begins with; 0 where that is not clear, or nothing does."""
    tokens = side.tokens
    told = enumerate(zip(("", *tokens), tokens, (*tokens[1:], ""), (*tokens[2:], "", ""), strict=False))
    for at, (before, token, behind, then) in told:
        if at and token in _OTHER_CLAUSE:
            return 0
        is_noun = before in _BEFORE_A_NOUN or (_says(behind) and not behind.endswith("ing"))
        is_noun = is_noun or (not at and (_says(then) or token.endswith("ing")))
        if token in _SAYING or ((_says(token) or is_past_form(token)) and not is_noun):
            return at
    return 0


def said_at(side: Outline) -> int:
    """Where it says what is so: its verb, or what stands behind "is"; 0 where it says nothing."""
    return next((at for at in range(verb_of(side), len(side.tokens)) if side.tokens[at] not in _UNTOLD), 0)


def _says(token: str) -> bool:
    return token in _SAYING or stem(token) in _VERBS


def name_other_topics(sides: Sides) -> str | None:
    """Return the two that are spoken of, where they are two of a kind and something else is said of each: as one may be
    true of both, it may of either.

    Two of a kind stand before the same word or behind the same preposition, are known contraries, or have a letter or a
    number each.
    """
    old, new = sides.existing, sides.new
    letters = _find_letters(old.written, new.written)
    if letters or _tells(old) == _tells(new):
        return letters
    mine, others = _own(old, sides.aligned.lone_existing), _own(new, sides.aligned.lone_new)
    for one, other in product(mine, others):
        is_of_one_kind = _place(old, one).intersection(_place(new, other))
        if is_of_one_kind or (one is mine[-1] and other is others[-1] and _are_known(one, other)):
            return f"of another one: {one.text} / {other.text}"
    return _find_numbers(old, new)


def do_contraries(sides: Sides) -> bool:
    """Tell whether what they say are contraries, each of another thing: "swap is off" / "IPv6 is on", "sold the bike" /
    "bought a kayak". Who is retired is not employed, whatever else is said of it.
    """
    old, new = sides.existing, sides.new
    met = ((one, other) for one, other in product(_contraries(old), _contraries(new)) if are_contraries(one, other))
    lone, others = sides.aligned.lone_existing, sides.aligned.lone_new
    are_two = bool(_own(old, lone) and _own(new, others))
    return any(
        (are_two or (_is_done_to(old, one, lone) and _is_done_to(new, other, others)))
        and not _shares_more(old, sides.aligned.best_existing, one)
        and not _shares_more(new, sides.aligned.best_new, other)
        for one, other in met
    )


def _contraries(side: Outline) -> list[Phrase]:
    """What it says first, if that has a contrary; a longer phrase tells to what it is done, too."""
    said = said_at(side)
    return [phrase for phrase in side.phrases if phrase.start == said and phrase.end - said <= LONGEST]


def _is_done_to(side: Outline, phrase: Phrase, lone: Words) -> bool:
    """Tell whether it is a verb, with a word of weight behind it that only this one has."""
    is_verb = phrase.start == verb_of(side) > 0
    return is_verb and any(word.at >= phrase.end and word.weight >= 1 for word in lone)


def _shares_more(side: Outline, best: list[tuple[float, int]], phrase: Phrase) -> bool:
    """Tell whether the other one has more of it than who does it, and what is done."""
    verb = verb_of(side)
    return any(
        share >= COVERED
        and not phrase.start <= word.at < phrase.end
        and not (word.at < verb and (word.is_name or _KIN in word.classes))
        for word, (share, _) in zip(side.words, best, strict=True)
    )


def _find_letters(old: str, new: str) -> str | None:
    """ "Room A" / "room B"."""
    left, right = _LETTER.match(old), _LETTER.match(new)
    if not left or not right or left[1].casefold() != right[1].casefold() or left[2] == right[2]:
        return None
    return f"of another one: {left[0]} / {right[0]}"


def _find_numbers(old: Outline, new: Outline) -> str | None:
    """ "Disk 1" / "disk 2"."""
    mine, others = _numbers(old), _numbers(new)
    for name in mine.keys() & others.keys():
        if mine[name] != others[name]:
            return f"of another one: {name} {mine[name]} / {others[name]}"
    return None


def _numbers(side: Outline) -> dict[str, str]:
    before = side.tokens[: verb_of(side)]
    told = pairwise(before)
    return {name: word for name, word in told if word.isdecimal() and name.isalpha() and name not in _BEFORE_A_NOUN}


def _tells(side: Outline) -> list[str]:
    """What is said of it, without the words that tell nothing."""
    return [token for token in side.tokens[verb_of(side) :] if token not in _UNTOLD]


def _own(side: Outline, lone: Words) -> list[Word]:
    verb = verb_of(side)
    return [word for word in lone if word.at < verb]


def _place(side: Outline, word: Word) -> set[str]:
    """Before which word it stands, as far as that is of the same, and behind which preposition."""
    tokens, at = side.tokens, word.at
    before = next((token for token in reversed(tokens[:at]) if token not in _ARTICLES), "")
    place = {before} & grammar.PREPOSITIONS
    return place | {f"{stem(tokens[at + 1])} "} if at + 1 < verb_of(side) else place


def _are_known(one: Word, other: Word) -> bool:
    return not one.classes.isdisjoint(other.classes) or are_opposites(one.text, other.text)
