"""Requests that come with a key and without a cookie: they do without what pages need."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch, get_resolver

ROUTES_KEPT = 256
"""Addresses of which it is known where they lead."""
DOORS = ("/api/v1/", "/mcp", "/compat/")
HEADERS = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "X-Frame-Options": "DENY"}


class Keyed:
    """Middleware: what follows it in the settings is for pages, and is passed by where no browser asks.

    Without a cookie there is no session to read, nobody signed in by one, and no form of another site to refuse.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.by_pages = get_response
        self.by_views: Callable[[HttpRequest], Any] = convert_exception_to_response(Views())

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_keyed(request):
            return self.by_pages(request)
        response: HttpResponse = self.by_views(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class Views(BaseHandler):
    """Django's own way from an address to its view's answer, with no middleware left.

    It tries one pattern after the other; what it found last is kept.
    """

    _view_middleware = _template_response_middleware = _exception_middleware = ()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response: HttpResponse = self._get_response(request)  # type: ignore[attr-defined]  # not in the stubs
        return response

    def resolve_request(self, request: HttpRequest) -> ResolverMatch:
        request.resolver_match = match = match_of(request.path_info)
        return match


@lru_cache(ROUTES_KEPT)
def match_of(path: str) -> ResolverMatch:
    """Resolver404 if it leads nowhere."""
    return get_resolver().resolve(path)


def is_keyed(request: HttpRequest) -> bool:
    told = request.META
    return bool(told.get("HTTP_AUTHORIZATION")) and not told.get("HTTP_COOKIE") and request.path_info.startswith(DOORS)
