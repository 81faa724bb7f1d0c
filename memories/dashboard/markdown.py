"""What a memory says, as HTML: code, lists and bold of Markdown, and nothing else of it.

Each piece of the text is escaped on its own, so no element comes from the text itself: no link, no image.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

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
        return inline("\n".join(blocks[0][1]))
    return joined(html_of(kind, lines) for kind, lines in blocks) or format_html("{}", text)


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


def html_of(kind: str, lines: list[str]) -> SafeString:
    if kind == "code":
        return format_html("<pre><code>{}</code></pre>", "\n".join(lines))
    if kind == "p":
        return format_html("<p>{}</p>", inline("\n".join(lines)))
    items = joined(map(item_of, lines))
    return format_html("<ol>{}</ol>", items) if kind == "ol" else format_html("<ul>{}</ul>", items)


def item_of(line: str) -> SafeString:
    item = ITEM.match(line)
    assert item is not None, "it is a line of a list"
    if item["number"]:
        return format_html('<li value="{}">{}</li>', int(item["number"]), inline(item["said"]))
    return format_html("<li>{}</li>", inline(item["said"]))


def inline(text: str) -> SafeString:
    """Return a text with its code, and with what is bold outside of that."""
    pieces = enumerate(CODE.split(text))
    return joined(format_html("<code>{}</code>", piece) if place % 2 else bold(piece) for place, piece in pieces)


def bold(text: str) -> SafeString:
    pieces = enumerate(BOLD.split(text))
    return joined(format_html("<b>{}</b>", piece) if place % 2 else format_html("{}", piece) for place, piece in pieces)


def joined(parts: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))
