"""Say plainly what two statements say: "The doctor says Emma outgrew it" is "Emma outgrew it", and "User's daughter
Emma" is the Emma of the other one.
"""

import re

_ADVISERS = (
    r"(?:doctor|paediatrician|pediatrician|allergist|dentist|physician|specialist|surgeon|nurse|therapist|vet|"
    r"pharmacist|midwife|cardiologist|dermatologist|gp)"
)
_SAYS = (
    r"(?:says|said|confirms|confirmed|reports|reported|"
    r"(?:told|informed) (?:(?:the )?User|me|us|them|him|her)|(?:has|have) (?:confirmed|said))"
)
_REPORTER = re.compile(
    rf"(?:(?:The|A|An|My|Our|Their|His|Her|\S{{1,40}}['’]s) (?:\S{{1,30}} )?{_ADVISERS} {_SAYS}(?: that\b)?[,:]? "
    r"|(?:Apparently|Unfortunately|Fortunately|Luckily|Sadly|Happily|Meanwhile|As it turns out),? "
    r"|It (?:turns|turned) out(?: that\b)?,? )(?=\S)",
    re.IGNORECASE,
)
_KIN = (
    r"(?:daughter|son|child|baby|kid|wife|husband|partner|girlfriend|boyfriend|fiancée?|mother|mum|mom|father|dad|"
    r"sister|brother|twin|aunt|uncle|cousin|niece|nephew|grandmother|grandma|grandfather|grandpa|granddaughter|"
    r"grandson|stepson|stepdaughter|friend|colleague|boss|manager|neighbour|neighbor|roommate|flatmate|dog|cat|horse)"
)
_OF_THEM = rf"User['’]s (?:[a-z][a-z-]{{0,20}} )?{_KIN}"
_NAME = r"(?P<name>[A-Z][a-zà-ÿ]{1,30})"
_INTRODUCED = (
    re.compile(rf"\b{_OF_THEM} {_NAME}(?= [a-z])"),
    re.compile(rf"\b{_NAME},? (?:who is )?{_OF_THEM},(?= [a-z])"),
)
_BESIDE_A_NAME = re.compile(rf"(?:\b[A-Z][\w'’.-]{{0,30}}|\b{_KIN},?) $")
_BEHIND_A_NAME = re.compile(r"['’-]| [A-Z]|, (?:User|the|a|an|who)\b|,? (?:and|or)\b")


def say_plainly(existing: str, new: str) -> tuple[str, str] | None:
    """Return both without who reports them, and who is introduced in the one called by name alone; None if they are
    that plain already.
    """
    old, now = _without_reporter(existing), _without_reporter(new)
    old, now = _call_by_name(old, now), _call_by_name(now, old)
    return None if (old, now) == (existing, new) else (old, now)


def _without_reporter(text: str) -> str:
    reported = _REPORTER.match(text)
    return text[reported.end() :] if reported else text


def _call_by_name(text: str, other: str) -> str:
    """Return the text with its "User's daughter Emma" as "Emma", where the other one names an Emma and no more.

    What begins with her is of her; what begins with the user is not, whoever is named behind.
    """
    is_of_user = other.startswith(("User ", "The user "))
    for introduced in _INTRODUCED:
        found = introduced.search(text)
        if found and _names_alone(other, found["name"]) and not (is_of_user and found.start() == 0):
            return f"{text[: found.start()]}{found['name']}{text[found.end() :]}"
    return text


def _names_alone(text: str, name: str) -> bool:
    """Tell whether it is there, and never as that of another: "Aunt Emma", "Emma Stone", "Emma's brother"."""
    places = list(re.finditer(rf"\b{re.escape(name)}\b", text))
    return bool(places) and not any(
        _BESIDE_A_NAME.search(text[max(0, place.start() - 40) : place.start()])
        or _BEHIND_A_NAME.match(text, place.end())
        for place in places
    )
