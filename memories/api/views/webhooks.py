"""Endpoints for alerts and their rules, webhooks and deliveries, bridges of chats, and the feed of changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import IntegrityError
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, Answer, AnyAnswer, OperatorView, View, or_404
from memories.api.fields import validated
from memories.api.pagination import chosen, one_of, page, whole
from memories.api.schema import Problem, lists, operation, whole_number
from memories.api.serializers.memories import Deleted
from memories.api.serializers.webhooks import (
    AlertRuleChanges,
    AlertRuleShown,
    AlertShown,
    BridgeShown,
    BridgeWithSecret,
    ChangesShown,
    DeliveryShown,
    Heard,
    NewAlertRule,
    NewBridge,
    NewWebhook,
    Secret,
    WebhookChanges,
    WebhookShown,
    WebhookWithSecret,
    show_bridge,
    show_change,
)
from memories.api.streaming import Unread
from memories.models import AlertRule, Bridge, Delivery, DeliveryStatus, Webhook
from memories.models.alert import AlertQuerySet
from memories.notifications.alerts import acknowledge, alerts_of, delete_rule, rule_fields, save_rule
from memories.services import MemoryAgent
from memsite.config.conf import get_conf
from memsite.http.bodies import Places
from memsite.http.exceptions import BeyondTheFeed, Conflict
from memsite.http.json_body import dump_json, parse_json, read_bounded
from memsite.http.signatures import BadSignature, secret_of, verify
from memsite.tenancy.access import Right
from memsite.tenancy.authentication import Principal, still_opens
from memsite.tenancy.models import Agent, ApiKey, App, AppStatus
from memsite.tenancy.row_level_security import confine
from sessions.recording import Said, source_key

EVENT_STREAM = "text/event-stream"
# A stream or a wait keeps a thread of the web server busy: not many of them, and none for long.
listeners = Places(4, "Too many clients wait for changes: ask without `wait`, or again in a moment.")
STREAM_SECONDS, HEARTBEAT_SECONDS, LOOK_EVERY_SECONDS = 60.0, 15.0, 0.5
LONGEST_WAIT_SECONDS = 25
RETRY_MILLISECONDS = 1000
MOST_NUMBER = 2**63 - 1
BEYOND = OpenApiResponse(Problem, description="`since` is beyond the app's last change: begin anew with a full read.")
SCOPE = "bridge"


class WebhookView(OperatorView):
    def webhook(self, app_id: str, uid: UUID) -> tuple[MemoryAgent, Webhook]:
        agent = self.agent_of(self.app_named(app_id))
        row = or_404(Webhook.objects.for_app(agent.app).filter(uid=uid).first())
        row.app = agent.app
        return agent, row


class Webhooks(WebhookView):
    creates = True

    @lists(WebhookShown, "list_webhooks")
    def get(self, request: Request, app_id: str) -> Response:
        return page(self, Webhook.objects.for_app(self.app_named(app_id)), WebhookShown.show)

    @extend_schema(request=NewWebhook, responses={201: WebhookWithSecret}, operation_id="create_webhook")
    def post(self, request: Request, app_id: str) -> Response:
        """An address that is told of what changes from now on. Its secret is shown this once, and can be renewed."""
        body = self.read(NewWebhook)
        agent = self.agent_of(self.app_named(app_id))

        def add() -> Answer:
            row = agent.add_webhook(body["url"], body["description"], body["events"])
            return 201, {**WebhookShown.show(row), "secret": secret_of(row.uid, row.secret_number)}

        return self.create_in_transaction(add, once="secret")


class OneWebhook(WebhookView):
    @extend_schema(responses=WebhookShown, operation_id="get_webhook")
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        return Response(WebhookShown.show(self.webhook(app_id, uid)[1]))

    @extend_schema(request=WebhookChanges, responses=WebhookShown, operation_id="change_webhook")
    def patch(self, request: Request, app_id: str, uid: UUID) -> Response:
        body = self.read(WebhookChanges)
        agent, row = self.webhook(app_id, uid)
        return Response(WebhookShown.show(agent.change_webhook(row, body)))

    @extend_schema(responses={200: Deleted}, operation_id="delete_webhook")
    def delete(self, request: Request, app_id: str, uid: UUID) -> Response:
        """With the log of what it was told."""
        agent, row = self.webhook(app_id, uid)
        agent.delete_webhook(row)
        return Response({"success": True, "deleted_count": 1})


class WebhookSecret(WebhookView):
    shown_once = "secret"

    @operation(request=None, responses=Secret, operation_id="renew_webhook_secret")
    def post(self, request: Request, app_id: str, uid: UUID) -> Response:
        """For a day messages are signed with both, the new one and the one before."""
        agent, row = self.webhook(app_id, uid)
        return Response({"secret": agent.renew_secret(row)})


class TestWebhook(WebhookView):
    @operation(request=None, responses={202: DeliveryShown}, operation_id="test_webhook")
    def post(self, request: Request, app_id: str, uid: UUID) -> Response:
        """Sends it a `webhook.test`."""
        agent, row = self.webhook(app_id, uid)
        return Response(DeliveryShown.show(agent.test_webhook(row)), status=202)


class Deliveries(WebhookView):
    @lists(DeliveryShown, "list_deliveries", OpenApiParameter("status", str, enum=DeliveryStatus.values))
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        """What it was told, the latest first. Kept for 30 days."""
        agent, webhook = self.webhook(app_id, uid)
        rows = Delivery.objects.for_app(agent.app).filter(webhook=webhook)
        return page(self, chosen(rows, request, status=DeliveryStatus.values), DeliveryShown.show)


class ReplayDelivery(WebhookView):
    @operation(request=None, responses={202: DeliveryShown}, operation_id="replay_delivery")
    def post(self, request: Request, app_id: str, uid: UUID) -> Response:
        """Sent again, under the same `webhook-id`, with all its attempts."""
        agent = self.agent_of(self.app_named(app_id))
        row = or_404(Delivery.objects.for_app(agent.app).filter(uid=uid).first())
        row.app = agent.app
        return Response(DeliveryShown.show(agent.replay(row)), status=202)


class Bridges(OperatorView):
    creates = True

    @lists(BridgeShown, "list_bridges")
    def get(self, request: Request, app_id: str) -> Response:
        return page(self, Bridge.objects.for_app(self.app_named(app_id)).select_related("agent"), show_bridge)

    @extend_schema(request=NewBridge, responses={201: BridgeWithSecret}, operation_id="create_bridge")
    def post(self, request: Request, app_id: str) -> Response:
        """A chat whose messages come in, signed. Its secret is shown this once, and can be renewed."""
        body = self.read(NewBridge)
        agent = self.agent_of(self.app_named(app_id))
        owner = Agent.objects.for_app(agent.app).live().filter(name=body["agent"]).first()
        if owner is None:
            raise ValidationError({"agent": ["The app has no agent of this name: add it first."]})

        def add() -> Answer:
            try:
                row = agent.add_bridge(body["name"], owner)
            except IntegrityError as error:
                raise Conflict("The app has a bridge of this name already.") from error
            return 201, {**show_bridge(row), "secret": secret_of(row.uid, row.secret_number)}

        return self.create_in_transaction(add, once="secret")


class BridgeView(OperatorView):
    def bridge(self, app_id: str, uid: UUID) -> tuple[MemoryAgent, Bridge]:
        agent = self.agent_of(self.app_named(app_id))
        return agent, or_404(Bridge.objects.for_app(agent.app).select_related("agent").filter(uid=uid).first())


class OneBridge(BridgeView):
    @extend_schema(responses={200: Deleted}, operation_id="delete_bridge")
    def delete(self, request: Request, app_id: str, uid: UUID) -> Response:
        """What came over it stays."""
        agent, row = self.bridge(app_id, uid)
        agent.delete_bridge(row)
        return Response({"success": True, "deleted_count": 1})


class BridgeSecret(BridgeView):
    shown_once = "secret"

    @operation(request=None, responses=Secret, operation_id="renew_bridge_secret")
    def post(self, request: Request, app_id: str, uid: UUID) -> Response:
        """The old one counts no more."""
        agent, row = self.bridge(app_id, uid)
        return Response({"secret": agent.renew_secret(row)})


class Changes(AgentView):
    scope = "read"
    content_negotiation_class = AnyAnswer

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
        given = request.headers.get("Last-Event-ID") or request.query_params.get("since")
        current = agent.current_change()
        number = current if given is None else whole("since", given, MOST_NUMBER)
        if number > current:
            raise BeyondTheFeed
        if EVENT_STREAM in request.headers.get("Accept", ""):
            key: Any = request.auth
            assert isinstance(key, ApiKey), "an agent comes with one"
            listeners.take()
            answer = StreamingHttpResponse(Events(agent, number, key), content_type=EVENT_STREAM)
            # No proxy may keep what is meant for now.
            answer["Cache-Control"], answer["X-Accel-Buffering"] = "no-store", "no"
            return answer
        wait = whole("wait", request.query_params.get("wait", "0"), LONGEST_WAIT_SECONDS)
        with listeners.counted() if wait else nullcontext():
            ends = time.monotonic() + wait
            changes, last = agent.changes_since(number)
            while not changes and time.monotonic() < ends:
                time.sleep(LOOK_EVERY_SECONDS)
                changes, last = agent.changes_since(number)
        return Response({"results": [show_change(change) for change in changes], "last": last})


@dataclass(eq=False)
class Events:
    """The body of a stream. Ends with its key, and gives its place back when nobody reads it any more."""

    agent: MemoryAgent
    since: int
    key: ApiKey
    is_open: bool = True

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield f"retry: {RETRY_MILLISECONDS}\nid: {self.since}\n\n".encode()
            ends = time.monotonic() + STREAM_SECONDS
            heard = time.monotonic()
            while (now := time.monotonic()) < ends and still_opens(self.key):
                changes, last = self.agent.changes_since(self.since)
                if last != self.since:
                    self.since, heard = last, now
                    yield (
                        b"".join(
                            b"event: %b\ndata: %b\n\n" % (change.kind.encode(), dump_json(show_change(change)))
                            for change in changes
                        )
                        + b"id: %d\n\n" % last
                    )
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


class BridgeAuthentication(BaseAuthentication):
    """Standard Webhooks over the whole body. A bridge that is not there answers like a wrong signature."""

    def authenticate(self, request: Request) -> tuple[Principal, Bridge]:
        body = read_bounded(request._request, get_conf().max_body_bytes)
        # The address names the bridge, and only its secret opens it: there is no app yet to ask for.
        rows = Bridge.objects.filter(uid=request.parser_context["kwargs"]["uid"], is_active=True)
        named = list(rows.select_related("agent__app__policy")[:2])
        try:
            if len(named) != 1 or named[0].agent.app.status != AppStatus.ACTIVE:
                raise BadSignature
            bridge = named[0]
            secret = secret_of(bridge.uid, bridge.secret_number)
            message_id = verify(request.headers, body, secret, timezone.now())
        except BadSignature as error:
            raise AuthenticationFailed("The signature is wrong or too old.") from error
        confine(bridge.app_id)
        signed: Any = request
        signed.signed_body, signed.message_id = body, message_id
        return Principal(name=bridge.name, scopes=frozenset({SCOPE}), agent=bridge.agent), bridge

    def authenticate_header(self, request: Request) -> str:
        return 'Signature realm="memsite"'


class ChatMessage(View):
    """`POST /hooks/{id}`: one message of a chat. Told twice, it is stored once."""

    scope = SCOPE
    authentication_classes = [BridgeAuthentication]
    parser_classes = [Unread]
    is_lenient = True

    # Not of the API, which keys open: docs/webhooks.md describes it.
    @extend_schema(exclude=True)
    def post(self, request: Request, uid: object) -> Response:
        signed: Any = request
        bridge: Bridge = signed.auth
        heard = validated(Heard, parse_json(signed.signed_body))
        agent = MemoryAgent(bridge.agent.app, bridge.agent, f"bridge:{bridge.name}")
        key = source_key(heard["message_id"] or signed.message_id, text=heard["text"])
        message = Said(heard["role"], heard["text"], key, heard["at"])
        place = "/".join(filter(None, (heard["channel"], heard["thread"])))
        captured = agent.hear_chat(bridge, place, heard["user"], [message])
        return Response({"stored": len(captured.resources)}, status=202)


STATES = ("open", "over")
STATE = OpenApiParameter("status", str, enum=STATES)


class AlertView(OperatorView):
    def app_asked(self, app_id: str | None) -> App | None:
        """Return the app that the address names. None: the whole site, for who operates all of it."""
        if app_id is not None:
            return self.app_named(app_id)
        if not self.caller().governs_all:
            raise PermissionDenied("Rules of the whole site are for who operates all of it.")
        return None


class RuleView(AlertView):
    def rule(self, app_id: str | None, uid: UUID) -> AlertRule:
        rows = AlertRule.objects.of(self.app_asked(app_id)).select_related("webhook", "app")
        return or_404(rows.filter(uid=uid).first())

    def save(self, rule: AlertRule, fields: dict[str, Any], before: dict[str, Any] | None = None) -> AlertRule:
        """Store what is given of a rule. ValidationError names each wrong field."""
        if uid := fields.get("webhook"):
            hooks = Webhook.objects.for_app(rule.app) if rule.app else Webhook.objects.all()
            fields["webhook"] = hooks.filter(uid=uid).first()
            if fields["webhook"] is None:
                raise ValidationError({"webhook": ["There is no webhook with this id."]})
        for name, value in fields.items():
            setattr(rule, name, value)
        try:
            return save_rule(rule, self.caller().actor, before)
        except ModelValidationError as error:
            raise ValidationError(error.message_dict) from error


class Rules(RuleView):
    creates = True

    @lists(AlertRuleShown, "list_alert_rules")
    def get(self, request: Request, app_id: str | None = None) -> Response:
        rows = AlertRule.objects.of(self.app_asked(app_id)).select_related("webhook", "app")
        return page(self, rows, AlertRuleShown.show)

    @extend_schema(request=NewAlertRule, responses={201: AlertRuleShown}, operation_id="create_alert_rule")
    def post(self, request: Request, app_id: str | None = None) -> Response:
        """What to tell, and whom: a webhook, e-mail addresses, the dashboard. It is looked at each minute."""
        body = self.read(NewAlertRule)
        app = self.app_asked(app_id)
        return self.create_in_transaction(lambda: (201, AlertRuleShown.show(self.save(AlertRule(app=app), body))))


class OneRule(RuleView):
    @extend_schema(responses=AlertRuleShown, operation_id="get_alert_rule")
    def get(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        return Response(AlertRuleShown.show(self.rule(app_id, uid)))

    @extend_schema(request=AlertRuleChanges, responses=AlertRuleShown, operation_id="change_alert_rule")
    def patch(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        body = self.read(AlertRuleChanges)
        rule = self.rule(app_id, uid)
        return Response(AlertRuleShown.show(self.save(rule, body, rule_fields(rule))))

    @extend_schema(responses={200: Deleted}, operation_id="delete_alert_rule")
    def delete(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        """With what it has found. Who was told that something began is not told that it is over."""
        delete_rule(self.rule(app_id, uid), self.caller().actor)
        return Response({"success": True, "deleted_count": 1})


class Alerts(AlertView):
    right = Right.CURATE

    def alerts(self, app_id: str | None = None) -> AlertQuerySet:
        """Return the alerts of an app, or of all that the caller operates; with those of the site if that is theirs."""
        of_site = self.caller().governs_all
        if app_id is None:
            return alerts_of(self.apps(), of_site=of_site)
        app = self.app_named(app_id)
        return alerts_of([app], of_site=of_site).filter(app=app)

    @lists(AlertShown, "list_alerts", STATE)
    def get(self, request: Request, app_id: str | None = None) -> Response:
        """What there is to tell, the latest first, and for 90 days what there was."""
        rows = self.alerts(app_id)
        if "status" in request.query_params:
            is_open = one_of("status", request.query_params["status"], STATES) == "open"
            rows = rows.filter(ended_at__isnull=is_open)
        return page(self, rows, AlertShown.show)


class AcknowledgeAlert(Alerts):
    http_method_names = ["post", "options"]

    @operation(request=None, responses=AlertShown, operation_id="acknowledge_alert")
    def post(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        """Somebody has seen it: it is counted no more. It ends by itself."""
        alert = or_404(self.alerts(app_id).filter(uid=uid).first())
        if alert.app:
            self.check_right(alert.app)
        return Response(AlertShown.show(acknowledge(alert, self.caller().actor, timezone.now())))


@extend_schema_view(
    get=extend_schema(operation_id="list_site_alert_rules"), post=extend_schema(operation_id="create_site_alert_rule")
)
class SiteRules(Rules):
    """Rules that watch all apps."""


@extend_schema_view(
    get=extend_schema(operation_id="get_site_alert_rule"),
    patch=extend_schema(operation_id="change_site_alert_rule"),
    delete=extend_schema(operation_id="delete_site_alert_rule"),
)
class OneSiteRule(OneRule):
    """One of them."""


@extend_schema_view(get=extend_schema(operation_id="list_all_alerts"))
class AllAlerts(Alerts):
    """Alerts of all apps that the caller operates."""


@extend_schema_view(post=extend_schema(operation_id="acknowledge_any_alert"))
class AcknowledgeAny(AcknowledgeAlert):
    """One of them."""
