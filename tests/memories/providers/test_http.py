import logging
from contextlib import closing

import pytest

from memories.providers.errors import AnswerTooLong, ServiceAway, ServiceRefused
from memories.providers.http import JsonApi, with_path
from memories.providers.patience import Patience
from tests.tables import each_row

HASTE = Patience(first_wait_seconds=0.0, longest_wait_seconds=0.0)


@pytest.fixture
def api(httpserver):
    with closing(JsonApi(httpserver.url_for("/base/"), patience=HASTE)) as api:
        yield api


def test_a_refusal_keeps_what_was_said_about_it(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("no such field: colour", status=422)
    with pytest.raises(ServiceRefused) as caught:
        api.post("/ask", {})
    assert (caught.value.status, caught.value.detail) == (422, "no such field: colour")
    assert "colour" not in repr(caught.value)


def test_a_refusal_that_talks_without_end_is_not_heard_out(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("no! " * 100_000, status=400)
    with pytest.raises(ServiceRefused) as caught:
        api.post("/ask", {})
    assert caught.value.detail == ""


def test_what_is_not_implemented_is_refused_at_once(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("not here", status=501)
    with pytest.raises(ServiceRefused, match="answered 501"):
        api.post("/ask", {})
    assert len(httpserver.log) == 1


def test_a_service_tells_when_to_come_back(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_data("", status=503, headers={"Retry-After": "90"})
    with pytest.raises(ServiceAway) as caught:
        api.post("/ask", {})
    assert caught.value.wait_seconds == 90.0


def test_no_wait_goes_beyond_the_deadline(httpserver):
    patience = Patience(longest_wait_seconds=60.0)
    httpserver.expect_request("/ask").respond_with_data("", status=503, headers={"Retry-After": "45"})
    with closing(JsonApi(httpserver.url_for(""), patience=patience)) as api, pytest.raises(ServiceAway):
        api.post("/ask", {}, within=30.0)
    assert len(httpserver.log) == 1


def test_each_client_has_its_own_bound(httpserver):
    httpserver.expect_request("/ask").respond_with_data(" " * 200)
    with (
        closing(JsonApi(httpserver.url_for(""), max_bytes=100)) as api,
        pytest.raises(AnswerTooLong, match="100 bytes"),
    ):
        api.post("/ask", {})


def test_halves_of_surrogate_pairs_are_sent_as_something_else(httpserver, api):
    httpserver.expect_request("/base/ask").respond_with_json({})
    api.post("/ask", {"text": "a\ud800b \ud83d\ude00 \x00"})
    assert httpserver.log[0][0].get_json() == {"text": "a\ufffdb 😀 \x00"}


def test_a_password_in_the_address_is_sent_and_not_logged(httpserver, caplog):
    caplog.set_level(logging.DEBUG, "httpx")
    httpserver.expect_request("/ask", headers={"Authorization": "Basic YW5uYTp3b3Jk"}).respond_with_json({})
    with closing(JsonApi(httpserver.url_for("").replace("://", "://anna:word@"))) as api:
        assert api.post("/ask", {}) == {}
    assert "HTTP Request: POST" in caplog.text
    assert "word" not in caplog.text


@each_row(
    ("url", "expected"),
    [
        ("http://host", "http://host/v1"),
        ("http://host/", "http://host/v1"),
        ("http://host/a/b/", "http://host/a/b/v1"),
        ("https://anna:word@host:8443/a?b=c", "https://anna:word@host:8443/a/v1?b=c"),
    ],
)
def test_paths_are_changed_and_the_rest_is_left(url, expected):
    assert with_path(url, lambda path: path + "/v1") == expected
