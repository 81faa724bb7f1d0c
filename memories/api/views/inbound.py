"""What is said in chats, told by their bridges: a door that a signature opens, not a key."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from memories.agent import MemoryAgent
from memories.api.base import View
from memories.api.bodies import Unread
from memories.api.fields import read_as
from memories.api.shapes.webhooks import Heard
from memories.models import Bridge
from memsite.config.conf import get_conf
from memsite.http.json_body import parse_json, read_bounded
from memsite.http.signatures import BadSignature, secret_of, verify
from memsite.tenancy.authentication import Principal
from memsite.tenancy.models import AppStatus
from memsite.tenancy.row_level_security import confine
from sessions.recording import Said, source_key

SCOPE = "bridge"


class BridgeAuthentication(BaseAuthentication):
    """Standard Webhooks over the whole body. A bridge that is not there answers like a wrong signature."""

    def authenticate(self, request: Request) -> tuple[Principal, Bridge]:
        body = read_bounded(request._request, get_conf().max_body_bytes)
        bridge = bridge_of(request)
        try:
            if bridge is None:
                raise BadSignature
            secret = secret_of(bridge.uid, bridge.secret_number)
            message_id = verify(request.headers, body, secret, timezone.now())
        except BadSignature as error:
            raise AuthenticationFailed("The signature is wrong or too old.") from error
        confine(bridge.app_id)
        told: Any = request
        told.signed_body, told.message_id = body, message_id
        return Principal(name=bridge.name, scopes=frozenset({SCOPE}), agent=bridge.agent), bridge

    def authenticate_header(self, request: Request) -> str:
        return 'Signature realm="memsite"'


def bridge_of(request: Request) -> Bridge | None:
    # The address names the bridge, and only its secret opens it: there is no app yet to ask for.
    rows = Bridge.objects.filter(uid=request.parser_context["kwargs"]["uid"], is_active=True)
    found = list(rows.select_related("agent__app__policy")[:2])
    is_ours = len(found) == 1 and found[0].agent.app.status == AppStatus.ACTIVE
    return found[0] if is_ours else None


class ChatMessage(View):
    """`POST /hooks/{id}`: one message of a chat. Told twice, it is stored once."""

    scope = SCOPE
    authentication_classes = [BridgeAuthentication]
    parser_classes = [Unread]
    is_lenient = True

    # Not of the API, which keys open: docs/webhooks.md describes it.
    @extend_schema(exclude=True)
    def post(self, request: Request, uid: object) -> Response:
        told: Any = request
        bridge: Bridge = told.auth
        heard = read_as(Heard, parse_json(told.signed_body))
        agent = MemoryAgent(bridge.agent.app, bridge.agent, f"bridge:{bridge.name}")
        key = source_key(heard["message_id"] or told.message_id, text=heard["text"])
        said = Said(heard["role"], heard["text"], key, heard["at"])
        place = "/".join(filter(None, (heard["channel"], heard["thread"])))
        captured = agent.hear_chat(bridge, place, heard["user"], [said])
        return Response({"stored": len(captured.resources)}, status=202)
