"""What was said and what was learnt from it, text by text: what failed can be tried again."""

from __future__ import annotations

from collections import Counter

from django.db.models.functions import Substr
from django.http import HttpResponse

from memories.agent import Changed
from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.filters import Choice, Filters
from memories.dashboard.picks import AT_MOST, ticked
from memories.dashboard.show import done, fingerprint, is_seen, show, tell, unchanged
from memories.dashboard.slices import take
from memories.models import Extraction, ExtractionStatus, What
from memsite.tenancy.access import Right

SAID_CHARACTERS = 240


class TextFilters(Filters):
    status = Choice("Status", [(status, status) for status in ExtractionStatus.values])
    what = Choice("What", [(What.FACTS, "facts of a text"), (What.DIGEST, "digest of a session")])


@page()
def texts(request: DeskRequest) -> HttpResponse:
    desk, filters = request.desk, TextFilters(request.GET)
    rows = Extraction.objects.for_app(desk.app).filter(**filters.asked()).select_related("session__agent", "resource")
    rows = rows.annotate(said=Substr("resource__raw_content", 1, SAID_CHARACTERS)).defer("resource__raw_content")
    slice = take(rows, request.GET)
    seen = fingerprint([(row.uid, row.status, row.attempts, row.next_at, row.reason) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    given_up = Extraction.objects.for_app(desk.app).filter(status=ExtractionStatus.DEAD).count()
    context = {"filters": filters, "slice": slice, "given_up": given_up, "seen": seen}
    return show(request, "upkeep/texts", context, part="upkeep/text_list")


@page(read=None, write=Right.CURATE)
def retry(request: DeskRequest) -> HttpResponse:
    """Those that are ticked as `text`, or, with `given_up`, all that were given up."""
    tried = retry_each(request.desk, list(wanted(request)))
    return done(request, "upkeep-texts", *tell(tried, "tried again", "text", "texts"))


def wanted(request: DeskRequest) -> list[Extraction]:
    rows = Extraction.objects.for_app(request.desk.app)
    if "given_up" in request.POST:
        return list(rows.filter(status=ExtractionStatus.DEAD)[:AT_MOST])
    return list(rows.filter(uid__in=ticked(request, "text")))


def retry_each(desk: Desk, rows: list[Extraction]) -> Changed:
    agent = desk.agent()
    tried = sum(agent.retry(row) for row in rows)
    return Changed(tried, left=+Counter({"done, or being worked on": len(rows) - tried}))
