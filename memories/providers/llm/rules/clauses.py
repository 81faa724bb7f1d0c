"""Cut a sentence into statements that can stand alone, and leave out what asks or orders beside them."""

from __future__ import annotations

import re
from itertools import pairwise

from memories.providers.llm.rules.leaning import leans_on_what_is_done
from memories.providers.llm.rules.verbs import is_finite
from memories.providers.llm.rules.words import CONTRACTED, PREPOSITIONS, SUBORDINATORS
from memories.providers.llm.rules.words_verbs import NOUNLIKE

_OWN = r"(?:I|I'm|I've|I'd|I'll|we|we're|we've|we'll|my|our|My|We|Our)(?=\s)"
_THING = r"(?:the|my|our|she|he|it|it's|she's|he's|they|they're|there's|that's|[A-Z][\w'-]+)(?=\s)"
_STRONG = re.compile(
    r"\s*,?\s+(?:so (?=(?:please|pls|skip|don't|do not|never|always|no|ask|ping|tag|cc) )|and (?=(?:please|pls) ))|"
    r"\s*;\s+|"
    r"\s+[-–—]+\s+|\s*—\s*|\s*,?\s+\bplus\s+(?=" + _OWN + r")"
)
_JOINED = re.compile(
    r"\s*,\s*(?:and|but|so|also|plus|although|though)\s+(?:also\s+|then\s+)?(?="
    + _OWN
    + "|"
    + _THING
    + r")|\s+and\s+(?=(?:on )?\w+days? I\b)|\s+(?:and|but|so)\s+(?:also\s+)?(?="
    + _OWN
    + r")|\s*,\s+(?="
    + _OWN
    + r")"
)
_ASKED = re.compile(
    r"\s*,\s*(?:so |and )?(?=(?:what|which|how|where|when|who|any|is|are|can|could|should|do|does|would)\b)|"
    r"\s*,?\s*(?:so|and|but)?\s*[,:]?\s*\b(?=(?:what|which|how|where|when|why|who|can|could|would|should|do|does|"
    r"is|are|any)\s+(?:can|could|should|would|do|does|did|is|are|I|you|we|there|about|the|a|kind|sort|"
    r"recommendations?|ideas?|tips?|suggestions?|advice)\b|"
    r"(?<!\byou )(?<!\bI )(?<!\bto )(?<!\bwe )(?<!\balways )(?<!\bnever )(?<!n't )(?<!\bnot )"
    r"(?:please|pls|suggest|recommend|tell me|give me|"
    r"show me|help me|write|what's|any ideas|find me|skip|let me know)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\s*,?\s*\b(?:because|since|as|given(?: that)?|seeing as|considering(?: that)?|now that|but|so|and|"
    r"asking because)\s+(?=" + _OWN + r")"
)
_REASON_LEAD = re.compile(
    r"(?:because|since|as|given(?: that)?|seeing as|considering(?: that)?|now that)\s+(?=" + _OWN + "|" + _THING + r")",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*\(([^()]{8,160})\)")
_SHARED = re.compile(
    r"^((?:I|We|we)(?: \w+ly| also| currently| still)?) (\w+)\b(.*?),? and (?:also |then )?(\w+) (?=(?:a|an|the|"
    r"my|our|as|at|in|for|on|with|from|to|two|three|\d|every)\b)"
)
MAX_CLAUSES = 12
_GAP = re.compile(r"(\s{8})\s+")
"""Space that says no more than less of it: borders begin with any, and would be sought from each."""


def split_clauses(text: str, is_open: bool) -> list[str]:
    """The clauses of a sentence; with `is_open` (a question, a request) also those that give its reasons."""
    text = _GAP.sub(r"\1", text)
    pieces = [piece for part in _asides(text) for piece in _STRONG.split(part)]
    found: list[str] = []
    for piece in pieces:
        found += _split_open(piece) if is_open else _split_joined(piece)
    return [shared for clause in found[:MAX_CLAUSES] for shared in _split_shared(clause.strip(" ,"))]


def _asides(text: str) -> list[str]:
    """The sentence without its asides, and those asides that are clauses."""
    asides = [match[1] for match in _ASIDE.finditer(text) if len(match[1].split()) > 2 and has_verb(match[1])]
    if not asides:
        return [text]
    kept = {f"({aside})" for aside in asides}
    rest = _ASIDE.sub(lambda match: "" if match.group().strip() in kept else match.group(), text)
    return [rest, *(re.sub(r"^(?:and|but|because)\s+", "", aside) for aside in asides)]


def _split_open(piece: str) -> list[str]:
    stated: list[str] = []
    for part in _ASKED.split(piece):
        lead = _REASON_LEAD.match(part)
        stated += [sub for sub in _REASON.split(part[lead.end() :] if lead else part) if sub]
    return [clause for part in stated for clause in _split_joined(part)]


def _split_joined(piece: str) -> list[str]:
    """Cut where a new subject begins, but only between clauses with verbs of their own."""
    if piece.split(" ", 1)[0].lower() in SUBORDINATORS - {"so", "once"}:
        return [piece]
    clauses: list[str] = []
    end = 0
    for match in _JOINED.finditer(piece):
        left, right = piece[end : match.start()], piece[match.end() :]
        if (
            (has_verb(left) or is_finite(left.split(" ", 1)[0].lower()))
            and has_verb(right[:80])
            and len(left.split()) > 1
            and _is_free(left)
            and not leans_on_what_is_done(right)
        ):
            clauses.append(left)
            end = match.end()
    clauses.append(piece[end:])
    return clauses


def _is_free(left: str) -> bool:
    """Whether a clause does not end inside of something reported: "he said that we ship and I stay"."""
    return not re.search(r"\b(?:that|if|whether|both|between|told|said|says)\b[^,]*$", left, re.IGNORECASE)


def _split_shared(clause: str) -> list[str]:
    """ "I live in Oslo and work at Acme" → two statements about one subject."""
    match = _SHARED.match(clause)
    if not match or not is_finite(match[2].lower()) or not is_finite(match[4].lower()) or " that " in match[3]:
        return [clause]
    if match[2].lower() in {
        "can",
        "can't",
        "will",
        "would",
        "want",
        "need",
        "plan",
        "have",
        "like",
        "hope",
        "try",
        "decided",
    }:
        return [clause]
    return [clause[: match.end(3)].rstrip(" ,"), f"{match[1].split()[0]} {clause[match.start(4) :]}"]


def has_verb(text: str) -> bool:
    """Whether some word behind the first can be the verb of a sentence."""
    found = re.findall(r"[\w']+", text.lower())
    if found and found[0] in CONTRACTED:
        return True
    return any(
        (is_finite(word) and not (word in NOUNLIKE and before in PREPOSITIONS - {"to"})) or word.endswith(("'s", "'re"))
        for before, word in pairwise(found[:14])
    )
