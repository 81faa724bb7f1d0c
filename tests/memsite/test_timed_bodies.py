"""Bodies are waited for beside the threads of requests, for a while, and by a quarter of these at most."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from threading import Event
from typing import Any

import pytest
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.test import RequestFactory

from memsite.http import bodies
from memsite.http.bodies import PIECE_BYTES, SlowBody, TimedBody, TooManySlowBodies, time_bodies, unread
from memsite.http.problems import bad_request

LIMIT_SECONDS = 120


class Stalled:
    """Sends nothing until it is let."""

    def __init__(self) -> None:
        self.may_send = Event()

    def read(self, size: int) -> bytes:
        assert self.may_send.wait(LIMIT_SECONDS)
        return b"x" * size


class Late:
    """Sends once somebody has taken a place to wait for it."""

    def read(self, size: int) -> bytes:
        until = time.monotonic() + LIMIT_SECONDS
        while not unread.taken:
            assert time.monotonic() < until
            time.sleep(0.01)
        return b"x" * size


@pytest.fixture
def stalled() -> Iterator[Stalled]:
    source = Stalled()
    yield source
    source.may_send.set()


def test_a_body_is_read_piece_by_piece_to_its_end() -> None:
    sent = bytes(range(256)) * 1024
    assert len(sent) > 2 * PIECE_BYTES
    for length in (len(sent), float("inf")):
        body = TimedBody(BytesIO(sent), length)
        assert body.read(10) + body.read() == sent
        assert (body.read(5), body.left) == (b"", 0)


def test_who_sends_late_is_waited_for_on_a_place() -> None:
    assert TimedBody(Late(), 1_000).read(1_000) == b"x" * 1_000
    assert unread.taken == 0


def test_what_does_not_come_in_time_is_never_read(stalled: Stalled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "FIRST_SECONDS", 0)
    body = TimedBody(stalled, 1_000)
    for _ in range(2):
        with pytest.raises(SlowBody):
            body.read()
    assert not body.finish(most=1_000)
    assert unread.taken == 0


def test_files_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "FIRST_SECONDS", -1_000)
    body = TimedBody(Late(), 1_000)
    bodies.be_patient(body)
    assert len(body.read()) == 1_000


def test_a_quarter_of_the_threads_waits_for_bodies(stalled: Stalled, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=7)
    with unread.counted():
        with pytest.raises(TooManySlowBodies):
            TimedBody(stalled, 1_000).read()
        assert TimedBody(BytesIO(b"here"), 4).read() == b"here"


def test_what_an_answer_left_is_waited_for_a_moment(stalled: Stalled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "LATE_SECONDS", 0)
    assert not TimedBody(stalled, 1_000).finish(most=1_000)
    assert not TimedBody(BytesIO(b"here"), 4).finish(most=3)
    assert TimedBody(BytesIO(b"here"), 4).finish(most=4)


def test_the_application_is_handed_such_bodies() -> None:
    handed: list[Any] = []

    def application(environ: dict[str, Any], _: Any) -> list[bytes]:
        handed.append(environ["wsgi.input"])
        return []

    for output in ({"CONTENT_LENGTH": "3"}, {"HTTP_TRANSFER_ENCODING": "chunked"}, {"CONTENT_LENGTH": "0"}, {}):
        time_bodies(application)({"wsgi.input": BytesIO(b"one"), **output}, None)
    assert [getattr(body, "length", None) for body in handed] == [3, float("inf"), None, None]


@pytest.mark.parametrize(
    ("error", "expected"),
    [(SlowBody(), (408, None)), (TooManySlowBodies("Later."), (503, "1")), (RequestDataTooBig(), (413, None))],
)
def test_a_page_says_why_its_form_was_not_read(error: Exception, expected: tuple[int, str | None]) -> None:
    assert isinstance(error, BadRequest | RequestDataTooBig)  # which Django hands to `bad_request`
    answer = bad_request(RequestFactory().post("/login"), error)
    assert (answer.status_code, answer.get("Retry-After")) == expected
