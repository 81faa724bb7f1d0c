"""Who a statement is about: somebody who can own, borrow or rent a thing, or a machine, which only answers with it."""

from memories.text.wordlist import words

from .lookup import classes_of
from .outline import Outline

_SELF = words("user i we he she they who everybody somebody someone")
_PEOPLE = words("""
    wife husband partner girlfriend boyfriend fiancée fiancé spouse mother mum mom father dad parents parent sister
    brother sibling siblings twin twins daughter son child children kid kids baby aunt uncle cousin niece nephew
    grandmother grandma granny grandfather grandpa granddaughter grandson stepson stepdaughter friend friends colleague
    colleagues coworker coworkers boss manager neighbour neighbours neighbor neighbors roommate roommates flatmate
    flatmates landlord landlady tenant tenants guest guests customer customers student students pupil pupils intern
    interns employee employees visitor visitors team family couple school company firm club office man woman boy girl
    """)
_CALLINGS = frozenset({"kin", "profession"})
_ARTICLES = words("the a an this that our my his her their its new old former younger older elder little")
_DATA = words("""
    value values error errors result results response responses answer status code list array rows row page pages
    record records token tokens object objects string number null id ids hash payload json html data output
    """)
"""What programs return, whatever they are called."""
_MOST_WORDS = 4


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


def _tells_of_people(word: str) -> bool:
    return word in _PEOPLE or not _CALLINGS.isdisjoint(classes_of(word))


def _is_name(side: Outline, at: int) -> bool:
    """Tell whether it may be somebody's name: written like one, and of no product, place or kind that is known."""
    written = side.written.split()[at : at + 1]
    return any(map(_looks_like_a_name, written)) and not classes_of(side.tokens[at])


def _looks_like_a_name(word: str) -> bool:
    return word.istitle() and word.removesuffix("'s").isalpha()
