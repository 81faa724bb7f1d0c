"""Statements that are alike word for word, but for their order or for small words: what these few say, counts."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from memories.text.wordlist import words

from . import cues, grammar
from .measures import MONTHS, UNITS
from .outline import Outline

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
_ONE_THING = _OWNERS | words("the user")
_PEOPLE = words("i me my we us our he she they him her them his their user users person people one")


def find_other_wording(old: Outline, new: Outline) -> str | None:
    """Say which words make the difference; None if the two differ by more than these, or by nothing that tells."""
    left, right = _spoken(old), _spoken(new)
    if sorted(left) == sorted(right):
        return None if left == right or _is_rearranged(old.tokens, new.tokens) else "the same words in another order"
    for gone, come in _differences(left, right):
        if any(word in _NARROWING for word in (*gone, *come)) and not (gone and come):
            return f"said of it: {' '.join((*gone, *come))}"
        if len(gone) == len(come) == 1 and _is_other_thing(gone[0], come[0]):
            return f"another word in its place: {gone[0]} / {come[0]}"
        choices = [pair for pair in zip(gone, come, strict=False) if _is_choice(*pair)]
        if choices and len(gone) == len(come):
            return f"another word in its place: {' / '.join(choices[0])}"
    return None


def _spoken(side: Outline) -> list[str]:
    return [token for token in side.tokens if token[0].isalnum()]


def _differences(left: Tokens, right: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    """The stretches that differ; none if more than one does and less than half of the words is in both, in order."""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    others = [places for kind, *places in matcher.get_opcodes() if kind != "equal"]
    if len(others) == 1 or matcher.ratio() >= LIKENESS:
        for start, end, other_start, other_end in others:
            yield left[start:end], right[other_start:other_end]


def _is_choice(gone: str, come: str) -> bool:
    if any(gone in group and come in group for group in _ALIKE):
        return False
    return any(gone in group and come in group for group in _CHOICES)


def _is_other_thing(gone: str, come: str) -> bool:
    """Another unit; or a word that is as a rule one of grammar, where another thing is named, or whose it is: "our" /
    "Tom's place".
    """
    kinds = [UNITS[word][0] if word in UNITS else None for word in (gone, come)]
    is_unit = kinds[0] != kinds[1] and gone.isalpha() and come.isalpha()
    is_owned = not _OWNERS.isdisjoint((gone, come)) and cues.STOP.isdisjoint({gone, come} - _OWNERS)
    return is_unit or is_owned or bool({gone, come} & {"user", "users"} and not {gone, come} <= _PEOPLE)


def _is_rearranged(old: Tokens, new: Tokens) -> bool:
    """Tell whether only members of a list, or whole parts of the sentence, have changed their places."""
    left, right = ([token for token in side if token[0].isalnum()] for side in (old, new))
    if sorted(_parts(old)) == sorted(_parts(new)) or _is_turned(left, right) or _is_list_turned(left, right):
        return True
    if _is_date_turned(left, right) or _is_name_turned(left, right):
        return True
    return _settled(old) == _settled(new)


def _is_turned(old: Tokens, new: Tokens) -> bool:
    """ "On Friday we deploy" is "we deploy on Friday"."""
    ends = [at for at in range(1, len(old)) if [*old[at:], *old[:at]] == [*new]]
    return any(old[at] in _OPENING or old[0] in _OPENING for at in ends)


def _is_date_turned(old: Tokens, new: Tokens) -> bool:
    """ "On 1 June" is "on June 1"."""
    places = [at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right]
    if len(places) != 2 or places[1] != places[0] + 1:
        return False
    one, other = sorted(old[at] for at in places)
    return one.isdecimal() and other in MONTHS


def _is_name_turned(old: Tokens, new: Tokens) -> bool:
    """ "Anna is the CTO" is "the CTO is Anna": what is one thing may stand on either side."""
    for at, token in enumerate(old):
        name, thing = [*old[:at]], [*old[at + 1 :]]
        if token in _ALIKE[0] and [*new] == [*thing, token, *name]:
            return any(side[:1] and side[0] in _ONE_THING for side in (name, thing))
    return False


def _settled(tokens: Tokens) -> list[str]:
    """With what may stand anywhere in a clause at its end, unless something is denied there: "is not always up"."""
    settled, clause = list[str](), list[str]()
    for token in (*tokens, "."):
        if token[0].isalnum() and token not in _CLAUSES:
            clause.append(token)
            continue
        is_denied = not cues.NEGATORS.isdisjoint(clause)
        settled += clause if is_denied else sorted(clause, key=_ROAMING.__contains__)
        if clause or token[0].isalnum():
            settled.append(token)
        clause.clear()
    return settled


def _parts(tokens: Tokens) -> list[tuple[str, ...]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token in _JOINTS:
            parts.append([])
        elif token[0].isalnum():
            parts[-1].append(token)
    return [tuple(part) for part in parts if part]


def _is_list_turned(old: Tokens, new: Tokens) -> bool:
    """ "Anna and Ben are admins" is "Ben and Anna are admins"."""
    places = [at for at, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
    stretch = old[places[0] : places[-1] + 1]
    others = [word for word in stretch if word not in _JOINTS]
    return len(others) < len(stretch) and len(others) == len(places)
