"""What a memory says, as HTML: code, lists and bold of Markdown, and nothing else of it.

Each line is escaped before anything is looked for in it, so no element comes from the text itself: no link, no image.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from memsite.http.hidden_characters import show_hidden

FENCE = re.compile(r" {0,3}(```+|~~~+)[^`]*\Z")
ITEM = re.compile(r"\s*(?:[-*+]|(?P<number>\d{1,3})[.)])\s+(?P<said>\S.*)\Z")
# Neither goes beyond the next of its own marks, so a long line is read once.
CODE = re.compile(r"`([^`]+)`")
BOLD = re.compile(r"\*\*(?=[^\s*])([^*]+)(?<!\s)\*\*")
Block = tuple[str, list[str]]
"""What it is, and its lines: "code", "ul", "ol", "p", or "" for an empty line."""


def as_html(text: str) -> SafeString:
    """Return a text as HTML, its hidden characters shown; a text of one paragraph has no element around it."""
    groups = groupby(blocks_of(str(show_hidden(text))), key=lambda block: block[0])
    blocks = [(kind, [line for _, lines in group for line in lines]) for kind, group in groups if kind]
    if [kind for kind, _ in blocks] == ["p"]:
        return mark_safe(inline("\n".join(blocks[0][1])))  # noqa: S308  # escaped before anything is marked
    written = "".join(html_of(kind, lines) for kind, lines in blocks)
    return mark_safe(written or escape(text))  # noqa: S308  # each block is escaped


def blocks_of(text: str) -> Iterator[Block]:
    """Yield a block for each line, and one for all lines between two fences."""
    fence, code = "", list[str]()
    for line in text.splitlines():
        mark = FENCE.match(line)
        if fence:
            if mark and line.strip() == mark[1] and mark[1].startswith(fence):
                yield "code", code
                fence, code = "", []
            else:
                code.append(line)
        elif mark:
            fence = mark[1]
        elif item := ITEM.match(line):
            yield "ol" if item["number"] else "ul", [line]
        else:
            yield "p" if line.strip() else "", [line]
    if code:
        yield "code", code


def html_of(kind: str, lines: list[str]) -> str:
    if kind == "code":
        return f"<pre><code>{escape(chr(10).join(lines))}</code></pre>"
    if kind == "p":
        return f"<p>{inline(chr(10).join(lines))}</p>"
    return f"<{kind}>{''.join(map(item_of, lines))}</{kind}>"


def item_of(line: str) -> str:
    item = ITEM.match(line)
    assert item is not None, "it is a line of a list"
    number = f' value="{int(item["number"])}"' if item["number"] else ""
    return f"<li{number}>{inline(item['said'])}</li>"


def inline(text: str) -> str:
    """Escape a text, then mark its code, and what is bold outside of that."""
    pieces = CODE.split(escape(text))
    return "".join(
        f"<code>{piece}</code>" if place % 2 else BOLD.sub(r"<b>\1</b>", piece) for place, piece in enumerate(pieces)
    )
