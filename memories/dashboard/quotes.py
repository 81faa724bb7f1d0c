"""Raw texts with the places marked where they say what memories say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memories.models import Memory
from memories.text.quote import find_said

CUT = "…"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of a text. `memory` is what it says, None where it says none of those looked for."""

    text: str
    memory: Memory | None = None


def quoted(text: str, memories: Sequence[Memory], reach: int | None = None) -> list[Piece]:
    """The text in pieces; with a `reach`, only so many characters before the first mark and after the last."""
    spans = sorted((span, memory.pk, memory) for memory in memories if (span := find_said(text, memory.text)))
    pieces, here = list[Piece](), 0
    for (start, end), _, memory in spans:
        # One sentence may say two things: the first one has it.
        if start >= here:
            pieces += [Piece(text[here:start]), Piece(text[start:end], memory)]
            here = end
    pieces.append(Piece(text[here:]))
    return clipped(pieces, reach) if reach else [piece for piece in pieces if piece.text]


def clipped(pieces: list[Piece], reach: int) -> list[Piece]:
    first, last = pieces[0], pieces[-1]
    if len(pieces) > 1 and len(first.text) > reach:
        pieces[0] = Piece(CUT + first.text[-reach:])
    if len(last.text) > reach:
        pieces[-1] = Piece(last.text[:reach] + CUT)
    return [piece for piece in pieces if piece.text]
