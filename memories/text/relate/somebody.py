"""Who a statement is about: somebody who can own or borrow a thing, or a machine, which only answers with it; the user,
or a relative of theirs.
"""

from collections.abc import Iterator

from memories.text.people import ANIMALS, CARERS, GROUPS, PERSONS
from memories.text.wordlist import words

from .lookup import classes_of
from .outline import Outline
from .replacements import spelt_plainly

_SELF = words("user i we he she they who everybody somebody someone")
_PEOPLE = PERSONS | GROUPS
_RELATED = _PEOPLE | CARERS | ANIMALS | words("relatives")
_CALLINGS = frozenset({"kin", "profession"})
_ARTICLES = words("the a an this that our my his her their its new old former younger older elder little")
_DATA = words("""
    value values error errors result results response responses answer status code list array rows row page pages
    record records token tokens object objects string number null id ids hash payload json html data output
    """)
"""What programs return, whatever they are called."""
_MOST_WORDS = 4
_MOST_WORDS_OF_A_CHAIN = 8
_IN_LAW = words("in law step")
_WITH = words("with")
MOST_BETWEEN = 3


def is_somebody(side: Outline, verb: int, thing: tuple[str, ...]) -> bool:
    """Tell whether what stands before the verb there is a person or people, known as such or called by a name.

    "My sister Anna" is, and no "package manager".
    """
    subject = side.tokens[:verb]
    if not subject or len(subject) > _MOST_WORDS:
        return False
    if not _SELF.isdisjoint(subject[:2]):
        return True
    told = [at for at in range(verb) if subject[at] not in _ARTICLES]
    if told and _tells_of_people(subject[told[0]]):
        return all(_is_name(side, at) for at in told[1:])
    return _DATA.isdisjoint(thing) and len(told) == verb and all(_is_name(side, at) for at in told)


def find_other_relative(old: Outline, new: Outline) -> str | None:
    """Name whose relative one of the two begins with, where the other one has no such relative: "User's son likes jazz"
    is not said of the user, nor of a daughter.
    """
    if not (_begins_with_user(old) and _begins_with_user(new)):
        return None
    for side, other in ((old, new), (new, old)):
        for at in _relatives_of_user(side):
            if not _is_named(side.tokens[at], side.groups[at], other):
                return f"of another one: {side.tokens[at]}"
    return None


def is_said_of_a_relative(old: Outline, new: Outline) -> str | None:
    """The same, where only one of the two tells of such people: an only child has no brother."""
    tells = [any(_relatives_told(side)) for side in (old, new)]
    return None if all(tells) else find_other_relative(old, new)


def _relatives_told(side: Outline) -> Iterator[str]:
    """Whoever is with somebody is not told of: "lives in Gothenburg with their partner Erik"."""
    for at, word in enumerate(side.tokens):
        if word in _RELATED and _WITH.isdisjoint(side.tokens[max(0, at - MOST_BETWEEN) : at]):
            yield word


def _begins_with_user(side: Outline) -> bool:
    return side.tokens[:1] == ("user",) or side.tokens[:2] == ("the", "user")


def _relatives_of_user(side: Outline) -> list[int]:
    """Return where the relatives stand with whom it begins: "User's wife's sister", "User's mother-in-law"."""
    found: list[int] = []
    start = side.tokens.index("user") + 1
    for at, word in enumerate(side.tokens[start:_MOST_WORDS_OF_A_CHAIN], start=start):
        if not (word in _RELATED or word in _IN_LAW or word in _ARTICLES):
            break
        if word not in _ARTICLES and word != "in":
            found.append(at)
    return found


def _is_named(relative: str, groups: frozenset[int], other: Outline) -> bool:
    plain = spelt_plainly(relative)
    return any(spelt_plainly(word) == plain for word in other.tokens) or any(groups & told for told in other.groups)


def _tells_of_people(word: str) -> bool:
    return word in _PEOPLE or not _CALLINGS.isdisjoint(classes_of(word))


def _is_name(side: Outline, at: int) -> bool:
    """Tell whether it may be somebody's name: written like one, and of no product, place or kind that is known."""
    written = side.written.split()[at : at + 1]
    return any(map(_looks_like_a_name, written)) and not classes_of(side.tokens[at])


def _looks_like_a_name(word: str) -> bool:
    return word.istitle() and word.removesuffix("'s").isalpha()
