"""What and whom two statements are about, and the words that stand in the place of others."""

import re
from itertools import pairwise, product

from memories.language.dates.words import PAST
from memories.language.relate import grammar
from memories.language.relate.features import are_contraries
from memories.language.relate.grammar import stem
from memories.language.relate.lexicon import SYNONYM_GROUPS, are_opposites, stems_of
from memories.language.relate.outline import COVERED, Evidence, Outline, Pair, Phrase, Word, Words
from memories.language.relate.verdict import STRONGEST_FIRST
from memories.language.wordlists import ANIMALS, CARERS, GROUPS, PERSONS, words

_SPELT = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in {
        r"(.)\1": r"\1",
        r"our": "or",
        r"is(e|ed|es|ing|ation)$": r"iz\1",
        r"yse": "yze",
        r"tre(s?)$": r"ter\1",
        r"ogue": "og",
        r"ae|oe": "e",
        r"grey": "gray",
        r"e(ment|able)": r"\1",
        r"or$": "er",
        r"ence": "ense",
    }.items()
)
"""Doubled letters, and what English spells in two ways, written in one."""
TAKING = words("take takes took need needs needed require requires required")
"""Of what a thing takes, any of these is said: "takes a minute to boot" is "needs a minute to boot"."""
MOST_LONE = 2


def are_spellings(left: Word, right: Word) -> bool:
    """Tell whether two words are one in two spellings.

    Two of its letters are turned; a name, an address and a word with a number in it are what they are.
    """
    if left.is_name or right.is_name or not (left.text.isalpha() and right.text.isalpha()):
        return False
    places = [place for place, (a, b) in enumerate(zip(left.text, right.text, strict=False)) if a != b]
    if len(left.text) != len(right.text) or len(places) != 2 or places[1] != places[0] + 1:
        return False
    first, second = places
    return left.text[first] == right.text[second] and left.text[second] == right.text[first]


def spelt_plainly(word: str) -> str:
    """In one way, where English has two."""
    for pattern, plain in _SPELT:
        word = pattern.sub(plain, word)
    return word


_WISHES = words("want wants wanted hope hopes hoped dream dreams wish wishes would wouldn't plan plans planned intends")
_AHEAD = _WISHES | words("need needs must should might may could will tries aims considers ought")
BE, HAVE = words("is are am isn't aren't"), words("has have had")
_HELPING = HAVE | words("was were wasn't weren't got")
"""Before a verb that was done: "has moved", "was promoted", "got promoted"."""
_OWNING = words("has have owns own lives live")
"""Of what somebody wished for: it has come about."""
_NO_PAST = words("hundred indeed speed breed exceed proceed succeed was were been wasn't weren't had hadn't")
MIN_PAST = 4
"""Letters of what ends in "ed" and may be no past: "need", "seed", "feed"."""
PAST_FORM, AHEAD_FORM, PRESENT_FORM = "done", "to come", "is"


def find_come_true(old: Outline, new: Outline) -> str | None:
    """Say what became of it, where both begin alike and go on with a verb of their own: "wants to buy" / "bought"."""
    left, right = old.tokens, new.tokens
    place = next((place for place, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), 0)
    if not place:
        return None
    (form, verb, end), (other_form, other_verb, other_end) = verb_at(left, place), verb_at(right, place)
    if {form, other_form} == {PAST_FORM, AHEAD_FORM}:
        return f"to come and done: {verb} / {other_verb}"
    if {form, other_form} == {PAST_FORM} and not groups_of(left, end) & groups_of(right, other_end):
        return f"another thing done: {verb} / {other_verb}"
    if (verb in _WISHES and other_verb in _OWNING) or (other_verb in _WISHES and verb in _OWNING):
        return f"wished and there: {verb} / {other_verb}"
    return None


def verb_at(tokens: tuple[str, ...], place: int) -> tuple[str, str, int]:
    """Return the form of the verb there, the word that tells what is done, and where it is."""
    first, second = (*tokens[place : place + 2], "")[:2]
    if first in _AHEAD or (first in HAVE and second == "to") or (first in BE and second.endswith("ing")):
        return AHEAD_FORM, first, place
    if first in _HELPING and is_past_form(second):
        return PAST_FORM, second, place + 1
    # "Is disabled" tells how it is.
    is_past = is_past_form(first) and tokens[place - 1] not in BE
    return (PAST_FORM if is_past else PRESENT_FORM), first, place


def is_past_form(word: str) -> bool:
    return word not in _NO_PAST and (word in PAST or (len(word) > MIN_PAST and word.endswith("ed")))


def groups_of(tokens: tuple[str, ...], place: int) -> frozenset[object]:
    """Return what means the same as the verb there, by itself and with the word behind it: "turned off"."""
    verb, both = tokens[place], " ".join(tokens[place : place + 2])
    alike = (SYNONYM_GROUPS.get(stems_of(name), frozenset[int]()) for name in (verb, both))
    return frozenset[object]({spelt_plainly(verb)}).union(*alike)


_VERBS = frozenset(stem(verb) for verb in grammar.VERBS | words("need"))
AUXILIARIES = words("do does did is are am was were has have had can could will would shall should may might must")
_SAYING = AUXILIARIES | grammar.DENIALS | words("be been being get gets got own owns owned")
_ARTICLES = words("the a an this that my our your his her its their")
_OTHER_CLAUSE = grammar.CONDITIONALS | grammar.CLAUSE_BOUNDARIES
_BEFORE_A_NOUN = _ARTICLES | grammar.PREPOSITIONS
_KIN = "kin"
LONGEST = 2
"""Words of what somebody does: "turned off"."""
_LETTER = re.compile(r"((?:[\w-]+ ){1,3})([A-Z])\b")
_UNTOLD = grammar.STOP - grammar.NEGATORS - grammar.PREPOSITIONS


def verb_of(side: Outline) -> int:
    """Where it begins to say something of whom or what it begins with; 0 where that is not clear, or nothing does."""
    tokens = side.tokens
    neighbours = enumerate(zip(("", *tokens), tokens, (*tokens[1:], ""), (*tokens[2:], "", ""), strict=False))
    for place, (before, token, behind, then) in neighbours:
        if place and token in _OTHER_CLAUSE:
            return 0
        is_noun = before in _BEFORE_A_NOUN or (_says(behind) and not behind.endswith("ing"))
        is_noun = is_noun or (not place and (_says(then) or token.endswith("ing")))
        if token in _SAYING or ((_says(token) or is_past_form(token)) and not is_noun):
            return place
    return 0


def said_at(side: Outline) -> int:
    """Return where it says what is so: its verb, or what stands behind "is"; 0 where it says nothing."""
    return next((place for place in range(verb_of(side), len(side.tokens)) if side.tokens[place] not in _UNTOLD), 0)


def _says(token: str) -> bool:
    return token in _SAYING or stem(token) in _VERBS


def name_other_topics(sides: Pair) -> str | None:
    """Return the two that are spoken of, where they are two of a kind and something else is said of each.

    As one may be true of both, it may of either.

    Two of a kind stand before the same word or behind the same preposition, are known contraries, or have a letter or a
    number each.
    """
    old, new = sides.existing, sides.new
    # "Room A" / "room B".
    left, right = _LETTER.match(old.written), _LETTER.match(new.written)
    if left and right and left[1].casefold() == right[1].casefold() and left[2] != right[2]:
        return f"of another one: {left[0]} / {right[0]}"
    verbs = verb_of(old), verb_of(new)
    topics, others_told = (
        [token for token in side.tokens[verb:] if token not in _UNTOLD]
        for side, verb in zip((old, new), verbs, strict=True)
    )
    if topics == others_told:
        return None
    mine = [word for word in sides.aligned.lone_existing if word.place < verbs[0]]
    others = [word for word in sides.aligned.lone_new if word.place < verbs[1]]
    for own, other in product(mine, others):
        is_of_one_kind = not _places(old, own).isdisjoint(_places(new, other))
        if not is_of_one_kind and own is mine[-1] and other is others[-1]:
            is_of_one_kind = not own.classes.isdisjoint(other.classes) or are_opposites(own.text, other.text)
        if is_of_one_kind:
            return f"of another one: {own.text} / {other.text}"
    # "Disk 1" / "disk 2".
    numbers, other_numbers = (
        {
            name: word
            for name, word in pairwise(side.tokens[:verb])
            if word.isdecimal() and name.isalpha() and name not in _BEFORE_A_NOUN
        }
        for side, verb in zip((old, new), verbs, strict=True)
    )
    name = next((name for name in numbers.keys() & other_numbers if numbers[name] != other_numbers[name]), None)
    return f"of another one: {name} {numbers[name]} / {other_numbers[name]}" if name else None


def _places(side: Outline, word: Word) -> set[str]:
    """Return before which word it stands, as far as that is of the same, and behind which preposition."""
    tokens, place = side.tokens, word.place
    before = next((token for token in reversed(tokens[:place]) if token not in _ARTICLES), "")
    places = {before} & grammar.PREPOSITIONS
    return places | {f"{stem(tokens[place + 1])} "} if place + 1 < verb_of(side) else places


def do_contraries(sides: Pair) -> bool:
    """Tell whether what they say are contraries, each of another thing.

    "swap is off" / "IPv6 is on", "sold the bike" / "bought a kayak". Who is retired is not employed, whatever else
    is said of it.
    """
    old, new = sides.existing, sides.new
    # What each says first, if that has a contrary; a longer phrase tells to what it is done, too.
    begins = [
        [phrase for phrase in side.phrases if phrase.start == verb and phrase.end - verb <= LONGEST]
        for side, verb in ((old, said_at(old)), (new, said_at(new)))
    ]
    met = ((own, other) for own, other in product(*begins) if are_contraries(own, other))
    lone, others = sides.aligned.lone_existing, sides.aligned.lone_new
    are_two = any(word.place < verb_of(old) for word in lone) and any(word.place < verb_of(new) for word in others)
    return any(
        (are_two or (_is_done_to(old, own, lone) and _is_done_to(new, other, others)))
        and not _shares_more(old, sides.aligned.best_existing, own)
        and not _shares_more(new, sides.aligned.best_new, other)
        for own, other in met
    )


def _is_done_to(side: Outline, phrase: Phrase, lone: Words) -> bool:
    """Tell whether it is a verb, with a word of weight behind it that only this one has."""
    is_verb = phrase.start == verb_of(side) > 0
    return is_verb and any(word.place >= phrase.end and word.weight >= 1 for word in lone)


def _shares_more(side: Outline, best: list[tuple[float, int]], phrase: Phrase) -> bool:
    """Tell whether the other one has more of it than who does it, and what is done."""
    verb = verb_of(side)
    return any(
        share >= COVERED
        and not phrase.start <= word.place < phrase.end
        and not (word.place < verb and (word.is_name or _KIN in word.classes))
        for word, (share, _) in zip(side.words, best, strict=True)
    )


_VERB_STEMS = frozenset(stem(verb) for verb in grammar.VERBS)
_IS = words("is was")
_COPULAS = _IS | words("are were")
_BEFORE_A_SUBJECT = words("the our its a an")
_CONTRARIES = frozenset({"opposed", "rule_implied"})
_VALUES = frozenset({"other_name", "sibling", "number_conflict", "change_cue"})


def have_nothing_in_common(sides: Pair, evidence: Evidence) -> bool:
    """Tell whether only values differ of matters that share no word.

    "the team is live in Portugal" / "the office is in Porto".

    Of what is far apart in meaning, too, whatever is denied is denied of something else: "the status page needs no
    token" / "retries are limited to 3". Contraries may be far apart: who is vegan has no scrambled eggs.
    """
    strongest = {name for name, least in STRONGEST_FIRST.items() if evidence.features[name] >= least}
    matched = zip(sides.aligned.existing, sides.aligned.best_existing, strict=True)
    shared = {word.text for word, (share, _) in matched if share >= COVERED}
    if not shared and evidence.features["cosine"] < 0 and strongest.isdisjoint(_CONTRARIES):
        return True
    is_of_values = strongest <= _VALUES and shared <= grammar.LIGHT
    return is_of_values and all(map(_has_a_subject, (sides.existing, sides.new)))


def _has_a_subject(side: Outline) -> bool:
    """Tell whether it begins with a thing, or with what was done once; "lives in Rome" is said of the user."""
    first, second = (*side.tokens, "", "")[:2]
    if first in _BEFORE_A_SUBJECT:
        return second.isalpha() and second not in grammar.STOP
    return (first.endswith("ed") and stem(first) in _VERB_STEMS) or (first not in grammar.STOP and second in _COPULAS)


_RELATED = PERSONS | GROUPS | CARERS | ANIMALS | words("relatives")
_DETERMINERS = words("the a an this that our my his her their its new old former younger older elder little")
_MOST_WORDS_OF_A_CHAIN = 8
_IN_LAW = words("in law step")
_WITH = words("with")
MOST_BETWEEN = 3


def find_other_relative(old: Outline, new: Outline) -> str | None:
    """Name whose relative one of the two begins with, where the other one has no such relative.

    "User's son likes jazz" is not said of the user, nor of a daughter.
    """
    if not all(side.tokens[:1] == ("user",) or side.tokens[:2] == ("the", "user") for side in (old, new)):
        return None
    for side, other in ((old, new), (new, old)):
        for place in _relatives_of_user(side):
            groups = side.groups[place]
            plain = spelt_plainly(side.tokens[place])
            if not (
                any(spelt_plainly(word) == plain for word in other.tokens)
                or any(groups & relatives for relatives in other.groups)
            ):
                return f"of another one: {side.tokens[place]}"
    return None


def is_said_of_a_relative(old: Outline, new: Outline) -> str | None:
    """Name the relative of whom only one of the two tells: an only child has no brother."""
    tells = [
        any(
            # Whoever is with somebody is not told of: "lives in Gothenburg with their partner Erik".
            word in _RELATED and _WITH.isdisjoint(side.tokens[max(0, place - MOST_BETWEEN) : place])
            for place, word in enumerate(side.tokens)
        )
        for side in (old, new)
    ]
    return None if all(tells) else find_other_relative(old, new)


def _relatives_of_user(side: Outline) -> list[int]:
    """Return where the relatives stand with whom it begins: "User's wife's sister", "User's mother-in-law"."""
    places: list[int] = []
    start = side.tokens.index("user") + 1
    for place, word in enumerate(side.tokens[start:_MOST_WORDS_OF_A_CHAIN], start=start):
        if not (word in _RELATED or word in _IN_LAW or word in _DETERMINERS):
            break
        if word not in _DETERMINERS and word != "in":
            places.append(place)
    return places
