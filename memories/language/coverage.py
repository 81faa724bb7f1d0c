"""Questions that ask over many memories: in which order, how many, all there is, or a summary."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from memories.language.wordlists import read_patterns

ORDER, SUMMARY, COUNT, LIST = "order", "summary", "count", "list"
WAYS = (ORDER, SUMMARY, COUNT, LIST)
OWN, FRAME = "own", "frame"
SHORTEST_TOPIC = 4
SPACES = re.compile(r"\s+(?=[,.;:?!])|[,.;:](?=\s*[,.;:?!])")
READ_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Overview:
    """Hold how a question asks over many memories, whether about what its asker said (`by_asker`), and the topic."""

    way: str
    by_asker: bool
    topic: str


_PATTERNS = read_patterns(Path(__file__).with_name("coverage.tsv"))
_CUES = {way: _PATTERNS.pop(f"cues {way}").pattern.split("|") for way in WAYS}


def read_overview(question: str) -> Overview | None:
    """Return how a question asks over many memories; None if it asks for one thing."""
    small = question[:READ_CHARACTERS].lower()
    likely = (way for way in WAYS if any(cue in small for cue in _CUES[way]))
    way = next((way for way in likely if _PATTERNS[way].search(small)), None)
    if way is None:
        return None
    return Overview(way, bool(_PATTERNS[OWN].search(small)), topic_of(question, small))


def topic_of(question: str, small: str) -> str:
    """Return the question without the words that only say how to answer it; the question if nothing else is left."""
    if len(small) != len(question):
        return question
    words, end = [], 0
    for match in _PATTERNS[FRAME].finditer(small):
        words.append(question[end : match.start()])
        end = match.end()
    topic = " ".join([*words, question[end:]])
    topic = " ".join(SPACES.sub(" ", topic).split()).strip(" ,.;:?!¿¡")
    return topic if len(topic) >= SHORTEST_TOPIC else question
