"""Statements in other languages than English. They are kept in the words they were said in."""

from __future__ import annotations

import re

from memories.providers.llm.rules.words_foreign import GREETED, PASSING, RULES, STATEMENTS
from memories.text.relate.language import is_english
from memories.text.wordlist import words

_STATEMENT = re.compile(
    "|".join(f"(?P<{language}>{pattern})" for language, pattern in STATEMENTS.items()), re.IGNORECASE
)
_RULE = re.compile(RULES, re.IGNORECASE)
_PASSING = re.compile(PASSING, re.IGNORECASE)
_GREETED = re.compile(GREETED, re.IGNORECASE)
_ENGLISH = words("""
    the a an and or but of to in on at for with from by is are was were be been has have had do does did not no i
    you he she it we they my your his her its our their this that these those what which who when where how if so
    can will would should must never always just only please thanks i'm it's don't
    """)
_WORD = re.compile(r"[^\W\d_]+")
_CUT = re.compile(
    r"(?<!\s)\s*[,;–—]\s+(?=(?:und |et |y |e |aber |mais |pero )?(?:ich|wir|mein|meine|je |j'|ma |mon |nous|soy|vivo|"
    r"tengo|mi |yo|was|welche|kannst|kann|qu|tu |est-ce|así que|entonces|¿|me ajuda|vous|wo |wie |hast)|¿)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^(?:und |et |y |así que |entonces |alors )?(?:was|welche\w*|kannst|könntest|kann ich|wo|wie|wer|warum|"
    r"hast du|gibt es|qu'|que |quel\w*|comment|où|est-ce|peux-tu|pouvez|t'as|tu as|qué|cuál|cómo|dónde|puedes|"
    r"me ajuda|você|come |dove |puoi|kun je|¿)",
    re.IGNORECASE,
)


def is_foreign(text: str) -> bool:
    """Whether a sentence is in another language than English. Names alone are English."""
    found = [word.lower() for word in _WORD.findall(text[:400])]
    if not found:
        return False
    if text.isascii() and sum(word in _ENGLISH for word in found) * 4 >= len(found):
        return False
    if not text.isascii() and any(ord(char) > 0x2FF and char.isalpha() for char in text[:200]):
        return True
    return not is_english(found)


def read_foreign(text: str) -> list[tuple[str, bool]]:
    """The statements of a sentence and whether each is a standing instruction."""
    bare = _GREETED.sub("", text)
    found = []
    for clause in _CUT.split(bare):
        said = _GREETED.sub("", clause).strip(" ,;¿?")
        if _ASKING.match(said) or _PASSING.search(said) or len(said) < 5:
            continue
        if _RULE.match(said):
            found.append((said, True))
        elif _STATEMENT.search(said):
            found.append((said, False))
    return found
