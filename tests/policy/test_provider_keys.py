"""Keys and addresses of providers come from the environment, and go to the provider: nowhere else."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client, override_settings
from rest_framework.test import APIClient

from memsite.config.conf import Conf, get_conf
from tests.conftest import Caller
from tests.policy.test_routes import ROUTES, example

NEEDLE = "sk-zqneedle-000"
NAMES = ("llm_api_key", "embedder_api_key", "previous_embedder_api_key", "llm_url", "embedder_url")


@pytest.fixture
def answers() -> Any:
    given = {name: f"https://{NEEDLE}.example" if name.endswith("url") else NEEDLE for name in NAMES}
    with override_settings(MEMSITE=replace(get_conf(), **given)):
        yield


def test_no_table_has_a_place_for_them() -> None:
    columns = {f"{model.__name__}.{field.name}" for model in apps.get_models() for field in model._meta.fields}
    assert len(columns) > 300
    assert {name for name in columns if "api_key" in name.lower() or "provider_url" in name.lower()} == set()


def test_whoever_writes_down_the_settings_writes_down_no_secret(answers: None) -> None:
    secrets = {field.name for field in fields(Conf) if field.name.endswith(("_key", "_token"))}
    assert len(secrets) >= 5
    given = dict.fromkeys(secrets | {"database_url"}, f"postgresql://{NEEDLE}") | {"broker_url": f"redis://{NEEDLE}"}
    conf = replace(get_conf(), **given)
    for text in (repr(conf), repr(conf.llm_settings), repr(conf.embedder_settings)):
        assert NEEDLE not in text.replace(f"https://{NEEDLE}", "")


@pytest.mark.long
def test_no_page_and_no_endpoint_shows_them(answers: None, alice: Caller, operator: APIClient) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(User.objects.create_superuser("sue", password="seven-green-bottles"))
    displayed = []
    for address in ROUTES:
        path = example(address).replace("/x", "/acme") if "app_id" in address else example(address)
        for client in (browser, operator, alice.client):
            answer = client.get(path, follow=True)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            if NEEDLE.encode() in body:
                displayed.append(path)
    assert displayed == []
