"""Agents' door to what changes: as server-sent events, or as a list that is waited for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from memories.agent import Change, MemoryAgent
from memories.api.base import AgentView, AnyAnswer
from memories.api.pages import whole
from memories.api.schema import Problem, operation, whole_number
from memories.api.shapes.changes import ChangesShown, show_change
from memsite.http.bodies import Places
from memsite.http.exceptions import BeyondTheFeed
from memsite.http.json_body import dump_json
from memsite.tenancy.authentication import still_opens
from memsite.tenancy.models import ApiKey

EVENT_STREAM = "text/event-stream"
# A stream or a wait keeps a thread of the web server busy: not many of them, and none for long.
listeners = Places(4, "As many listen to changes as this server has room for: ask without waiting, or in a moment.")
STREAM_SECONDS, HEARTBEAT_SECONDS, LOOK_EVERY_SECONDS = 60.0, 15.0, 0.5
LONGEST_WAIT_SECONDS = 25
RETRY_MILLISECONDS = 1000
MOST_NUMBER = 2**63 - 1
BEYOND = OpenApiResponse(Problem, description="`since` is beyond the app's last change: begin anew with a full read.")


class Changes(AgentView):
    scope = "read"
    content_negotiation_class = AnyAnswer

    def key(self) -> ApiKey:
        key: Any = self.request.auth
        assert isinstance(key, ApiKey), "an agent comes with one"
        return key

    @operation(
        responses={
            (200, "application/json"): ChangesShown,
            (200, EVENT_STREAM): OpenApiTypes.STR,
            (410, "application/problem+json"): BEYOND,
        },
        parameters=[
            whole_number("since", 0, MOST_NUMBER, description="A `last` of before; without it, from now on."),
            whole_number("wait", 0, LONGEST_WAIT_SECONDS, description="Wait so many seconds for something new."),
            whole_number(
                "Last-Event-ID", 0, MOST_NUMBER, location=OpenApiParameter.HEADER, description="The same as since."
            ),
        ],
        operation_id="list_changes",
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Memories that were written or deleted, each as it is by now; with `Accept: text/event-stream` as they change.

        A stream ends after a minute and is opened again where it was (`Last-Event-ID`), as EventSource does by itself.
        """
        agent = self.memory_agent()
        since = number_asked(request, agent)
        if EVENT_STREAM in request.headers.get("Accept", ""):
            return stream(agent, since, self.key())
        wait = whole("wait", request.query_params.get("wait", "0"), LONGEST_WAIT_SECONDS)
        changes, last = waited_for(agent, since, wait) if wait else agent.changes_since(since)
        return Response({"results": [show_change(one) for one in changes], "last": last})


def number_asked(request: Request, agent: MemoryAgent) -> int:
    given = request.headers.get("Last-Event-ID") or request.query_params.get("since")
    current = agent.current_change()
    number = current if given is None else whole("since", given, MOST_NUMBER)
    if number > current:
        raise BeyondTheFeed
    return number


def waited_for(agent: MemoryAgent, since: int, seconds: int) -> tuple[list[Change], int]:
    with listeners.one():
        ends = time.monotonic() + seconds
        while True:
            changes, last = agent.changes_since(since)
            if changes or time.monotonic() >= ends:
                return changes, last
            time.sleep(LOOK_EVERY_SECONDS)


def stream(agent: MemoryAgent, since: int, key: ApiKey) -> StreamingHttpResponse:
    listeners.take()
    answer = StreamingHttpResponse(Events(agent, since, key), content_type=EVENT_STREAM)
    # No proxy may keep what is meant for now.
    answer["Cache-Control"], answer["X-Accel-Buffering"] = "no-store", "no"
    return answer


class Events:
    """The body of a stream. Ends with its key, and gives its place back when nobody reads it any more."""

    def __init__(self, agent: MemoryAgent, since: int, key: ApiKey) -> None:
        self.agent, self.since, self.key, self.is_open = agent, since, key, True

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield f"retry: {RETRY_MILLISECONDS}\nid: {self.since}\n\n".encode()
            ends = time.monotonic() + STREAM_SECONDS
            heard = time.monotonic()
            while (now := time.monotonic()) < ends and still_opens(self.key):
                changes, last = self.agent.changes_since(self.since)
                if last != self.since:
                    self.since, heard = last, now
                    yield b"".join(map(event, changes)) + b"id: %d\n\n" % last
                elif now - heard >= HEARTBEAT_SECONDS:
                    heard = now
                    yield b": still here\n\n"
                else:
                    time.sleep(LOOK_EVERY_SECONDS)
        finally:
            self.close()

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            listeners.give_back()


def event(change: Change) -> bytes:
    told = dump_json(show_change(change))
    return b"event: %b\ndata: %b\n\n" % (change.kind.encode(), told)
