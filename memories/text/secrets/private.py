"""What people put between `<private>` and `</private>` is not for us."""

from __future__ import annotations

import re

_TAG = re.compile(r"<\s{0,8}(/?)\s{0,8}private(?![\w.:-])[^<>]*>", re.IGNORECASE)


def strip_private(text: str) -> str:
    """`text` without its private parts and their tags; a part that is never closed reaches to the end.

    Parts may be nested; of a closing tag alone only the tag goes. A space stands where two pieces would join.
    Linear in the length of the text.
    """
    pieces: list[str] = []
    depth = place = 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            _append(pieces, text[place : tag.start()])
        if tag[1]:
            depth = max(depth - 1, 0)
        elif not tag.group().endswith("/>"):
            depth += 1
        place = tag.end()
    if depth == 0:
        _append(pieces, text[place:])
    return "".join(pieces)


def _append(pieces: list[str], piece: str) -> None:
    if pieces and piece and not pieces[-1][-1].isspace() and not piece[0].isspace():
        pieces.append(" ")
    if piece:
        pieces.append(piece)
