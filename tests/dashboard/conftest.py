"""People at the desk: olga owns acme, ed edits it, vera views it, otto owns globex, sue may do everything."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memsite.tenancy.models import App, Membership
from tests.conftest import Caller


def sign_in(name: str, **flags: Any) -> Client:
    """A browser of a new user."""
    client = Client()
    client.force_login(User.objects.create_user(name, **flags))
    return client


def member(name: str, app: App, role: str, **flags: Any) -> Client:
    client = sign_in(name, **flags)
    Membership.objects.create(app=app, user=User.objects.get(username=name), role=role)
    return client


@pytest.fixture
def olga(alice: Caller) -> Client:
    return member("olga", alice.app, "owner")


@pytest.fixture
def ed(alice: Caller) -> Client:
    return member("ed", alice.app, "editor")


@pytest.fixture
def vera(alice: Caller) -> Client:
    return member("vera", alice.app, "viewer")


@pytest.fixture
def otto(charlie: Caller) -> Client:
    return member("otto", charlie.app, "owner")


@pytest.fixture
def sue(db: None) -> Client:
    return sign_in("sue", is_superuser=True, is_staff=True)
