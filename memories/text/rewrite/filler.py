"""Leave out what a message says around its question: courtesy, hesitation, pasted text."""

from __future__ import annotations

import re

from memories.text.entities.words import TITLES
from memories.text.rewrite.words import CONSENT, CONSENT_CORE, COURTESY, ERROR_LINE, INLINE_FILLER, OPENERS

MAX_QUERY_WORDS = 64
MAX_CODE_WORDS = 20
MAX_SENTENCE_WORDS = 40
_OPENERS_IN_A_ROW = 6
_OPENER = re.compile(rf"\s*(?:{'|'.join(OPENERS)})[\s,.!:;…-]*", re.IGNORECASE)
_INLINE = re.compile("|".join(INLINE_FILLER), re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s)[^.!?\n]*)*[.!?]*")
_TITLED = re.compile(rf"\b(?:{'|'.join(sorted(TITLES))}|vs|no)\.\Z", re.IGNORECASE)
_TITLE_CHARS = 12
_LOOSE_MARK = re.compile(r"[\s,]+(?=[?.!](?:\s|$))")
_WORD = re.compile(r"[\w'’]+")
_ERROR = re.compile(ERROR_LINE, re.IGNORECASE)
_EXCEPTION = re.compile(r"\s*[\w.]*(?:Error|Exception)\b")
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)


def plain_words(text: str) -> list[str]:
    """Its words in lower case, with straight apostrophes."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def is_courtesy(text: str) -> bool:
    """Whether a message asks nothing: "thanks, got it!"."""
    found = plain_words(text)
    return all(word in COURTESY for word in found) and not is_consent(text)


def is_consent(text: str) -> bool:
    """Whether a message only agrees to what was said before: "yes please, go ahead"."""
    found = plain_words(text)
    return bool(found) and all(word in CONSENT for word in found) and any(word in CONSENT_CORE for word in found)


def sentences(text: str) -> list[str]:
    """Sentences and lines with their marks, blank ones left out."""
    found: list[str] = []
    for match in _SENTENCE.finditer(text):
        piece = match.group().strip()
        if found and _TITLED.search(found[-1][-_TITLE_CHARS:]):
            found[-1] = f"{found[-1]} {piece}"
        elif piece:
            found.append(piece)
    return found


def drop_filler(text: str) -> str:
    """The text without courtesy, hesitation and "could you tell me"; unchanged if it has none. Linear in its length."""
    kept = [_without_filler(sentence) for sentence in sentences(text)]
    bare = " ".join(sentence for sentence in kept if sentence)
    return text.strip() if bare == " ".join(text.split()) else bare


def _without_filler(sentence: str) -> str:
    bare = sentence.replace("’", "'")
    for _ in range(_OPENERS_IN_A_ROW):
        match = _OPENER.match(bare)
        if not match or not match.end():
            break
        bare = bare[match.end() :]
    bare = _LOOSE_MARK.sub("", " ".join(_INLINE.sub(" ", bare).split())).strip(" ,;")
    if not _WORD.search(bare) or is_courtesy(bare):
        return ""
    return sentence if bare == sentence.replace("’", "'") else bare


def cut_pasted(text: str) -> str:
    """Code blocks and quoted lines cut to what tells most: the error they show, or nothing beside words."""
    if "```" not in text and "\n>" not in text and not text.startswith(">"):
        return text
    parts = _QUOTED_LINE.sub("", text).split("```")
    prose = " ".join(parts[::2])
    has_prose = len(_WORD.findall(prose)) > 2
    kept = [part if place % 2 == 0 else f"\n{telling_line(part, has_prose)}\n" for place, part in enumerate(parts)]
    return "".join(kept).strip()


def telling_line(code: str, has_prose: bool) -> str:
    """The exception or the first error of a block; without one its first line, unless words say what it is about."""
    lines = [line for line in code.splitlines() if line.strip()]
    # A block's first line may be the name of its language.
    lines = lines[1:] if len(lines) > 1 and len(lines[0].split()) == 1 else lines
    raised = next((line for line in reversed(lines) if _EXCEPTION.match(line)), None)
    failing = raised or next((line for line in lines if _ERROR.search(line[:400])), None)
    chosen = failing or (lines[0] if lines and not has_prose else "")
    return " ".join(chosen.split()[:MAX_CODE_WORDS])


def shorten(text: str, most: int = MAX_QUERY_WORDS) -> str:
    """At most `most` words: questions first, then errors, the first and the last sentence, then what fits."""
    if len(text.split()) <= most:
        return text
    found = sentences(text)
    order = sorted(range(len(found)), key=lambda place: (_rank(found[place], place, len(found)), place))
    chosen: dict[int, str] = {}
    left = most
    for place in order:
        taken = found[place].split()[: min(left, MAX_SENTENCE_WORDS)]
        if taken:
            chosen[place] = " ".join(taken)
            left -= len(taken)
        if left <= 0:
            break
    return " ".join(chosen[place] for place in sorted(chosen))


def _rank(sentence: str, place: int, count: int) -> int:
    if sentence.endswith("?"):
        return 0
    if _ERROR.search(sentence[:400]):
        return 1
    return 2 if place in (0, count - 1) else 3
