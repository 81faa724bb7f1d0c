"""People at the desk: olga owns acme, ed edits it, vera views it, otto owns globex, sue may do everything."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from memories.dashboard import lists
from memsite.tenancy.models import App, Membership
from tests.conftest import Caller


def sign_in(name: str, **flags: Any) -> Client:
    """A browser of a new user, with no more of a session than one who has signed in."""
    user = User.objects.create_user(name, **flags)
    session = SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session.save(must_create=True)
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
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


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists have five rows on a page."""
    monkeypatch.setattr(lists.keyset_page, "__defaults__", (5, *(lists.keyset_page.__defaults__ or ())[1:]))
