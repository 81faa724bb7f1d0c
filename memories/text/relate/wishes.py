"""What is wanted, needed or under way, and that it is done: the one is not the other, however alike they are worded."""

from itertools import pairwise

from memories.text.future.words import PAST
from memories.text.wordlist import words

from .grammar import PREPOSITIONS
from .lookup import SYNONYM_GROUPS, stems_of
from .outline import Outline
from .replacements import spelt_plainly

_WISHES = words("want wants wanted hope hopes hoped dream dreams wish wishes would wouldn't plan plans planned intends")
_AHEAD = _WISHES | words("need needs must should might may could will tries aims considers ought")
BE, HAVE = words("is are am isn't aren't"), words("has have had")
_HELPING = HAVE | words("was were wasn't weren't got")
"""Before a verb that was done: "has moved", "was promoted", "got promoted"."""
_OWNING = words("has have owns own lives live")
"""Of what somebody wished for: it has come about."""
_NO_PAST = words("hundred indeed speed breed exceed proceed succeed was were been wasn't weren't had hadn't")
PAST_BE = words("was were had been")
MIN_PAST = 4
"""Letters of what ends in "ed" and may be no past: "need", "seed", "feed"."""
PAST_FORM, AHEAD_FORM, PRESENT_FORM = "done", "to come", "is"


def find_come_true(old: Outline, new: Outline) -> str | None:
    """Say what became of it, where both begin alike and go on with a verb of their own: "wants to buy" / "bought"."""
    left, right = old.tokens, new.tokens
    at = next((at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), 0)
    if not at:
        return None
    (form, verb, end), (other_form, other_verb, other_end) = verb_at(left, at), verb_at(right, at)
    if {form, other_form} == {PAST_FORM, AHEAD_FORM}:
        return f"to come and done: {verb} / {other_verb}"
    if {form, other_form} == {PAST_FORM} and not groups_of(left, end) & groups_of(right, other_end):
        return f"another thing done: {verb} / {other_verb}"
    if (verb in _WISHES and other_verb in _OWNING) or (other_verb in _WISHES and verb in _OWNING):
        return f"wished and there: {verb} / {other_verb}"
    return None


def tells_ahead(tokens: tuple[str, ...]) -> bool:
    """Tell whether it is wanted, has to be or may be; "the invoice for May" is of a month."""
    told = pairwise(("", *tokens))
    return any(word in _AHEAD and not (word == "may" and before in PREPOSITIONS) for before, word in told)


def verb_at(tokens: tuple[str, ...], at: int) -> tuple[str, str, int]:
    """The form of the verb there, the word that tells what is done, and where it is."""
    first, second = (*tokens[at : at + 2], "")[:2]
    if first in _AHEAD or (first in HAVE and second == "to") or (first in BE and second.endswith("ing")):
        return AHEAD_FORM, first, at
    if first in _HELPING and is_past_form(second):
        return PAST_FORM, second, at + 1
    # "Is disabled" tells how it is.
    is_past = is_past_form(first) and tokens[at - 1] not in BE
    return (PAST_FORM if is_past else PRESENT_FORM), first, at


def is_past_form(word: str) -> bool:
    return word not in _NO_PAST and (word in PAST or (len(word) > MIN_PAST and word.endswith("ed")))


def groups_of(tokens: tuple[str, ...], at: int) -> frozenset[object]:
    """What means the same as the verb there, by itself and with the word behind it: "turned off"."""
    verb, both = tokens[at], " ".join(tokens[at : at + 2])
    alike = (SYNONYM_GROUPS.get(stems_of(said), frozenset[int]()) for said in (verb, both))
    return frozenset[object]({spelt_plainly(verb)}).union(*alike)
