"""Operators' doors to webhooks, what they were told, and the bridges of chats."""

from __future__ import annotations

from uuid import UUID

from django.db import IntegrityError
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.agent import MemoryAgent
from memories.api.base import Answer, OperatorView, found
from memories.api.pages import chosen, page
from memories.api.schema import lists, operation
from memories.api.shapes.memories import Deleted
from memories.api.shapes.webhooks import (
    BridgeShown,
    BridgeWithSecret,
    DeliveryShown,
    NewBridge,
    NewWebhook,
    Secret,
    WebhookChanges,
    WebhookShown,
    WebhookWithSecret,
    show_bridge,
    show_delivery,
    show_webhook,
)
from memories.models import Bridge, Delivery, DeliveryStatus, Webhook
from memsite.http.exceptions import Conflict
from memsite.http.signatures import secret_of
from memsite.tenancy.models import Agent


class WebhookView(OperatorView):
    def webhook(self, app_id: str, uid: UUID) -> tuple[MemoryAgent, Webhook]:
        agent = self.agent_of(self.app_named(app_id))
        row = found(Webhook.objects.for_app(agent.app).filter(uid=uid).first())
        row.app = agent.app
        return agent, row


class Webhooks(WebhookView):
    creates = True

    @lists(WebhookShown, "list_webhooks")
    def get(self, request: Request, app_id: str) -> Response:
        return page(self, Webhook.objects.for_app(self.app_named(app_id)), show_webhook)

    @extend_schema(request=NewWebhook, responses={201: WebhookWithSecret}, operation_id="create_webhook")
    def post(self, request: Request, app_id: str) -> Response:
        """An address that is told of what changes from now on. Its secret is shown this once, and can be renewed."""
        body = self.read(NewWebhook)
        agent = self.agent_of(self.app_named(app_id))

        def add() -> Answer:
            row = agent.add_webhook(body["url"], body["description"], body["events"])
            return 201, {**show_webhook(row), "secret": secret_of(row.uid, row.secret_number)}

        return self.create_in_transaction(add, once="secret")


class OneWebhook(WebhookView):
    @extend_schema(responses=WebhookShown, operation_id="get_webhook")
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        return Response(show_webhook(self.webhook(app_id, uid)[1]))

    @extend_schema(request=WebhookChanges, responses=WebhookShown, operation_id="change_webhook")
    def patch(self, request: Request, app_id: str, uid: UUID) -> Response:
        body = self.read(WebhookChanges)
        agent, row = self.webhook(app_id, uid)
        return Response(show_webhook(agent.change_webhook(row, body)))

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
        return Response(show_delivery(agent.test_webhook(row)), status=202)


class Deliveries(WebhookView):
    @lists(DeliveryShown, "list_deliveries", OpenApiParameter("status", str, enum=DeliveryStatus.values))
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        """What it was told, the latest first. Kept for 30 days."""
        agent, webhook = self.webhook(app_id, uid)
        rows = Delivery.objects.for_app(agent.app).filter(webhook=webhook)
        return page(self, chosen(rows, request, status=DeliveryStatus.values), show_delivery)


class ReplayDelivery(WebhookView):
    @operation(request=None, responses={202: DeliveryShown}, operation_id="replay_delivery")
    def post(self, request: Request, app_id: str, uid: UUID) -> Response:
        """Sent again, under the same `webhook-id`, with all its attempts."""
        agent = self.agent_of(self.app_named(app_id))
        row = found(Delivery.objects.for_app(agent.app).filter(uid=uid).first())
        row.app = agent.app
        return Response(show_delivery(agent.replay(row)), status=202)


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
        owner = Agent.objects.for_app(agent.app).filter(name=body["agent"]).first()
        if owner is None:
            raise ValidationError({"agent": ["The app has no agent of this name: add it first."]})
        return self.create_in_transaction(lambda: add_bridge(agent, body["name"], owner), once="secret")


def add_bridge(agent: MemoryAgent, name: str, owner: Agent) -> Answer:
    try:
        row = agent.add_bridge(name, owner)
    except IntegrityError as error:
        raise Conflict("The app has a bridge of this name already.") from error
    return 201, {**show_bridge(row), "secret": secret_of(row.uid, row.secret_number)}


class BridgeView(OperatorView):
    def bridge(self, app_id: str, uid: UUID) -> tuple[MemoryAgent, Bridge]:
        agent = self.agent_of(self.app_named(app_id))
        return agent, found(Bridge.objects.for_app(agent.app).select_related("agent").filter(uid=uid).first())


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
