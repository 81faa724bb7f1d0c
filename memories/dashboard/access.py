"""Who uses the dashboard, and for which app: decided here for every page, before the page runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from memories.language.secrets import without_secrets
from memories.services import MemoryAgent
from memsite.db import replica
from memsite.http.problems import problem_response
from memsite.tenancy.access import Right, actor_of, apps_of, has_right, role_in
from memsite.tenancy.models import App, AppStatus, Role

SAFE = ("GET", "HEAD")
APPS_OFFERED, MOST_APPS = 200, 500
CSRF = "csrfmiddlewaretoken"
LAST_APP = "desk_app"
OF_ALL_APPS = "apps"
"""How the names of pages of all apps begin: their addresses name none."""
GONE = "Somebody has deleted it since."
Page = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """One person at work in one app. `named`: the address has to name the app.

    On a page of all their apps (`of_all`) `app` is the one opened last.
    """

    user: Any
    app: App
    role: Role
    named: bool
    of_all: bool = False

    @property
    def may_curate(self) -> bool:
        return has_right(self.role, Right.CURATE)

    @property
    def may_govern(self) -> bool:
        return has_right(self.role, Right.GOVERN)

    @property
    def actor(self) -> str:
        return actor_of(self.user)

    @property
    def zone(self) -> ZoneInfo:
        zone: ZoneInfo = self.app.policy.time_zone
        return zone

    def agent(self) -> MemoryAgent:
        """Return the operator's MemoryAgent: it sees all of the app, and revisions carry the operator's name."""
        return MemoryAgent(self.app, None, self.actor)

    def other_apps(self) -> list[App]:
        """Return the apps of the app switcher. One query."""
        rows = apps_of(self.user).exclude(pk=self.app.pk).order_by("app_id")
        return list(rows.only("app_id", "name", "status")[:APPS_OFFERED])

    def address(self, name: str, *args: Any, **query: Any) -> str:
        """Return the address of a page of this app. Empty values are left out of the query."""
        parameters = {"app": self.app.app_id} if self.named and not is_of_all(name) else {}
        parameters |= {key: value for key, value in query.items() if value not in (None, "")}
        return reverse(name, args=args) + (f"?{urlencode(parameters)}" if parameters else "")


def is_of_all(name: str) -> bool:
    """Return whether an address of this name is of all apps."""
    return name.split("-")[0] == OF_ALL_APPS


class DashboardRequest(HttpRequest):
    """The request of a page: with a `dashboard`, and `htmx` (django-htmx) to tell fragments from pages."""

    dashboard: Dashboard
    htmx: Any


def page(
    *,
    read: Right | None = Right.READ,
    write: Right | None = None,
    while_purging: bool = False,
    of_all: bool = False,
) -> Callable[[Page], Page]:
    """Decorate a page with the rights to read it and to write to it (None: not possible).

    While an app is being purged nothing is shown or changed, except by pages that are allowed `while_purging`.
    Without a login the answer is the login page, for an app of others a 404, for too few rights a 403.
    A page `of_all` apps wants the right in any app, and asks itself for it in each that it shows or changes.
    """

    def decorate(view: Page) -> Page:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            right = read if request.method in SAFE else write
            allowed = [*(SAFE if read else ()), *(("POST",) if write else ())]
            if request.method not in allowed or right is None:
                return HttpResponseNotAllowed(allowed)
            if not request.user.is_authenticated:
                return ask_to_sign_in(request, can_be_looked_at=read is not None)
            answer = find_dashboard(request, of_all=of_all)
            if isinstance(answer, HttpResponse):
                return answer
            if not (apps_of(request.user, right).exists() if of_all else has_right(answer.role, right)):
                raise PermissionDenied
            request.POST = public(request)  # type: ignore[assignment]  # as Django sets it itself
            request.dashboard = answer  # type: ignore[attr-defined]  # it is a DashboardRequest from here on
            if answer.app.status == AppStatus.PURGING and not (while_purging or of_all):
                return render(request, "dashboard/purging.html", {"dashboard": answer}, status=410)
            try:
                with timezone.override(answer.zone):
                    show = partial(view, request, *args, **kwargs)
                    response = replica.read(show) if request.method in SAFE else show()
            except Http404:
                if "HX-Request" not in request.headers:
                    raise
                response = problem_response(404, GONE)
            response["Cache-Control"] = "no-store"
            return response

        guarded.can_be_looked_at = read is not None  # type: ignore[attr-defined]
        guarded.takes_changes = write is not None  # type: ignore[attr-defined]
        return guarded

    return decorate


def public(request: HttpRequest) -> QueryDict:
    """Return the form without secrets: no page of the dashboard takes any but passwords."""
    form = request.POST.copy()
    for name, values in request.POST.lists():
        if name != CSRF and "password" not in name:
            form.setlist(name, [without_secrets(str(value)) for value in values])
    return form


def ask_to_sign_in(request: HttpRequest, *, can_be_looked_at: bool) -> HttpResponse:
    """Redirect to the login. A fragment cannot show it and answers with a message."""
    if "HX-Request" in request.headers:
        return problem_response(
            401, "You are signed out. Sign in on another tab and try again: what is typed here stays."
        )
    return redirect_to_login(request.get_full_path() if can_be_looked_at else "/")


def find_dashboard(request: HttpRequest, *, of_all: bool = False) -> Dashboard | HttpResponse:
    """Return the dashboard, or a redirect. Http404 for an app that this person cannot see."""
    apps = apps_of(request.user).select_related("policy").order_by("app_id")
    wanted = request.GET.get("app")
    if of_all:
        # A filter of the page, which may be empty.
        wanted = wanted or None
    named = wanted is not None
    if wanted is not None:
        app = apps.filter(app_id=wanted).first() if "\0" not in wanted else None
        if app is None:
            raise Http404
        if request.session.get(LAST_APP) != wanted and request.method in SAFE:
            request.session[LAST_APP] = wanted
    else:
        first = list(apps[:2])
        if len(first) != 1 and request.method not in SAFE and not of_all:
            raise BadRequest
        if not first:
            return render(request, "dashboard/no_app.html", status=404)
        app = first[0]
        if len(first) > 1:
            last = apps.filter(app_id=request.session.get(LAST_APP)).first() or app
            if not of_all:
                return HttpResponseRedirect(address_without_app(request, last))
            app, named = last, True
    role = role_in(request.user, app)
    if role is None:
        raise Http404
    return Dashboard(request.user, app, role, named=named, of_all=of_all)


def address_without_app(request: HttpRequest, last: App) -> str:
    """Return where an address leads that names no app: the first page to all apps, others to the app opened last."""
    if request.path == reverse("overview"):
        return reverse(OF_ALL_APPS)
    query = request.GET.copy()
    query["app"] = last.app_id
    return f"{request.path}?{query.urlencode()}"


def apps_named(user: Any, names: Iterable[str], right: Right) -> list[App]:
    """Return these apps, with their policies. Two queries.

    Http404 if one of them is not there for this user, PermissionDenied where the right is missing in one.
    """
    wanted = set(names)
    valid = [name for name in wanted if "\0" not in name]
    rows = list(apps_of(user).filter(app_id__in=valid).select_related("policy").order_by("app_id"))
    if len(rows) != len(wanted):
        raise Http404
    if apps_of(user, right).filter(pk__in=[app.pk for app in rows]).count() != len(rows):
        raise PermissionDenied
    return rows
