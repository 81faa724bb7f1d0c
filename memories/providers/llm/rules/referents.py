"""Whom "she" and "it" mean, where the sentence before leaves no doubt."""

from __future__ import annotations

import re

from memories.providers.llm.rules.verbs import is_finite
from memories.providers.llm.rules.words import KIN

_SUBJECT = re.compile(r"^((?:(?:[Mm]y|[Oo]ur|[Tt]he) )?[\w'.:/-]+(?: [\w'.:/-]+){0,3}?) (?=(\w[\w']*)\b)")
_PRONOUN = re.compile(r"^(she|he|it|they|she's|he's|it's|they're|her|his|its|their)\s+(?=\w)", re.IGNORECASE)
_DANGLING = re.compile(r"^(?:that|this|these|those|which|there|here|it|they|he|she|its|their|his|her)\b", re.IGNORECASE)
_IS = {"'s": " is", "'re": " are"}
_INTRODUCED = re.compile(
    r"\b[Mm]y ((?:\w+ )?(?:" + "|".join(sorted(map(re.escape, KIN), key=len, reverse=True)) + r"))\b( [A-Z][a-z]+)?"
)
_CALLED = re.compile(r"^([Mm]y \w+)(?:'s name is| is called| is named|'s called) ([A-Z][a-z]+)\b")
_PLURAL = re.compile(
    r"\b(?:parents|kids|children|sisters|brothers|sons|daughters|twins|dogs|cats|friends|neighbou?rs|in-laws|"
    r"grandparents|and)\b"
)
_USED = re.compile(
    r"^(?:we|our team|the team|I)(?:'re| are| now| also)* (?:use|using|run|have|host|own|bought|deploy) (?:an? |"
    r"the |our )?([\w.+-]+(?: [\w.+-]+){0,2})",
    re.IGNORECASE,
)


class Referents:
    """Remembers the last person and the last thing that a message was about."""

    def __init__(self) -> None:
        self._person = ""
        self._thing = ""
        self._several = ""

    def note(self, text: str) -> None:
        """Take the subject of a statement as what a following pronoun may mean."""
        called = _CALLED.match(text)
        if called:
            self._thing = self._several = ""
            self._person = f"{called[1]} {called[2]}"
            return
        introduced = _INTRODUCED.search(text)
        match = _SUBJECT.match(text)
        subject = match[1] if match and is_finite(match[2].lower()) else ""
        self._thing = self._several = ""
        if introduced:
            phrase = f"my {introduced[1]}{introduced[2] or ''}"
            self._several, self._person = (phrase, "") if _PLURAL.search(phrase) else ("", phrase)
        elif subject and re.match(r"[A-Z][a-z]+$", subject) and subject not in {"I", "We", "It", "The"}:
            self._person = self._thing = subject
        elif subject.lower().startswith(("the ", "our ", "my ")) or re.search(r"[\d._-]", subject):
            self._thing, self._person = subject, ""
        else:
            used = _USED.match(text)
            self._thing = used[1] if used else ""

    def resolve(self, text: str) -> str | None:
        """The statement with its first pronoun named; None if it opens with one that could mean anything."""
        match = _PRONOUN.match(text)
        if not match:
            return None if _DANGLING.match(text) else text
        word = match[1].lower()
        ending = _IS.get(word[-2:] if word.endswith("'s") else word[-3:], "")
        stem = word.split("'")[0]
        owner = {"her": self._person, "his": self._person, "its": self._thing, "their": self._several}.get(stem)
        if owner is not None:
            return f"{owner}'s {text[match.end() :]}" if owner else None
        named = {"she": self._person, "he": self._person, "it": self._thing, "they": self._several}[stem]
        return f"{named}{ending} {text[match.end() :]}" if named else None
