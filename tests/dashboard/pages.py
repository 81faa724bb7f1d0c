"""Reading pages as a browser would: texts, headings, links, and what htmx asks for."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

HTMX = {"HX-Request": "true"}
UNSEEN = ("script", "style", "template")


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.hidden += tag in UNSEEN

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in UNSEEN

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip():
            self.texts.append(" ".join(data.split()))


def read(answer: Any) -> Reader:
    reader = Reader()
    reader.feed(answer.content.decode())
    return reader


def text_of(answer: Any) -> str:
    """What can be read on it."""
    return " ".join(read(answer).texts)


def elements(answer: Any, tag: str, **attributes: str) -> list[dict[str, str]]:
    """The attributes of all elements of this tag that have these attributes."""
    return [results for name, results in read(answer).elements if name == tag and attributes.items() <= results.items()]


def links(answer: Any) -> list[str]:
    return [element["href"] for element in elements(answer, "a")]


def fragment(client: Client, url: str, **headers: str) -> Any:
    """What htmx gets."""
    return client.get(url, headers={**HTMX, **headers})


def queries_of(client: Client, url: str, *, is_warm: bool = False) -> int:
    """How many the page asks. `is_warm`: it was shown before, so that content types and the like are cached."""
    if not is_warm:
        client.get(url)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)
