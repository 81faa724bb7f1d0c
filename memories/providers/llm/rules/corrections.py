"""What a user sets right: "no, not Monday, Tuesday", "it's Anna", "5433, not 5432", "scratch that, at 9"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memories.providers.llm.rules.leads import strip_leads
from memories.providers.llm.rules.mentions import verb_at
from memories.providers.llm.rules.slips import put_right

_NOT_BUT = re.compile(
    r"^(?:it(?:'s| is) )?not (?:an? |the |on |in |at )?([^,;]{1,60}?)\s*(?:,|;|–|—| - | but)\s*(?:but |it'?s |"
    r"rather )?([^,;]{1,60})$",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(
    r"^(?:it(?:'s| is| was)|that(?:'s| is)|I said|I asked for|I meant|"
    r"I wanted)?\s*([^,;]{1,60}?)\s*,\s*(?:and )?not (?:an? |the |on |in |at )?([^,;]{1,60})$",
    re.IGNORECASE,
)
_NOT_THIS = re.compile(
    r"^(?:(?:ah|oh|no|nope|nah|god),? )*not (?P<wrong>(?:the|his|her|their|my|our|that|an?|on|in|at|to) [^,;]{2,40})"
    r"(?:,.*)?$",
    re.IGNORECASE,
)
_BUT_THIS = re.compile(
    r"^(?:but )?(?P<right>(?:the|his|her|their|my|our|an?|on|in|at|to) [^,;]{2,40})(?:,? (?P<how>always|only))?$",
    re.IGNORECASE,
)
_IT_IS = re.compile(
    r"^(?:it|that)(?:'s| is| was| should be| must be)(?: actually| called| now)? ([^,;]{2,60})$", re.IGNORECASE
)
_INSTEAD = re.compile(r"^use ([^,;]{2,60}) instead$", re.IGNORECASE)
_CLAIM = re.compile(
    r"^(.{3,60}?)\s+(is on|is at|is in|runs on|lives in|works at|starts at|starts on|expires on|is|was|"
    r"are)\s+(.{1,80})$",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"^(?:ok|okay|got it|noted|sure|so|right|great|understood|I have|I've noted|I see)[,:.!]?\s+", re.IGNORECASE
)
_FIRST = re.compile(r"\b(?:I|my|we|our)\b", re.IGNORECASE)
_WORDY = re.compile(r"\b(?:I|you|that|this|it|sure|mean|way)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Correction:
    """`is_own` tells that it is in the words of who corrects: the first person is theirs."""

    text: str
    is_own: bool = False


def read_correction(
    clause: str, earlier: Sequence[str], own: Sequence[str] = (), own_before: Sequence[str] = ()
) -> Correction | None:  # fmt: skip
    """The corrected statement. `earlier` are the sentences of all messages before, `own_before` those of the same
    speaker among them, `own` those of this message.

    Where the wrong word stands in one of them, that sentence is set right; else only the two words are opposed.
    """
    said = _oppose(clause, [*earlier, *own])
    if said:
        return Correction(said, is_own=bool(_FIRST.search(said)))
    plain = [_OPENERS.sub("", sentence) for sentence in earlier[-4:]]
    told = ["" if _WORDY.search(sentence) or _FIRST.search(sentence) else sentence for sentence in plain]
    for sentences, is_own in ((own, True), (told, False), (own_before, True)):
        meant = put_right(clause, sentences)
        if meant:
            bare = strip_leads(meant.text).text
            text = bare if is_own else _of_user(bare)
            # Who says "Mondays" and then "Mondays and Fridays" takes nothing back.
            is_more = re.search(rf"\b{re.escape(meant.wrong)}\b", meant.text, re.IGNORECASE)
            return Correction(text if is_more else f"{text}, not {meant.wrong}", is_own)
    return None


def read_choice(sentence: str, before: str) -> str:
    """ "Not the work one." and "The family calendar, always." as one: what is right, and what is not; else ""."""
    wrong, right = _NOT_THIS.match(before), _BUT_THIS.match(sentence)
    if not wrong or not right or _has_verb(wrong["wrong"]) or _has_verb(right["right"]):
        return ""
    return f"{right['how'].capitalize() + ' ' if right['how'] else ''}{right['right']}, not {wrong['wrong']}"


def denies(sentence: str) -> bool:
    """Whether it only says what is not meant: "ah no, not his work one"."""
    match = _NOT_THIS.match(sentence)
    return match is not None and not _has_verb(match["wrong"])


def _has_verb(phrase: str) -> bool:
    found = phrase.lower().split()
    return verb_at(found) < len(found)


def _of_user(text: str) -> str:
    said = re.sub(r"\byour\b", "User's", text, flags=re.IGNORECASE)
    return said[:1].upper() + said[1:]


def _oppose(clause: str, earlier: Sequence[str]) -> str | None:
    for pattern, wrong_at, right_at in ((_NOT_BUT, 1, 2), (_BUT_NOT, 2, 1)):
        match = pattern.match(clause)
        if match:
            wrong, right = match[wrong_at].strip(), match[right_at].strip()
            if (
                not wrong
                or not right
                or len(right.split()) > 8
                or _WORDY.search(wrong)
                or re.match(
                    r"(?:I|we|you|my|the \w+ \w+)\b",
                    right,
                )
            ):
                return None
            if re.search(r"\b(?:is|are|was|were|have|has|use|uses|want|like|prefer)\b", right):
                return None
            return _set_right(wrong, right, earlier) or f"It is {right}, not {wrong}"
    match = _IT_IS.match(clause)
    if match and not _WORDY.search(match[1]) and re.search(r"\d|[A-Z]|day\b", match[1]):
        return _set_value(match[1], earlier)
    match = _INSTEAD.match(clause)
    return f"Use {match[1]}" if match else None


def _set_right(wrong: str, right: str, earlier: Sequence[str]) -> str | None:
    pattern = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", re.IGNORECASE)
    for sentence in reversed(earlier[-12:]):
        if len(sentence) < 160 and pattern.search(sentence) and len(sentence.split()) > 2:
            bare = _OPENERS.sub("", sentence)
            if _WORDY.search(bare) or "?" in bare:
                continue
            said = pattern.sub(lambda _: right, bare, count=1)
            return f"{said[:1].upper()}{said[1:]}, not {wrong}"
    return None


def _set_value(right: str, earlier: Sequence[str]) -> str | None:
    """Read "it's Y" against the last plain claim "X is Z"."""
    for sentence in reversed(earlier[-4:]):
        match = _CLAIM.match(_OPENERS.sub("", sentence))
        if match and len(match[3].split()) <= 6 and not _WORDY.search(match[1]) and "?" not in sentence:
            right = re.sub(r"^(?:on|in|at) ", "", right) if match[2][-2:] in {"on", "in", "at"} else right
            return f"{_of_user(match[1])} {match[2]} {right}, not {match[3]}"
    return None
