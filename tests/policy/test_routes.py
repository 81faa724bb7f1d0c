"""Every door of the site: who may come through it is decided here, on purpose."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import get_resolver
from rest_framework.authentication import BaseAuthentication
from rest_framework.settings import api_settings
from rest_framework.test import APIClient

from memsite.tenancy.authentication import HasScope, KeyAuthentication, OperatorSessionAuthentication
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.routes import walk
from tests.tables import each_row

PUBLIC = {
    "login": "where people sign in",
    "healthz": "says only ok",
    "api/v1/version": "says only which version it is",
    "readyz": "says only which part is not ready, or works less well",
    "api/schema": "the description of the endpoints, not what is behind them",
    "api/docs": "the same for people",
}
METHODS = ("get", "post", "put", "patch", "delete")
SCOPES = {"read", "create", "write", "operator", "by method"}
UID = UUID("01890000-0000-7000-8000-000000000000")
EXAMPLES = {
    "str": "x",
    "uuid": str(UID),
    "turn": "1",
    "tier": "1",
    "category": "x",
    "int": "1",
    "path": "x",
    "slug": "x",
}


ROUTES = dict(walk(get_resolver().url_patterns))
API = {address: route for address, route in ROUTES.items() if address.startswith("api/v1/") and address not in PUBLIC}


def example(address: str) -> str:
    """An address that the pattern matches."""
    filled = re.sub(r"<(?:(\w+):)?\w+>", lambda match: EXAMPLES[match[1] or "str"], address)
    return "/" + filled.replace("(?P<app_label>", "").replace("$", "")


def test_there_are_endpoints_at_all() -> None:
    assert len(API) >= 27
    assert set(PUBLIC) <= set(ROUTES)


@each_row("address", API)
def test_an_endpoint_of_the_api_names_its_scope_and_takes_keys_only(address: str) -> None:
    view = API[address].callback.view_class
    assert view.scope in SCOPES, "a view without a scope is shut to everyone"
    assert view.permission_classes == [HasScope] == api_settings.DEFAULT_PERMISSION_CLASSES
    assert view.authentication_classes == [KeyAuthentication, OperatorSessionAuthentication]
    assert all(issubclass(kind, BaseAuthentication) for kind in view.authentication_classes)


@pytest.mark.django_db
@each_row("address", API)
def test_nobody_gets_through_an_endpoint_of_the_api_without_a_key(address: str) -> None:
    client = Client(raise_request_exception=False)
    for method in METHODS:
        answer = client.generic(method.upper(), example(address), b"{}", content_type="application/json")
        assert_problem(answer, 401)
        assert answer["WWW-Authenticate"].startswith("Bearer")


def methods_of(view: Any) -> list[str]:
    taken = [method for method in METHODS if method in view.http_method_names and method != "options"]
    return [method for method in taken if hasattr(view, method)]


@each_row("address", API)
def test_no_endpoint_of_the_api_passes_over_a_query_parameter_that_it_does_not_know(
    address: str, alice: Caller, operator: APIClient
) -> None:
    view = API[address].callback.view_class
    client = operator if view.scope == "operator" else alice.client
    for method in methods_of(view):
        answer = client.generic(method.upper(), f"{example(address)}?zzz=1", b"{}", content_type="application/json")
        assert_problem(answer, 400, "zzz")


def takes_no_body(view: Any) -> bool:
    return getattr(getattr(view, "post", None), "is_bodiless", False)


BODILESS = {address for address, route in API.items() if takes_no_body(route.callback.view_class)}


@each_row("address", sorted(BODILESS))
def test_an_endpoint_without_a_body_passes_over_none(address: str, alice: Caller, operator: APIClient) -> None:
    client = operator if API[address].callback.view_class.scope == "operator" else alice.client
    for body in (b"{", b'{"x": 1}', b"[]", b"null", b"5"):
        assert_problem(client.generic("POST", example(address), body, content_type="application/json"), 400)
    for body in (b"", b"{}"):
        answer = client.generic("POST", example(address), body, content_type="application/json")
        assert answer.status_code in (403, 404, 422)


@each_row("address", API)
def test_nothing_is_read_or_deleted_for_a_body_that_would_be_passed_over(
    address: str, alice: Caller, operator: APIClient
) -> None:
    view = API[address].callback.view_class
    client = operator if view.scope == "operator" else alice.client
    for method in {"get", "delete"} & {*methods_of(view)}:
        answer = client.generic(method.upper(), example(address), b'{"zzz": 1}', content_type="application/json")
        assert_problem(answer, 400, "zzz")


def test_there_are_endpoints_without_a_body() -> None:
    assert {"api/v1/sessions/<uuid:uid>/heartbeat", "api/v1/apps/<str:app_id>/webhooks/<uuid:uid>/test"} <= BODILESS


SPOKEN = {address: route for address, route in ROUTES.items() if address.startswith(("mcp", "compat/"))}


@each_row("address", SPOKEN)
def test_an_endpoint_of_another_language_takes_keys_only(address: str) -> None:
    view = SPOKEN[address].callback.view_class
    assert view.scope in SCOPES
    assert view.permission_classes == [HasScope]
    own = [KeyAuthentication, OperatorSessionAuthentication]
    assert view.authentication_classes == own or all(
        issubclass(authentication_class, KeyAuthentication) for authentication_class in view.authentication_classes
    )


@pytest.mark.django_db
@each_row("address", [address for address in ROUTES if address not in API and not address.startswith("admin/")])
def test_every_other_endpoint_is_public_on_purpose_or_shut(address: str) -> None:
    answer = Client(raise_request_exception=False).get(example(address))
    if address in PUBLIC:
        assert answer.status_code == 200
    else:
        assert answer.status_code in (301, 302, 401, 403, 404, 405), address


@pytest.mark.django_db
def test_the_admin_lets_nobody_in_who_has_not_signed_in() -> None:
    client = Client(raise_request_exception=False)
    addresses = [address for address in ROUTES if address.startswith("admin/") and address not in PUBLIC]
    assert len(addresses) > 5
    for address in addresses:
        if "(?P" in address or "^" in address:
            continue
        answer = client.get(example(address))
        assert answer.status_code in (302, 403, 404), (address, answer.status_code)
        if answer.status_code == 302:
            assert answer["Location"].startswith(("/admin/", "/login", "/password")), address


@pytest.mark.django_db
def test_a_signed_in_person_who_is_a_member_of_nothing_gets_through_no_endpoint_of_the_api(
    django_user_model: Any,
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(django_user_model.objects.create_user("clerk", is_staff=True))
    for address in API:
        assert client.get(example(address)).status_code in (401, 403), address


def test_what_other_systems_clients_ask_is_answered_with_a_slash_as_without_and_nothing_else() -> None:
    spoken = {address for address in ROUTES if address.startswith(("mcp", "compat/")) and "^" not in address}
    assert {f"{address.rstrip('/')}/" for address in spoken} == {address for address in spoken if address.endswith("/")}
    assert {address.rstrip("/") for address in spoken} <= spoken
    slashed = [address for address in ROUTES if address.endswith("/") and address not in spoken]
    assert all(address.startswith("admin/") for address in slashed)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_the_public_endpoints_say_nothing_else(path: str) -> None:
    body = Client().get(path).json()
    assert body["status"] == "ok"
    assert body.keys() <= {"status", "checks", "degraded", "notes"}
    assert all(value in (True, False) for value in body.get("checks", {}).values())
    assert Client().post(path).status_code == 405
