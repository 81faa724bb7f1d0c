"""What was decided: "let's go with Redis", "we'll use Postgres", "going with the vineyard, decided"."""

from __future__ import annotations

import re

from memories.providers.llm.rules.verbs import is_base
from memories.text.wordlist import words

_VAGUE = re.compile(
    r"^(?:it|that|this|this one|that one|the (?:first|second|third|last|other)(?: one)?|option \w+|yours|them|"
    r"those|these|a break|home|go|ahead|back|on|start|see|try|do (?:it|that|this)|now)\b(?! \w+ \w+)",
    re.IGNORECASE,
)
_CHOICE = (
    r"(?:go with|use|stick (?:with|to)|switch (?:to|back to)|adopt|settle on|standardi[sz]e on|move (?:to|"
    r"everything|the)|migrate|keep using|keep|drop|pick|choose|ship|freeze|deprecate|postpone|schedule|hold|"
    r"replace|target|run|host|deploy|release|cut)"
)
_CHOOSING = (
    r"(?:going (?:with|for)|sticking (?:with|to)|switching to|moving (?:to|everything|the)|migrating|adopting|"
    r"dropping|keeping|using|replacing|deprecating|postponing|choosing|picking)"
)
_NOT_BY_ITSELF = words("get book take do leave order buy keep run hold cut drop pick")
_SETTLED = re.compile(r"\d|\b(?:decided|then|instead)\b")
_LETS = re.compile(rf"^(?:ok |so |then )*let'?s (?:just )?(?:all )?({_CHOICE})\s+(.+)$", re.IGNORECASE)
_WE_WILL = re.compile(
    rf"^(?:we|I)(?:'ll| will|'re going to|'m going to| are going to)(?: just| all| now)? ({_CHOICE}|get|book|take|"
    rf"do|leave|order|buy)\s+(.+)$",
    re.IGNORECASE,
)
_WE_ARE = re.compile(
    rf"^(?:(?:we|I)(?:'re| are|'m| am) )?(?:now |just |definitely |officially )*({_CHOOSING})\s+(.+)$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"^(?:then |so |ok )*we(?:'ll| will)? ((?:\w+) .{6,80}) instead$", re.IGNORECASE)
_PREDICATE = re.compile(
    r"(?:(?!what|how|if|whether|which|who|that|where|why|it)\w+ ){0,3}(?:is|are|was|were|has|starts|ends|takes|"
    r"must|runs|begins)\b"
)
_BARE_DECIDED = re.compile(r"^(?:[^,]{0,30}, )?(?:and )?decided ((?:to|on|against|not to) \w.{3,})$", re.IGNORECASE)
_DECIDED = re.compile(
    r"^(?:(we|I)(?:'ve| have)?|it was|it's(?: been)?|the team|management|the (?:board|client|customer))(?: \w+ly|"
    r" all| just| already| now| finally| both)* (decided|agreed|chose|chosen|settled|opted|picked|went with|"
    r"committed|concluded|voted|approved|signed off)\b(.*)$",
    re.IGNORECASE,
)


def read_decision(clause: str) -> str | None:
    """The decision as a statement; None if nothing is decided, or only about "it"."""
    for pattern in (_LETS, _WE_WILL):
        match = pattern.match(clause)
        if match and not _VAGUE.match(match[2]) and len(match[2]) > 2:
            if pattern is _WE_WILL and match[1].lower() in _NOT_BY_ITSELF and not _SETTLED.search(match[2]):
                return None
            return f"Decided to {match[1].lower()} {_without_tail(match[2])}"
    match = _INSTEAD.match(clause)
    if match and is_base(match[1].split()[0].lower()) and not _VAGUE.match(match[1].partition(" ")[2]):
        return f"Decided to {match[1]} instead"
    match = _WE_ARE.match(clause)
    if match and not _VAGUE.match(match[2]) and _is_real_choosing(match[1], clause):
        subject = re.match(r"(we|I)\b", clause, re.IGNORECASE)
        return _without_tail(clause) if subject else f"Decided on {_without_tail(match[2])}"
    bare = _BARE_DECIDED.match(clause)
    if bare and not _VAGUE.match(bare[1]):
        return f"Decided {bare[1]}"
    match = _DECIDED.match(clause)
    if match and not _VAGUE.match(match[3].strip()) and len(match[3].split()) > 1:
        return clause
    return None


def _is_real_choosing(verb: str, clause: str) -> bool:
    low = verb.lower()
    if low in {"using", "keeping", "dropping", "picking", "moving the", "going for"}:
        return bool(re.match(r"(?:we|I)\b", clause, re.IGNORECASE)) and low != "picking"
    return True


def _without_tail(text: str) -> str:
    return re.sub(r"[,\s]+(?:then|decided|instead please|i guess|thanks)$", "", text, flags=re.IGNORECASE)


def is_order(clause: str) -> bool:
    """Whether a clause begins with a verb in the imperative."""
    first, _, rest = clause.lower().partition(" ")
    return is_base(first) and not _PREDICATE.match(rest)
