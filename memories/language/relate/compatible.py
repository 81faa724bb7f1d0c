"""Two statements that may both be true: who speaks German may speak French, and of two visits none denies the other."""

import re
from itertools import pairwise, product, takewhile
from typing import NamedTuple

from memories.language.dates.words import MONTHS, WEEKDAYS
from memories.language.relate import grammar
from memories.language.relate.grammar import NUMBER_WORDS, TENS, stem
from memories.language.relate.lexicon import SYNONYM_GROUPS, classes_of, stems_of
from memories.language.relate.outline import COVERED, Best, Evidence, Outline, Pair
from memories.language.relate.topics import (
    do_contraries,
    have_nothing_in_common,
    name_other_topics,
)
from memories.language.relate.verdict import STRONGEST_FIRST
from memories.language.wordlists import words

_OF_MANY = frozenset(
    stem(verb)
    for verb in words("""
        like love enjoy hate speak read collect know visit eat drink learn study play cook watch bake sing follow own
        take allergic invite meet met attend buy bought see saw travel allow allowed welcome fix fixed afraid scared
        frightened fear fond keen
        """)
)
"""What they are said of has, as a rule, several: another object is another fact."""
_EVENTS = words("""
    visited met called phoned fixed invited attended watched saw bought went travelled traveled donated talked spoke
    wrote texted emailed ordered applied sold ate cooked baked paid lent helped sent tried repaired painted finished
    presented ran swam cycled walked hiked jogged climbed
    """)
"""What somebody has done once they may have done again, on another day."""
_OCCASIONS = words("""
    meeting call lunch dinner breakfast brunch interview appointment date lesson exam rehearsal party workshop viewing
    """)
"""Of these somebody may have several: a meeting with one, a meeting with another."""
_OF_WHOM = words("allergic allow allowed welcome afraid scared frightened fond keen")
"""Said of those to whom it is done or who are so: "cats are allowed". "Is called" and "is fixed" are said of one thing,
for good.
"""
_BEING = words("is are am was were be been being get gets got")
_BEFORE_A_NOUN = words("the a an my your his her its our their this that favourite favorite s of")
_HAVING = words("has have had own owns owned got")
_FIRM = (
    "rule_clash",
    "rule_implied",
    "negated_one_side",
    "order_clashes",
    "swapped",
    "only_against_all",
    "change_cue",
)
FIRM = 0.5
"""From here on one of these decides."""
LEAST_APART = 2
"""So many words in which two statements differ, the thing and its value, make them two."""
_KIN = "kin"


def find_why_both_hold(sides: Pair, evidence: Evidence) -> str | None:
    """Say why the one leaves the other as it is; None where something denies it, or says that it is over."""
    old, new = sides.existing, sides.new
    others = name_other_topics(sides)
    are_others = have_nothing_in_common(sides, evidence) or do_contraries(sides)
    if others or are_others:
        return others or evidence.notes.get("remainder", "of another one")
    f = evidence.features
    # Who became team lead leaves what the team lead does as it is.
    is_change = not grammar.CHANGE.intersection(new.tokens) <= _BECOMING
    firm = [name for name in _FIRM if f[name] >= FIRM and (name != "change_cue" or is_change)]
    excused = _excuse(firm, sides, evidence)
    if excused:
        return f"{excused}; {evidence.notes.get('remainder', 'all of its words are there')}"
    if firm or old.is_exclusive or new.is_exclusive:
        return None
    # What has no word and no number that the other has not cannot deny it.
    adds_nothing = all(share >= COVERED for share, _ in sides.aligned.best_new)
    adds_nothing = adds_nothing and all(token in old.tokens for token in new.tokens if token[0].isdigit())
    if adds_nothing and not any(f[name] >= least for name, least in STRONGEST_FIRST.items()):
        return f"says nothing else; {evidence.notes.get('remainder', 'all of its words are there')}"
    event = _event(old, new)
    if f["opposed"]:
        return None
    ours, theirs = ({stem(verb) for verb in _doing(side)} & _OF_MANY for side in (old, new))
    groups = {verb: SYNONYM_GROUPS.get((verb,), frozenset()) for verb in ours | theirs}
    alike = {own for own, other in product(ours, theirs) if own == other or groups[own] & groups[other]}
    verb = min(alike, default=None)
    if verb and (f["sibling"] or f["other_name"]):
        return f"may hold of both: {verb}"
    if event and not (event in _OCCASIONS and f["number_conflict"]):
        return f"may have happened twice: {event}"
    if _are_of(sides, _KIN) or _are_of_other_things(old, new):
        return evidence.notes.get("remainder", "of another one")
    return None


def _excuse(firm: list[str], sides: Pair, evidence: Evidence) -> str | None:
    """Say why what seems to oppose the two does not: it is of another day, or tells what somebody became."""
    is_opposed = bool(evidence.features["opposed"])
    if not firm and not is_opposed and evidence.features["number_conflict"]:
        # Only their dates differ, and each tells something of its own: "left in March" / "is away until May".
        is_of_days = _DATES.match(evidence.notes.get("number_conflict", ""))
        if is_of_days and all(_tells_its_own(seen.outline, seen.best) for seen, _ in sides.both_ways()):
            return "each on its own day"
    strongest = [name for name, least in STRONGEST_FIRST.items() if evidence.features[name] >= least]
    return "tells what somebody became" if not firm and strongest == ["change_cue"] else None


def _event(old: Outline, new: Outline) -> str | None:
    if all(("been", "to") in zip(side.tokens, side.tokens[1:], strict=False) for side in (old, new)):
        return "been"
    has_both = _HAVING.intersection(old.tokens, new.tokens)
    occasion = min(_OCCASIONS.intersection(old.tokens, new.tokens), default=None) if has_both else None
    return min(_EVENTS & _doing(old) & _doing(new), default=occasion)


def _doing(side: Outline) -> set[str]:
    """Return the words with which somebody may do something.

    No noun ("my favourite drink is"), and nothing that is done to them.
    """
    verbs = set()
    for before, word, behind in zip(("", *side.tokens), side.tokens, (*side.tokens[1:], ""), strict=False):
        is_done_to = before in _BEING and word not in _OF_WHOM
        if not is_done_to and before not in _BEFORE_A_NOUN and behind not in _BEING:
            verbs.add(word)
    return verbs


def _are_of(sides: Pair, name: str) -> bool:
    """Tell whether each has a word of its own of this class."""
    old, new = sides.existing.words, sides.new.words
    stems = {word.stem for word in old} & {word.stem for word in new}
    return all(any(word.stem not in stems and name in word.classes for word in side) for side in (old, new))


def _are_of_other_things(old: Outline, new: Outline) -> bool:
    """Tell whether they begin with another word and end with another value: "startup takes 20 seconds"."""
    if len(old.tokens) != len(new.tokens) or not old.words or not new.words:
        return False
    places = [place for place, (left, right) in enumerate(zip(old.tokens, new.tokens, strict=True)) if left != right]
    if len(places) < LEAST_APART:
        return False
    head, *others = places
    values = [(old.tokens[place], new.tokens[place]) for place in others]
    is_head = head in (0, old.words[0].place) and head in (0, new.words[0].place)
    return is_head and all(a[:1].isdigit() and b[:1].isdigit() for a, b in values)


def _tells_its_own(side: Outline, best: Best) -> bool:
    """Tell whether a word of weight is in nothing of the other statement; a month is no such word."""
    return any(
        share == 0.0 and word.weight >= 1 and word.text not in _DAYS
        for word, (share, _) in zip(side.words, best, strict=True)
    )


_VERBS = frozenset(stem(verb) for verb in grammar.VERBS)
_BECOMING = words("become became")
_DAYS = MONTHS.keys() | WEEKDAYS.keys()
_DATES = re.compile(rf"(?:date|year|(?:number of )?(?:{'|'.join(MONTHS)})) differs")


_DENIES, _ANY_MORE = words("not never no"), words("any more anymore")
_DISLIKES = words("hate hates hated dislike dislikes disliked loathe loathes detest detests")
_CHANGES_NOTHING = words("do does did can could will would a an the .") | _DENIES
_BE_FORMS = words("be is are am was were been being")
_HAVE, _HAVE_FORMS, _LIKE = "have", words("has had having"), "like"
_NO_THING = (
    grammar.UNIVERSAL
    | grammar.EXCLUSIVE
    | grammar.BOUNDARIES
    | grammar.PREPOSITIONS
    | NUMBER_WORDS.keys()
    | TENS.keys()
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


class _Plain(NamedTuple):
    """A word of a statement without its negation, and where it stands there."""

    word: str
    groups: frozenset[int]
    place: int


class _Own(NamedTuple):
    """What each has of its own behind what both say, `before` which this word stands; `end` words are alike again."""

    affirmed: list[_Plain]
    denied: list[_Plain]
    before: _Plain
    end: int


def find_other_denied(old: Outline, new: Outline) -> str | None:
    """Name what the one says and the other denies, where both say it in the same words; else None.

    Not where something is said to be so, "is down" / "is not running": that may be one state in two words.
    """
    # Where each denies by a word that does nothing else, or says that somebody dislikes something.
    denials = [[place for place in side.turns if side.tokens[place] in _DENIES | _DISLIKES] for side in (old, new)]
    if sorted(map(len, denials)) != [0, 1]:
        return None
    affirmed, denied = (old, new) if denials[1] else (new, old)
    own = _lay_apart(affirmed, denied)
    if own is None or own.before.word in _BE_FORMS or not own.denied or max(map(len, own[:2])) > MOST_OWN:
        return None
    if max(denied.turns, default=0) > own.denied[0].place or max(affirmed.turns, default=0) > own.before.place:
        return None
    right = " ".join(plain.word for plain in own.denied)
    if not own.affirmed:
        return f"denies it {right} alone" if own.denied[0].word in _AT_WHICH else None
    left = " ".join(plain.word for plain in own.affirmed)
    return f"denies something else: {left} / {right}" if _are_things_apart(own) else None


def _lay_apart(affirmed: Outline, denied: Outline) -> _Own | None:
    here, there = _plain_words(affirmed), _plain_words(denied)
    begin = len(list(takewhile(_are_alike, zip(here, there, strict=False))))
    if begin == 0 or (begin == 1 and stem(here[0].word) not in _VERBS):
        return None  # only of whom or what both tell
    end = len(list(takewhile(_are_alike, zip(here[begin:][::-1], there[begin:][::-1], strict=False))))
    return _Own(here[begin : len(here) - end], there[begin : len(there) - end], here[begin - 1], end)


def _plain_words(side: Outline) -> list[_Plain]:
    """Of "does not like tea any more" that is "like tea", and so it is of "hates tea"."""
    longer = {place + 1 for place in side.turns if side.tokens[place] == "no"}
    plain: list[_Plain] = []
    for place, (word, groups) in enumerate(zip(side.tokens, side.groups, strict=True)):
        if word in _DISLIKES:
            plain.append(_Plain(_LIKE, SYNONYM_GROUPS[stems_of(_LIKE)], place))
        elif word not in _CHANGES_NOTHING and not (word == "longer" and place in longer):
            plain.append(_Plain(_HAVE if word in _HAVE_FORMS else word, groups, place))
    while plain and plain[-1].word in _ANY_MORE:
        plain.pop()
    return plain


def _are_alike(pair: tuple[_Plain, _Plain]) -> bool:
    left, right = pair
    return stem(left.word) == stem(right.word) or bool(left.groups & right.groups)


def _are_things_apart(own: _Own) -> bool:
    """Tell whether both are things, or where or with which something is done, and neither is a kind of the other."""
    affirmed, denied = own.affirmed, own.denied
    if own.end and own.before.word == _HAVE:
        return False  # "has healed from the flu" / "has not recovered from the flu"
    if min(len(affirmed), len(denied)) > 1 and {affirmed[0].word, denied[0].word} <= _AT_WHICH:
        affirmed, denied = affirmed[1:], denied[1:]
    for word, _, _ in (*affirmed, *denied):
        is_adverb = word.endswith("ly") and not classes_of(word)
        if is_adverb or word in _NO_THING or word[0].isdigit():
            return False
    return not any(_are_alike(pair) or _is_kind(pair[1].word, pair[0].word) for pair in product(affirmed, denied))


def _is_kind(kind: str, member: str) -> bool:
    """Tell whether the one is a kind of which the other is: "instrument" / "piano", "Germany" / "Berlin"."""
    is_there = "country" in classes_of(kind) and "city" in classes_of(member)
    named = {stem(word) for name in classes_of(member) for word in name.split()}
    return is_there or stem(kind) in named or stem(member) in _KINDS.get(stem(kind), ())


_USED_TO, _PAST_BE = ("used", "to"), words("was were had been")
_BEFORE_OTHER_USES = words("is are was were be been being get gets got")
"""What is used to store tells what for; who is used to it is accustomed."""


def find_other_habit(sides: Pair) -> str | None:
    """Say so where it is another who used to do it, or something else: "drives to work" / "used to drive a taxi"."""
    for being, doing in sides.both_ways():
        tokens = being.outline.tokens
        neighbours = zip(("", *doing.outline.tokens), pairwise(doing.outline.tokens), strict=False)
        is_habit = [pair == _USED_TO and before not in _BEFORE_OTHER_USES for before, pair in neighbours]
        place = is_habit.index(True) if True in is_habit else None
        if place is not None and doing.outline.turns == (place,) and not being.outline.turns:
            # The one may be said to do now all that it does, and be who used to do it.
            is_now = _PAST_BE.isdisjoint(tokens)
            is_same = is_now and doing.has_only_known(0, place) and being.has_only_known(0, len(tokens))
            return None if is_same else "used to be so of another, or then"
    return None


_PARTED_WITH = re.compile(
    r"(?:the )?(?:user|i|we)(?:'ve| have| has)? (?:just )?(?:sold|scrapped|donated|got rid of|gave away|given away) "
    r"(?:my |our |the |his |her |their |an? )?(?P<thing>[^\W\d_][\w -]{2,40}?)"
    r"(?: (?:last|this|yesterday|today|on|in) .*|)[.!]?",
    re.IGNORECASE,
)
"""The whole statement: what came instead would say more."""


def find_other_possession(existing: str, new: str) -> str:
    """Say with what somebody parted, where the stored statement does not name it; empty otherwise."""
    match = _PARTED_WITH.fullmatch(new.strip())
    is_named = not match or not set(stems_of(match["thing"])).isdisjoint(stems_of(existing))
    return "" if not match or is_named else f"parted with: {match['thing']}"
