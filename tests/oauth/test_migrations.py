"""Grants from before there were families of tokens go on."""

from __future__ import annotations

from importlib import import_module

from django.apps import apps

from memsite.oauth.models import OAuthClient, OAuthGrant
from memsite.tenancy.keys import create_key
from tests.conftest import Caller


def test_a_token_that_is_out_there_begins_its_family(alice: Caller) -> None:
    client = OAuthClient.objects.create(client_id="c", metadata={})
    key = create_key(alice.agent, ["read"]).row
    OAuthGrant.objects.create(client=client, agent=alice.agent, allowed_by="operator:o", key=key, refresh_hash="h")
    import_module("memsite.oauth.migrations.0002_families_of_tokens").begin_families(apps, None)
    assert OAuthGrant.objects.get().family_hash == "h"
