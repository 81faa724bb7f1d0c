"""Two statements that may both be true: who speaks German may speak French, and of two visits none denies the other."""

import re
from itertools import product, takewhile
from typing import NamedTuple

from memories.language.dates.words import MONTHS, WEEKDAYS
from memories.language.relate import grammar
from memories.language.relate.grammar import NUMBER_WORDS, TENS, stem
from memories.language.relate.lexicon import SYNONYM_GROUPS, classes_of, stems_of
from memories.language.relate.outline import COVERED, Best, Evidence, Outline, Pair
from memories.language.relate.topics import (
    AUXILIARIES,
    deny_of_another,
    do_contraries,
    have_nothing_in_common,
    name_other_subjects,
    name_other_topics,
    verb_of,
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
_NEGATIONS = (grammar.NEGATIVE_VERBS | {"not", "no"}) - {"nobody"}
"""Not what does something itself: "…, nothing is plugged in"."""
_OPENS_ASIDE = words(", ; and but")
_POINTING = words("that it this they he she")
_SHUNNING = words("avoid avoids avoided avoiding skip skips")
_CAUTIOUS = frozenset(product(words("careful cautious wary"), words("with about of")))
"""Who is careful with something may avoid it, and may not: neither denies the other."""
_BY_CAUTION = frozenset({"negated_one_side", "rule_clash", "rule_implied"})
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
_KIN, _BESIDE = "kin", frozenset({"transport", "pet"})
"""Other relatives are other people; who has a car may have a bike."""


def find_room_for_both(sides: Pair, evidence: Evidence) -> str | None:
    """Say why the one leaves the other as it is; None where something denies it, or says that it is over."""
    old, new = sides.existing, sides.new
    others = name_other_subjects(sides) or name_other_topics(sides)
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
    if f["opposed"] and not ((event or _HAVING.intersection(old.tokens, new.tokens)) and _are_of(sides, _BESIDE)):
        return None
    ours, theirs = ({stem(verb) for verb in _doing(side)} & _OF_MANY for side in (old, new))
    groups = {verb: SYNONYM_GROUPS.get((verb,), frozenset()) for verb in ours | theirs}
    alike = {one for one, other in product(ours, theirs) if one == other or groups[one] & groups[other]}
    verb = min(alike, default=None)
    if verb and (f["sibling"] or f["other_name"]):
        return f"may hold of both: {verb}"
    if event and not (event in _OCCASIONS and f["number_conflict"]):
        return f"may have happened twice: {event}"
    if f["opposed"] or _are_of(sides, {_KIN}) or _are_of_other_things(old, new):
        return evidence.notes.get("remainder", "of another one")
    return None


def _excuse(firm: list[str], sides: Pair, evidence: Evidence) -> str | None:
    """Say why what seems to oppose the two does not: it is denied by the way, avoided with care, of another day."""
    is_opposed = bool(evidence.features["opposed"])
    views = [(seen.outline, seen.best) for seen, _ in sides.both_ways()]
    if firm == ["negated_one_side"]:
        # "User's brother Erik lives in Oslo" / "User's brother Erik is not a carpenter any more".
        share_only_whom = not is_opposed and all(_shares_only_whom(*view) for view in views)
        if share_only_whom or all(_denies_by_the_way(*view) for view in views):
            return "denies something else"
    if "negated_one_side" in firm and _BY_CAUTION.issuperset(firm) and (other := deny_of_another(sides)):
        return other
    if _BY_CAUTION.issuperset(firm) and not is_opposed:
        (old, best_old), (new, best_new) = views
        if _shuns(old, best_old, new) or _shuns(new, best_new, old):
            return "careful with it"
    if not firm and not is_opposed and evidence.features["number_conflict"]:
        # Only their dates differ, and each tells something of its own: "left in March" / "is away until May".
        is_of_days = _DATES.match(evidence.notes.get("number_conflict", ""))
        if is_of_days and all(_tells_its_own(*view) for view in views):
            return "each on its own day"
    shown = [name for name, least in STRONGEST_FIRST.items() if evidence.features[name] >= least]
    return "tells what somebody became" if not firm and shown == ["change_cue"] else None


def _denies_by_the_way(side: Outline, best: Best) -> bool:
    """Tell whether all that is denied is denied by the way, and the other statement has nothing of it.

    "travels by train and does not drive" / "wants a window seat on trains".
    """
    # What is affirmed, too ("speaks"), says nothing.
    affirmed = {word.stem for word in side.words if word.sign > 0}
    denied = [
        (word.at, share)
        for word, (share, _) in zip(side.words, best, strict=True)
        if word.sign < 0 and word.stem not in affirmed
    ]
    for turn in side.turns:
        shares = [share for at, share in denied if at > turn]
        if not shares or max(shares) >= COVERED or not _is_by_the_way(side.tokens, turn):
            return False
    return True


def _shares_only_whom(side: Outline, best: Best) -> bool:
    """Tell whether all that the other one has of it is the one whom it begins with."""
    shared = [word for word, (share, _) in zip(side.words, best, strict=True) if share]
    verb = verb_of(side)
    return bool(shared) and all(word.at < verb and (word.is_name or _KIN in word.classes) for word in shared)


def _is_by_the_way(tokens: tuple[str, ...], at: int) -> bool:
    """Tell whether a negation opens another clause, behind one that affirms.

    "and does not", "and avoids", "and wants no", "; that is not", "in the app, not in the site".
    """
    if tokens[at] not in _NEGATIONS:
        return False
    if tokens[at + 1 : at + 2] and tokens[at + 1] in _PLACING.intersection(tokens[:at]):
        return tokens[at] == "not" and tokens[at - 1] not in AUXILIARIES
    before = at - 1
    if tokens[at] == "no" and stem(tokens[before]) in _VERBS:
        before -= 1
    while before > 0 and tokens[before] in AUXILIARIES | _POINTING:
        before -= 1
    return before > 0 and tokens[before] in _OPENS_ASIDE


def _shuns(shunning: Outline, best: Best, careful: Outline) -> bool:
    """Tell whether all that the one avoids of the other is what the other is careful with."""
    pairs = enumerate(zip(careful.tokens, careful.tokens[1:], strict=False))
    cautious = next((at for at, pair in pairs if pair in _CAUTIOUS), None)
    if cautious is None or careful.turns or not all(shunning.tokens[at] in _SHUNNING for at in shunning.turns):
        return False
    shunned = [match for word, match in zip(shunning.words, best, strict=True) if word.sign < 0]
    return all(careful.words[at].at > cautious for share, at in shunned if share >= COVERED)


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
    found = set()
    for before, word, behind in zip(("", *side.tokens), side.tokens, (*side.tokens[1:], ""), strict=False):
        is_done_to = before in _BEING and word not in _OF_WHOM
        if not is_done_to and before not in _BEFORE_A_NOUN and behind not in _BEING:
            found.add(word)
    return found


def _are_of(sides: Pair, classes: set[str] | frozenset[str]) -> bool:
    """Tell whether each has a word of its own of one of these classes."""
    old, new = sides.existing.words, sides.new.words
    stems = {word.stem for word in old} & {word.stem for word in new}
    return all(
        any(word.stem not in stems and not classes.isdisjoint(word.classes) for word in side) for side in (old, new)
    )


def _are_of_other_things(old: Outline, new: Outline) -> bool:
    """Tell whether they begin with another word and end with another value: "startup takes 20 seconds"."""
    if len(old.tokens) != len(new.tokens) or not old.words or not new.words:
        return False
    places = [at for at, (left, right) in enumerate(zip(old.tokens, new.tokens, strict=True)) if left != right]
    if len(places) < LEAST_APART:
        return False
    head, *others = places
    values = [(old.tokens[at], new.tokens[at]) for at in others]
    is_head = head in (0, old.words[0].at) and head in (0, new.words[0].at)
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
_PLACING = words("in on at from via")


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
    # Where each denies by a word that does nothing else, or says that somebody dislikes something.
    denials = [[at for at in side.turns if side.tokens[at] in _DENIES | _DISLIKES] for side in (old, new)]
    if sorted(map(len, denials)) != [0, 1]:
        return None
    told, denied = (old, new) if denials[1] else (new, old)
    own = _lay_apart(told, denied)
    if own is None or own.before.word in _BE_FORMS or not 0 < len(own.denied) <= MOST_OWN or len(own.told) > MOST_OWN:
        return None
    if any(at > own.denied[0].at for at in denied.turns) or any(at > own.before.at for at in told.turns):
        return None
    right = " ".join(one.word for one in own.denied)
    if not own.told:
        is_at = own.denied[0].word in _AT_WHICH and len(own.denied) > 1 and not own.end
        return f"denies it {right} alone" if is_at and _ANY_MORE.isdisjoint(denied.tokens) else None
    left = " ".join(one.word for one in own.told)
    return f"denies something else: {left} / {right}" if _are_things_apart(own) else None


def _lay_apart(told: Outline, denied: Outline) -> _Own | None:
    here, there = _plain_words(told), _plain_words(denied)
    begin = len(list(takewhile(_are_alike, zip(here, there, strict=False))))
    if begin == 0 or (begin == 1 and stem(here[0].word) not in _VERBS):
        return None  # only of whom or what both tell
    end = len(list(takewhile(_are_alike, zip(here[begin:][::-1], there[begin:][::-1], strict=False))))
    return _Own(here[begin : len(here) - end], there[begin : len(there) - end], here[begin - 1], end)


def _plain_words(side: Outline) -> list[_Plain]:
    """Of "does not like tea any more" that is "like tea", and so it is of "hates tea"."""
    longer = {at + 1 for at in side.turns if side.tokens[at] == "no"}
    found: list[_Plain] = []
    for at, (word, groups) in enumerate(zip(side.tokens, side.groups, strict=True)):
        if word in _DISLIKES:
            found.append(_Plain(_LIKE, SYNONYM_GROUPS[stems_of(_LIKE)], at))
        elif word not in _CHANGES_NOTHING and not (word == "longer" and at in longer):
            found.append(_Plain(_HAVE if word in _HAVE_FORMS else word, groups, at))
    while found and found[-1].word in _ANY_MORE:
        found.pop()
    return found


def _are_alike(pair: tuple[_Plain, _Plain]) -> bool:
    one, other = pair
    return stem(one.word) == stem(other.word) or bool(one.groups & other.groups)


def _are_things_apart(own: _Own) -> bool:
    """Tell whether both are things, or where or with which something is done, and neither is a kind of the other."""
    told, denied = own.told, own.denied
    if own.end and own.before.word == _HAVE:
        return False  # "has healed from the flu" / "has not recovered from the flu"
    if min(len(told), len(denied)) > 1 and {told[0].word, denied[0].word} <= _AT_WHICH:
        told, denied = told[1:], denied[1:]
    for word, _, _ in (*told, *denied):
        is_adverb = word.endswith("ly") and not classes_of(word)
        if is_adverb or word in _NO_THING or word[0].isdigit():
            return False
    return not any(_are_alike(pair) or _is_kind(pair[1].word, pair[0].word) for pair in product(told, denied))


def _is_kind(kind: str, member: str) -> bool:
    """Tell whether the one is a kind of which the other is: "instrument" / "piano", "Germany" / "Berlin"."""
    is_there = "country" in classes_of(kind) and "city" in classes_of(member)
    named = {stem(word) for name in classes_of(member) for word in name.split()}
    return is_there or stem(kind) in named or stem(member) in _KINDS.get(stem(kind), ())
