"""Sessions of browsers, where the database may refuse to keep them."""

from __future__ import annotations

import structlog
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse

from memsite.exceptions import Unwritable
from memsite.unwritable import why_unwritable

SAFE = ("GET", "HEAD")
log = structlog.get_logger("memsite.browsing")


class Sessions(SessionMiddleware):
    """Django's, but that a page is shown where nothing can be written, too.

    All that is kept by looking at a page is which app it was of; who signs in has to be kept, or is told why not.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except Exception as error:
            if not (why := why_unwritable(error)):
                raise
            if request.method not in SAFE:
                # Django takes it for a session that somebody has ended.
                raise Unwritable(why) from error
            log.warning("session_not_kept")
            return response
