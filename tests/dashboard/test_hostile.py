"""Whatever is stored, pages show it as text: nothing of it becomes an element or an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from memsite.tenancy.models import App
from tests.conftest import make_app
from tests.dashboard.pages import read
from tests.dashboard.test_access import LOOKED_AT
from tests.hostile import HOSTILE, addresses, fill

ALLOWED_HREFS = re.compile(r"/|#|\?|http://testserver/")
SUSPICIOUS = {"onerror", "onload", "onclick", "onfocus", "ontoggle", "style", "srcdoc", "hx-on:click"}


@pytest.fixture
def full(db: None) -> App:
    app = make_app("full")
    fill(app)
    return app


def pages(client: Client, app: App) -> Iterator[tuple[str, Any]]:
    """Every page of the app, and the pages of its lists behind the first."""
    for path in [*LOOKED_AT, *addresses(app)]:
        while path:
            answer = client.get(path, follow=True)
            assert answer.status_code == 200, path
            yield path, answer
            older = getattr((answer.context or {}).get("slice"), "older", None)
            path = f"{path.split('?')[0]}?{urlencode({'after': older})}" if older else ""


def test_there_are_a_hundred() -> None:
    assert len(set(HOSTILE)) == 100


def test_no_stored_text_becomes_a_part_of_a_page(sue: Client, full: App) -> None:
    seen = ""
    for path, answer in pages(sue, full):
        if "text/html" not in answer["Content-Type"]:
            continue
        page = read(answer)
        seen += " ".join(page.texts)
        sources = [attributes.get("src") or attributes.get("href") or "" for _, attributes in page.elements]
        assert "evil.example" not in {value.split("/")[2] for value in sources if value.count("/") > 2}, path
        for tag, attributes in page.elements:
            assert not SUSPICIOUS & attributes.keys(), (path, tag, attributes)
            assert not {name for name in attributes if name.startswith("on")}, (path, tag, attributes)
            assert tag not in ("iframe", "math", "style", "base"), (path, tag)
            assert tag != "script" or attributes.get("src", "").startswith("/static/"), path
            assert tag != "img" or attributes["src"].startswith("/static/"), path
            assert tag != "a" or not attributes.get("href") or ALLOWED_HREFS.match(attributes["href"]), (
                path,
                attributes,
            )
            assert tag != "form" or ALLOWED_HREFS.match(attributes.get("action", "/")), (path, attributes)
        assert [tag for tag, _ in page.elements].count("main") == 1, path
    flat = " ".join(seen.split())
    texts = [text for text in HOSTILE if " ".join(text.split()) in flat]
    assert len(texts) == len(HOSTILE), sorted(set(HOSTILE) - set(texts))
