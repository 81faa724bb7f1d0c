"""The pages of documents: uploaded, replaced, read and deleted."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memories.models import Document
from tests.conftest import Caller
from tests.dashboard.pages import text_of
from tests.documents import MANUAL, added, read_all

PAGE = "/knowledge/documents"


def send(client: Client, path: str = PAGE, data: str = MANUAL, **fields: str) -> Any:
    return client.post(path, {"file": SimpleUploadedFile("manual.md", data.encode()), **fields}, follow=True)


def test_an_editor_uploads_a_file_as_an_operators_word(ed: Client, alice: Caller) -> None:
    assert "A worker reads it now." in text_of(send(ed, user_id="ann"))
    read_all(alice)
    row = Document.objects.get()
    assert (row.status, row.user_id, row.origin) == ("ready", "ann", "operator")
    assert "2 passages" in text_of(ed.get(f"{PAGE}/{row.uid}"))


def test_a_viewer_looks_and_uploads_nothing(vera: Client, alice: Caller) -> None:
    uid = added(alice)["id"]
    assert "Hold the reset button" in text_of(vera.get(f"{PAGE}/{uid}"))
    assert [send(vera).status_code, vera.post(f"{PAGE}/{uid}/delete").status_code] == [403, 403]


def test_the_list_says_why_a_file_could_not_be_read(ed: Client, alice: Caller) -> None:
    added(alice, b"\x00", "x.bin")
    assert "It is no PDF, DOCX, HTML, Markdown or text file." in text_of(ed.get(PAGE))


def test_another_file_takes_its_place(ed: Client, alice: Caller) -> None:
    uid = added(alice)["id"]
    send(ed, f"{PAGE}/{uid}", "# Other\n\nText.\n")
    read_all(alice)
    assert "manual.md, Other" in text_of(ed.get(f"{PAGE}/{uid}"))


def test_a_document_is_deleted(ed: Client, alice: Caller) -> None:
    uid = added(alice)["id"]
    assert "Deleted for good." in text_of(ed.post(f"{PAGE}/{uid}/delete", follow=True))
    assert not Document.objects.exists()


def test_more_documents_than_the_policy_allows_are_refused(ed: Client, alice: Caller) -> None:
    alice.app.policy.document_limit = 0
    alice.app.policy.save()
    assert "The app may hold 0 documents" in text_of(send(ed))


def test_another_apps_document_is_not_found(otto: Client, alice: Caller) -> None:
    assert otto.get(f"{PAGE}/{added(alice)['id']}").status_code == 404


def test_recall_marks_what_is_quoted(ed: Client, alice: Caller) -> None:
    added(alice)
    assert "manual.md, Router manual › Resetting" in text_of(ed.get("/recall?q=hold+the+reset+button"))
