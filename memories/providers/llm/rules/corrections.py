"""What a user sets right: "no, not Monday, Tuesday", "it's Anna", "5433, not 5432"."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_WORDY = re.compile(r"\b(?:I|you|that|this|it|sure|mean|way)\b", re.IGNORECASE)


def read_correction(clause: str, earlier: Sequence[str]) -> str | None:
    """The corrected statement. `earlier` are the sentences said before, the latest last.

    Where the wrong word stands in one of them, that sentence is set right; else only the two words are opposed.
    """
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
            subject = re.sub(r"\byour\b", "User's", match[1], flags=re.IGNORECASE)
            right = re.sub(r"^(?:on|in|at) ", "", right) if match[2][-2:] in {"on", "in", "at"} else right
            return f"{subject[:1].upper()}{subject[1:]} {match[2]} {right}, not {match[3]}"
    return None
