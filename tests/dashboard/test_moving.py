"""Export and import on the desk: the API's downloads, and files that are taken in."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memories.models import Import, Memory
from memsite.tenancy.models import AuditEntry
from tests.conftest import Caller
from tests.dashboard.reading import elements, fragment, links, queries_of, text_of
from tests.memories.import_export.moving import export

PAGE = "/settings/moving"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def upload(client: Client, content: bytes, source: str = "memsite", **fields: Any) -> Any:
    return client.post(PAGE, {"file": SimpleUploadedFile("file", content), "source": source, **fields})


def test_an_owner_exports_by_the_doors_of_the_api(olga: Client, alice: Caller) -> None:
    alice.remember("Whales sing")
    there = [link for link in links(olga.get(PAGE)) if link.startswith("/api/v1/")]
    assert len(there) == 3
    for link in there:
        answer = olga.get(link)
        assert answer.status_code == 200, link
        assert "attachment" in answer["Content-Disposition"]
        assert b"".join(answer.streaming_content)
        answer.close()


def test_a_file_is_looked_at_and_then_taken_in(olga: Client, alice: Caller, charlie: Caller) -> None:
    charlie.remember("Whales sing")
    content = export(charlie.app)
    looked = text_of(upload(olga, content, look="yes"))
    assert "The file would bring" in looked
    assert "memory: 1 new" in looked
    assert not Import.objects.exists()
    assert upload(olga, content).status_code == 303
    assert Memory.objects.get(app=alice.app).content == "Whales sing"
    text = text_of(olga.get(PAGE))
    for part in ("memsite", "done", "memory: 1 new", "operator:olga"):
        assert part in text
    assert AuditEntry.objects.filter(action="import begun", actor="operator:olga").exists()


@pytest.mark.parametrize(
    ("content", "fields", "says"),
    [
        (b"no json", {}, "file"),
        (b"", {}, "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", {"source": "chatgpt"}, "no file of this kind"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", {"source": "mem0"}, "no file of this kind"),
        (b"# Notes\n\nWhales sing.", {"source": "nowhere"}, "Select a valid choice"),
        (b"# Notes\n\nWhales sing.", {"source": "markdown", "agent": "a b"}, "Letters, digits"),
        (b"{}", {"agent": "dora"}, "tells its agents itself"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(
    olga: Client, alice: Caller, content: bytes, fields: dict[str, str], says: str
) -> None:
    answer = upload(olga, content, **fields)
    assert answer.status_code == 200
    assert says in text_of(answer)
    assert elements(answer, "div", **{"class": "field wrong"})
    assert not Memory.objects.exists()


def test_only_owners_move_anything(vera: Client, ed: Client, alice: Caller) -> None:
    for client in (vera, ed):
        answer = client.get(PAGE)
        assert "Nothing was taken in yet" in text_of(answer)
        assert not [link for link in links(answer) if "export" in link]
        assert upload(client, b"# Notes", "markdown").status_code == 403
    assert not Import.objects.exists()


def test_other_apps_are_not_there_and_texts_are_texts(otto: Client, olga: Client, alice: Caller) -> None:
    told = {"source": HOSTILE[:20], "agent": HOSTILE[:60], "reason": HOSTILE, "asked_by": HOSTILE, "status": "failed"}
    Import.objects.create(app=alice.app, counts={HOSTILE: {"new": 3}}, **told)
    answer = olga.get(PAGE)
    assert HOSTILE in text_of(answer)
    assert "<script>alert" not in answer.content.decode()
    assert "Nothing was taken in yet" in text_of(otto.get(PAGE))


def test_the_list_refreshes_itself_and_asks_little(vera: Client, alice: Caller) -> None:
    seen = elements(vera.get(PAGE), "section", id="import-list")[0]["hx-headers"].split('"')[3]
    assert fragment(vera, PAGE, **{"X-Seen": seen}).status_code == 204
    few = queries_of(vera, PAGE)
    for _ in range(6):
        Import.objects.create(app=alice.app, source="mem0", asked_by="x", lines=9, done=3)
    assert "mem0" in text_of(fragment(vera, PAGE, **{"X-Seen": seen}))
    assert queries_of(vera, PAGE, is_warm=True) == few <= 6
