"""Operators' endpoints for apps, their agents and keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import Answer, OperatorView, or_404
from memories.api.pagination import flag, one_of, page
from memories.api.schema import lists, operation
from memories.api.serializers.apps import (
    AGENT_STATUSES,
    AgentChanges,
    AgentShown,
    AgentWithKey,
    AppChanges,
    AppCountedShown,
    AppShown,
    KeyShown,
    NewAgent,
    NewApp,
    NewKey,
    Purged,
    PurgeShown,
    policy_with,
    show_agent,
    show_app,
    show_counted,
    show_purge,
    show_purged,
)
from memories.api.serializers.memories import Deleted
from memories.models import Bridge, Purge
from memories.services.apps import figures_of
from memsite.http.exceptions import Conflict
from memsite.tenancy import governance
from memsite.tenancy.governance import NameTaken, audited
from memsite.tenancy.idempotency import Slot
from memsite.tenancy.keys import NewKey as IssuedKey
from memsite.tenancy.keys import TooManyKeys
from memsite.tenancy.models import Agent, ApiKey, App, AppPolicy, AppStatus


class Apps(OperatorView):
    creates = True

    @lists(AppCountedShown, "list_apps")
    def get(self, request: Request) -> Response:
        """With what waits in each, how full it is, and what it took in, gave out and cost lately."""
        answer = page(self, self.apps(), lambda app: app, ordering="-created_at")
        answer.data["results"] = [show_counted(app) for app in figures_of(answer.data["results"], timezone.now())]
        return answer

    @extend_schema(request=NewApp, responses={201: AppShown}, operation_id="create_app")
    def post(self, request: Request) -> Response:
        caller = self.caller()
        if caller.agent:
            raise PermissionDenied("An agent's key administers its own app only.")
        if not caller.governs_all:
            raise PermissionDenied("Only a superuser makes apps.")
        body = self.read(NewApp)
        return self.create_in_transaction(lambda: create_app(body, caller.actor))


def create_app(body: dict[str, Any], actor: str) -> Answer:
    policy = policy_with(AppPolicy(), body["preset"], body["policy"])
    try:
        app = governance.create_app(body["app_id"], body["name"], body["preset"], policy, actor)
    except governance.Uninstalled as error:
        raise Conflict(how_to_install_again(error.app)) from error
    except NameTaken as error:
        raise Conflict("There is an app with this app_id already.") from error
    return 201, show_app(app)


def how_to_install_again(app: App) -> str:
    if app.status == AppStatus.PURGING:
        return "The app with this app_id is uninstalled and being purged: it can be installed again when that is done."
    address = f"PATCH /api/v1/apps/{app.app_id}"
    return (
        "There is an app with this app_id, and it is uninstalled. It is installed again, with its policy, agents, keys "
        f'and what it still knows, by {address} with {{"status": "active"}}.'
    )


class OneApp(OperatorView):
    @extend_schema(responses=AppShown, operation_id="get_app")
    def get(self, request: Request, app_id: str) -> Response:
        return Response(show_app(self.app_named(app_id)))

    @extend_schema(request=AppChanges, responses=AppShown, operation_id="change_app")
    def patch(self, request: Request, app_id: str) -> Response:
        body = self.read(AppChanges)
        app = self.app_named(app_id)
        with audited(self.caller().actor, app):
            app = self.app_named(app_id)
            if app.status == AppStatus.PURGING:
                raise Conflict("The app is being purged: it can be changed when that is done.")
            policy = policy_with(app.policy, body.get("preset"), body.get("policy", {}))
            for field in ("name", "preset", "status"):
                setattr(app, field, body.get(field, getattr(app, field)))
            app.save(update_fields=["name", "preset", "status"])
            policy.save()
        return Response(show_app(app))

    @operation(
        responses={200: Deleted},
        parameters=[OpenApiParameter("purge_memories", bool, description="Also delete what it knows and was told.")],
        operation_id="uninstall_app",
    )
    def delete(self, request: Request, app_id: str) -> Response:
        """Its keys stop working; what it knows stays, unless `purge_memories=true`. PATCH status to undo it."""
        purge = flag(request, "purge_memories")
        app = self.app_named(app_id)
        with audited(self.caller().actor, app):
            App.objects.filter(pk=app.pk, status=AppStatus.ACTIVE).update(status=AppStatus.UNINSTALLED)
        app.refresh_from_db(fields=["status"])
        deleted = self.agent_of(app).purge_app().counts["memories"] if purge else 0
        return Response({"success": True, "deleted_count": deleted})


class AppUser(OperatorView):
    @extend_schema(responses={200: Purged}, operation_id="erase_user")
    def delete(self, request: Request, app_id: str, user_id: str) -> Response:
        """Erases an end user: their sessions with every text and turn, and all that is known about or from them.

        Nobody sees any of it from the moment of the answer; what takes long is deleted in the background.
        """
        return Response(show_purged(self.agent_of(self.app_named(app_id)).purge_user(user_id)))


class Purges(OperatorView):
    @lists(PurgeShown, "list_purges")
    def get(self, request: Request, app_id: str) -> Response:
        """What was deleted for good, when, and by whom."""
        return page(self, Purge.objects.for_app(self.app_named(app_id)), show_purge)


class Agents(OperatorView):
    creates = True

    @lists(AgentShown, "list_agents", OpenApiParameter("status", str, enum=AGENT_STATUSES))
    def get(self, request: Request, app_id: str) -> Response:
        """Those that are not deleted, unless `status` is deleted."""
        status = one_of("status", request.query_params.get("status", "active"), AGENT_STATUSES)
        rows = Agent.objects.for_app(self.app_named(app_id)).filter(deleted_at__isnull=status == "active")
        return page(self, rows.prefetch_related("keys"), show_agent, ordering="name")

    @extend_schema(request=NewAgent, responses={201: AgentWithKey}, operation_id="create_agent")
    def post(self, request: Request, app_id: str) -> Response:
        app, body = self.app_named(app_id), self.read(NewAgent)
        return self.create_once(lambda slot: create_agent(app, body, slot, self.caller().actor))


def create_agent(app: App, body: dict[str, Any], slot: Slot, actor: str) -> Answer:
    with transaction.atomic(), names_free(app, body["name"]):
        return show_once(*governance.create_agent(app, **body, actor=actor), slot)


@contextmanager
def names_free(app: App, name: str | None) -> Iterator[None]:
    """Raise a conflict for a name that the app has already."""
    try:
        yield
    except governance.DeletedBefore as error:
        address = f"PATCH /api/v1/apps/{app.app_id}/agents/{name}"
        raise Conflict(
            "The app had an agent of this name, and what it wrote still names it: choose another name, or bring it "
            f'back by {address} with {{"status": "active"}}.'
        ) from error
    except NameTaken as error:
        raise Conflict("The app has an agent of this name already.") from error


class OneAgent(OperatorView):
    def agent(self, app_id: str, name: str) -> Agent:
        app = self.app_named(app_id)
        agent = or_404(Agent.objects.for_app(app).filter(name=name).prefetch_related("keys").first())
        agent.app = app
        return agent

    @extend_schema(responses=AgentShown, operation_id="get_agent")
    def get(self, request: Request, app_id: str, name: str) -> Response:
        return Response(show_agent(self.agent(app_id, name)))

    @extend_schema(request=AgentChanges, responses=AgentShown, operation_id="change_agent")
    def patch(self, request: Request, app_id: str, name: str) -> Response:
        """Renames it, changes what its keys may do, or brings it back. Revisions go on naming it as it was called."""
        agent, changes = self.agent(app_id, name), self.read(AgentChanges)
        if changes.pop("status", None):
            changes["deleted_at"] = None
        elif agent.deleted_at:
            raise Conflict('It was deleted: bring it back with {"status": "active"} first.')
        with names_free(agent.app, changes.get("name")):
            governance.change_agent(agent, changes, self.caller().actor)
        return Response(show_agent(self.agent(app_id, agent.name)))

    @extend_schema(responses={200: AgentShown}, operation_id="delete_agent")
    def delete(self, request: Request, app_id: str, name: str) -> Response:
        """Its keys stop working at once. What it wrote stays, and goes on naming it."""
        agent = self.agent(app_id, name)
        bridges = Bridge.objects.for_app(agent.app).filter(agent=agent).values_list("name", flat=True)
        if bridges:
            raise Conflict(f"Bridges speak as this agent: delete them first ({', '.join(bridges)}).")
        governance.delete_agent(agent, self.caller().actor)
        return Response(show_agent(self.agent(app_id, name)))


def show_once(agent: Agent, issued: IssuedKey, slot: Slot) -> Answer:
    """Return the answer with the key. What is kept for a repetition has none, for a key is stored nowhere."""
    answer = {
        "id": agent.name,
        "name": agent.name,
        "domain": agent.domain,
        "tier": agent.tier,
        "scopes": issued.row.scopes,
        "prefix": issued.row.prefix,
        "expires_at": issued.row.expires_at,
        "api_key": issued.text,
    }
    slot.keep(201, {**answer, "api_key": None})
    return 201, answer


class Keys(OperatorView):
    creates = True

    @lists(KeyShown, "list_keys")
    def get(self, request: Request, app_id: str, name: str) -> Response:
        return page(self, ApiKey.objects.filter(agent=self.agent(app_id, name)), KeyShown.show, ordering="prefix")

    @extend_schema(request=NewKey, responses={201: AgentWithKey}, operation_id="create_key")
    def post(self, request: Request, app_id: str, name: str) -> Response:
        """A second key, so that the first can be replaced while it still works."""
        agent, body = self.agent(app_id, name), self.read(NewKey)
        return self.create_once(lambda slot: issue_key(agent, body, slot, self.caller().actor))

    def agent(self, app_id: str, name: str) -> Agent:
        return or_404(Agent.objects.for_app(self.app_named(app_id)).live().filter(name=name).first())


def issue_key(agent: Agent, body: dict[str, Any], slot: Slot, actor: str) -> Answer:
    if body["expires_at"] and body["expires_at"] <= timezone.now():
        raise ValidationError({"expires_at": ["Lies in the past."]})
    with transaction.atomic():
        try:
            issued = governance.issue_key(agent, body["scopes"], body["expires_at"], actor)
        except TooManyKeys as error:
            raise Conflict("The agent has two live keys already: revoke one first.") from error
        return show_once(agent, issued, slot)


class OneKey(OperatorView):
    @extend_schema(responses={200: KeyShown}, operation_id="revoke_key")
    def delete(self, request: Request, prefix: str) -> Response:
        """Revoked at once in every process; a key that is revoked already stays so."""
        keys, caller = ApiKey.objects.filter(prefix=prefix).select_related("agent__app"), self.caller()
        key = or_404((keys if caller.governs_all else keys.filter(agent__app__in=caller.apps())).first())
        if key.agent:
            self.check_right(key.agent.app)
        governance.revoke_key(key, caller.actor)
        key.refresh_from_db()
        return Response(KeyShown.show(key))
