"""How much a form may bring along: nobody fills the disk who is not even signed in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler, TemporaryFileUploadHandler
from django.test import Client

from memsite.config.conf import get_conf

PAGES = ("/login", "/memories", "/settings/moving", "/admin/login/", "/oauth/authorize", "/nothing")


@pytest.fixture
def retained(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that were kept, in a site that takes 1,000 bytes of anybody."""
    settings.MEMSITE = replace(get_conf(), max_body_bytes=1000, import_megabytes=1)
    names: list[str] = []
    for handler in (MemoryFileUploadHandler, TemporaryFileUploadHandler):

        def new_file(self: Any, field_name: str, file_name: str, *rest: Any, usual: Any = handler.new_file) -> None:
            names.append(file_name)
            usual(self, field_name, file_name, *rest)

        monkeypatch.setattr(handler, "new_file", new_file)
    return names


def send(browser: Client, path: str, size: int) -> Any:
    token = browser.get("/login").cookies["csrftoken"].value
    form = {"csrfmiddlewaretoken": token, "file": SimpleUploadedFile("a.bin", b"a" * size)}
    return browser.post(path, form)


@pytest.mark.parametrize("path", PAGES)
def test_of_a_stranger_no_large_file_is_kept(db: None, retained: list[str], path: str) -> None:
    answer = send(Client(enforce_csrf_checks=True), path, 2000)
    assert answer.status_code in (404, 413)
    assert retained == []


def test_who_is_signed_in_may_send_one_as_large_as_an_import(retained: list[str], admin_client: Client) -> None:
    send(admin_client, "/password", 500_000)
    assert set(retained) == {"a.bin"}
    retained.clear()
    assert send(admin_client, "/password", 1024 * 1024 + 1000).status_code == 413
    assert retained == []
