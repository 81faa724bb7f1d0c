"""Files that come with forms: how much may come is decided before any of it is kept."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from memsite.conf import get_conf
from memsite.timed_bodies import be_patient


class Bounded(FileUploadHandler):
    """Before Django's own handlers, which write whatever comes: a form is read before a page asks who sends it.

    Of somebody signed in as much as a file to be imported may have, with the form around it; of others, who have no
    file to send, no more than any other body.
    """

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803  # Django's own name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        conf = get_conf()
        most = conf.max_body_bytes
        if SESSION_KEY in self.request.session:  # type: ignore[union-attr]  # forms come through the middleware
            most += conf.import_megabytes * 1024 * 1024
            be_patient(META["wsgi.input"])
        if content_length > most:
            raise RequestDataTooBig

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
