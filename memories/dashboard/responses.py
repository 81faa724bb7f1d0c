"""Responses of the dashboard: a page or a fragment of it from the same context, toasts, and which rows are ticked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from memories.dashboard.access import DashboardRequest
from memories.services import Changed

Tone = Literal["success", "warning", "error"]
TONES = {"success": messages.SUCCESS, "warning": messages.WARNING, "error": messages.ERROR}
GONE_BY_NOW = "Nothing was changed: all of it has been deleted since."
AT_MOST = 500


def render_page(request: DashboardRequest, template: str, context: Mapping[str, Any], part: str = "") -> HttpResponse:
    """Render the page `dashboard/{template}.html`, or only its `part` where htmx asks for one."""
    wants_part = part and request.htmx and not request.htmx.history_restore_request and not request.htmx.boosted
    name = f"dashboard/{part if wants_part else template}.html"
    response = render(request, name, {**context, "dashboard": request.dashboard})
    patch_vary_headers(response, ["HX-Request"])
    return response


def toast(response: HttpResponse, text: str, tone: Tone = "success") -> HttpResponse:
    """Show `text` in the corner when the fragment arrives."""
    response["HX-Trigger"] = json.dumps({"toast": {"text": text, "tone": tone}})
    return response


@dataclass(frozen=True, slots=True)
class Undo:
    """What a toast offers to undo: posted to `href` as `changes`."""

    href: str
    changes: Sequence[str]


def saved(text: str, tone: Tone = "success", undo: Undo | None = None) -> HttpResponse:
    """Answer success: show a toast, close dialogs, clear ticks, and refresh what is live on the page."""
    triggers = {"toast": {"text": text, "tone": tone, "undo": asdict(undo) if undo else None}, "saved": {}}
    return HttpResponse(status=204, headers={"HX-Trigger": json.dumps(triggers)})


def go(request: DashboardRequest, address: str, text: str = "", tone: Tone = "success") -> HttpResponse:
    """Redirect to another page, with a toast there."""
    if text:
        messages.add_message(request, TONES[tone], text)
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return HttpResponseRedirect(address, status=303)


def fingerprint(state: object) -> str:
    """Return a hash that is the same for equal values in every process."""
    return hashlib.sha256(repr(state).encode()).hexdigest()[:16]


def is_seen(request: DashboardRequest, state: str) -> bool:
    """Return whether this is a refresh of a list that is already shown as of `state`.

    Elements of the list inherit its headers: only a request of the list itself is a refresh.
    """
    asks_itself = not request.htmx or request.htmx.trigger == request.htmx.target
    return asks_itself and request.headers.get("X-Seen") == state


def unchanged() -> HttpResponse:
    """Answer a refresh without changes: htmx leaves the page as it is."""
    return HttpResponse(status=204)


def done(
    request: DashboardRequest, name: str, text: str, tone: Tone = "success", undo: Undo | None = None
) -> HttpResponse:
    """Answer success on the page that asked, or on the page `name` where there are no scripts."""
    return saved(text, tone, undo) if request.htmx else go(request, request.dashboard.address(name), text, tone)


def change_report(
    changed: Changed, done_to_them: str, singular: str = "memory", many: str = "memories"
) -> tuple[str, Tone]:
    """Describe in words what became of the ticked rows."""
    parts = [f"{counted(changed.done, singular, many)} {done_to_them}."] if changed.done else []
    parts += [
        f"{counted(number, singular, many)} left as {'it is' if number == 1 else 'they are'}: {why}."
        for why, number in changed.left.items()
    ]
    return " ".join(parts) or GONE_BY_NOW, "success" if changed.done and not changed.left else "warning"


def counted(number: int, singular: str, many: str) -> str:
    return f"{number:,} {singular if number == 1 else many}"


def ticked(request: DashboardRequest, name: str) -> list[UUID]:
    """Return the ids sent under this name. BadRequest for more than a page can show, and for invalid ids."""
    given = request.POST.getlist(name)
    if len(given) > AT_MOST:
        raise BadRequest
    return [as_id(text) for text in given]


def as_number(text: str) -> int:
    """Return a version. BadRequest if it is none."""
    # Python itself refuses thousands of digits.
    with suppress(ValueError):
        if text.isdecimal():
            return int(text)
    raise BadRequest


def as_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise BadRequest from error
