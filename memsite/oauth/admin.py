"""Clients that were let in, for operators: deleting one ends it at once."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from memsite.admin_site import SiteAdmin, column
from memsite.oauth.models import OAuthGrant
from memsite.tenancy.access import Right, actor_of
from memsite.tenancy.audit import note


@admin.register(OAuthGrant)
class ConnectedClients(SiteAdmin[OAuthGrant]):
    app_path = "agent__app"
    right = Right.GOVERN
    list_display = ("client", "agent", "app", "scopes", "allowed_by", "created_at", "refreshed_at")
    list_select_related = ("client", "agent__app")
    actions = None
    forbidden = ("add", "change")

    app = column("app", lambda grant: grant.agent.app.app_id)

    def delete_model(self, request: HttpRequest, obj: OAuthGrant) -> None:
        note(actor_of(request.user), obj.agent.app, "client disconnected", str(obj))
        obj.end()
