"""The doors of OAuth: what there is, registering, letting in, tokens. Absent unless the setting says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from authlib.oauth2 import OAuth2Error
from django import forms
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from rest_framework.exceptions import ParseError

from memsite.config.conf import get_conf
from memsite.http.json_body import parse_json
from memsite.http.middleware import length_of
from memsite.http.problems import error_view
from memsite.oauth.models import LOOPBACK, SCOPES
from memsite.oauth.server import AUTH_METHODS, METHOD, MOST_BYTES, Consent, InvalidTarget, server
from memsite.tenancy.access import Right, actor_of, apps_of
from memsite.tenancy.audit import note
from memsite.tenancy.models import Agent, App, AppStatus, Scope

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


class ConsentForm(forms.Form):
    app = forms.ModelChoiceField(App.objects.none(), to_field_name="app_id", empty_label=None, label="App")
    name = forms.CharField(
        max_length=64,
        label="As which agent",
        help_text="Of this name in the app; made if there is none. It sees what that agent sees.",
    )
    may_write = forms.BooleanField(required=False, label="It may also store, change and forget")

    def __init__(self, user: Any, client_name: str, wanted: list[str], data: Any = None) -> None:
        usual = NOT_IN_NAMES.sub("-", client_name).strip("-._")[:64] or "client"
        super().__init__(data, initial={"name": usual.lower(), "may_write": Scope.WRITE in wanted})
        apps = apps_of(user, Right.GOVERN).filter(status=AppStatus.ACTIVE).order_by("app_id")
        self.fields["app"].queryset = apps  # type: ignore[attr-defined]  # it is a ModelChoiceField
        self.has_apps = apps.exists()
        if Scope.WRITE not in wanted:
            del self.fields["may_write"]

    def clean(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().clean() or {}
        if "app" in fields and "name" in fields:
            try:
                Agent(app=fields["app"], name=fields["name"]).clean_fields()
            except ValidationError as error:
                self.add_error("name", error.messages)
            else:
                named = Agent.objects.for_app(fields["app"]).filter(name=fields["name"])
                if named.exclude(deleted_at=None).exists():
                    self.add_error("name", "An agent of this name was deleted: choose another name.")
        return fields

    def agent(self) -> Agent:
        app = self.cleaned_data["app"]
        agent, _ = Agent.objects.for_app(app).get_or_create(app=app, name=self.cleaned_data["name"])
        return agent

    def scopes(self) -> list[str]:
        return [Scope.READ.value, *([Scope.WRITE.value] if self.cleaned_data.get("may_write") else [])]


RESOURCES = ("/mcp", "/mcp/chatgpt", "/compat/mcp-memory")
View = Callable[..., HttpResponse]


def if_wanted(view: View) -> View:
    """Answer 404 where `MEMSITE_OAUTH` is off."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not get_conf().oauth:
            raise Http404
        is_own_machine = {request.get_host(), request.get_host().rpartition(":")[0]}.intersection(LOOPBACK)
        if not request.is_secure() and not is_own_machine:
            return error_view(request, 400, "Over HTTPS only: tokens would be read by others on the way.")
        return view(request, *args, **kwargs)

    return guarded


def root_of(request: HttpRequest) -> str:
    return request.build_absolute_uri(get_conf().root_path or "/").rstrip("/")


@csrf_exempt
@if_wanted
@require_GET
def about_resource(request: HttpRequest, path: str = "") -> HttpResponse:
    """Describe who lets clients in (RFC 9728)."""
    path = path.removeprefix(get_conf().root_path).rstrip("/")
    if path and path not in RESOURCES:
        raise Http404
    root = root_of(request)
    return JsonResponse(
        {
            "resource": root + (path or RESOURCES[0]),
            "resource_name": "Memsite",
            "authorization_servers": [root],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
        }
    )


@csrf_exempt
@if_wanted
@require_GET
def about_server(request: HttpRequest, path: str = "") -> HttpResponse:
    """Describe the server (RFC 8414)."""
    if path not in ("", get_conf().root_path):
        raise Http404
    root = root_of(request)
    return JsonResponse(
        {
            "issuer": root,
            "authorization_endpoint": f"{root}/oauth/authorize",
            "token_endpoint": f"{root}/oauth/token",
            "registration_endpoint": f"{root}/oauth/register",
            "revocation_endpoint": f"{root}/oauth/revoke",
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": [METHOD],
            "token_endpoint_auth_methods_supported": AUTH_METHODS,
            "revocation_endpoint_auth_methods_supported": AUTH_METHODS,
        }
    )


@csrf_exempt
@if_wanted
@require_POST
@never_cache
def register(request: HttpRequest) -> HttpResponse:
    """Register anybody (RFC 7591): so not much may be kept of it."""
    if length_of(request) > MOST_BYTES or len(request.body) > MOST_BYTES:
        return refusal("invalid_client_metadata", f"More than {MOST_BYTES:,} bytes.")
    try:
        document = parse_json(request.body)
    except ParseError as error:
        return refusal("invalid_client_metadata", str(error.detail))
    if not isinstance(document, dict):
        return refusal("invalid_client_metadata", "Not an object.")
    return as_json(server().create_endpoint_response("client_registration", request))


@csrf_exempt
@if_wanted
@require_POST
@never_cache
def token(request: HttpRequest) -> HttpResponse:
    if not is_ours(request):
        return refusal(InvalidTarget.error, InvalidTarget.description)
    with transaction.atomic():
        return as_json(server().create_token_response(request))


@csrf_exempt
@if_wanted
@require_POST
@never_cache
def revoke(request: HttpRequest) -> HttpResponse:
    """Revoke a token (RFC 7009)."""
    return as_json(server().create_endpoint_response("revocation", request))


@if_wanted
@require_http_methods(["GET", "POST"])
@never_cache
def authorize(request: HttpRequest) -> HttpResponse:
    """Ask somebody who is signed in whether this client may act as an agent of theirs, and as which."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    try:
        grant = server().get_consent_grant(request, end_user=request.user)
        if not is_ours(request):
            raise InvalidTarget(redirect_uri=grant.redirect_uri, state=grant.request.payload.state)
    except OAuth2Error as error:
        if getattr(error, "redirect_uri", None):
            response: HttpResponse = server().handle_error_response(server().create_oauth2_request(request), error)
            return response
        return error_view(request, 400, error.description or "This client cannot be let in.")
    except ValueError:
        # authlib quotes what was asked in its refusal, which may not hold every character.
        return error_view(request, 400, "This client cannot be let in: its request holds forbidden characters.")
    client, wanted = grant.request.client, grant.request.scope.split()
    form = ConsentForm(request.user, client.name, wanted, request.POST or None)
    if "refuse" in request.POST:
        return answered(request, grant, None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            agent, scopes, actor = form.agent(), form.scopes(), actor_of(request.user)
            note(actor, agent.app, "client connected", f"{client.name} as {agent.name}", after={"scopes": scopes})
            return answered(request, grant, Consent(agent, scopes, actor))
    uri = grant.request.payload.redirect_uri or client.get_default_redirect_uri()
    parts = urlsplit(uri)
    is_web = parts.scheme in ("http", "https")
    # What a person should look at: whose machine it is, or which program on their own.
    goes_to = parts.netloc if is_web else f"{parts.scheme}:"
    response = render(request, "oauth/authorize.html", {"client": client, "form": form, "goes_to": goes_to})
    # The answer to the form leads to the client: browsers hold that against the page's policy.
    source = f"{parts.scheme}://{parts.netloc}" if is_web else goes_to
    response._csp_update = {"form-action": [source]}  # type: ignore[attr-defined]  # read by django-csp
    return response


def answered(request: HttpRequest, grant: Any, consent: Consent | None) -> HttpResponse:
    response: HttpResponse = server().create_authorization_response(request, grant_user=consent, grant=grant)
    return response


def is_ours(request: HttpRequest) -> bool:
    """Return whether a token is for the server that it was asked for (RFC 8707)."""
    root = root_of(request)
    named = [*request.GET.getlist("resource"), *request.POST.getlist("resource")]
    return all(path in ("", root) or path.startswith(f"{root}/") for path in named)


def refusal(error: str, description: str) -> HttpResponse:
    return JsonResponse({"error": error, "error_description": description}, status=400)


def as_json(response: HttpResponse) -> HttpResponse:
    response["Content-Type"] = "application/json"
    return response
