"""Nothing that belongs to an app is read without saying whose: checked in the source itself."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

from memsite.tenancy.scoping import Scoped, ScopedQuerySet
from tests.tables import each_row

ROOT = Path(__file__).resolve().parents[2]
SCOPED = {model.__name__ for model in apps.get_models() if issubclass(model, Scoped)}
MANAGERS = ("objects", "_default_manager", "_base_manager")
SAFE = {"for_app", "for_apps", "going", "create", "bulk_create"}
# Where every app is meant, and why that is right.
ALLOWED: dict[tuple[str, str], str] = {
    ("memories/api/collector.py", "LedgerEntry.objects.filter"): "metrics count over all apps, and name none",
    ("memories/api/collector.py", "Extraction.objects.filter"): "metrics count over all apps, and name none",
    ("memories/api/collector.py", "Delivery.objects.filter"): "metrics count over all apps, and name none",
    ("memories/api/collector.py", "Rejection.objects.filter"): "metrics count over all apps, and name none",
    ("memories/api/collector.py", "EnergyUse.objects.filter"): "metrics count over all apps, and name none",
    ("memories/maintain/housekeeping.py", "Purge.objects.open"): "which apps have a purge to be finished",
    (
        "memories/retrieve/pipeline.py",
        "Memory.objects.filter",
    ): "which other apps have shared memories, where both share",
    ("memories/jobs.py", "Extraction.objects.due"): "which apps have something to learn",
    ("memories/jobs.py", "Document.objects.due"): "which apps have files to be read",
    ("memories/capture/extraction_queue.py", "Extraction.objects.due"): "in which apps texts are to be tried again now",
    (
        "memories/capture/extraction_queue.py",
        "Extraction.objects.filter",
    ): "what waits for a budget in apps that ask no model",
    (
        "memories/maintain/housekeeping.py",
        "Import.objects.filter",
    ): "files that nobody goes on sending, of whatever app",
    ("memories/jobs.py", "Import.objects.open"): "which apps have a file to be taken in",
    ("memories/jobs.py", "Rollback.objects.open"): "which apps have something to be taken back",
    ("memories/jobs.py", "Webhook.objects.behind"): "which apps have something to tell",
    ("memories/jobs.py", "Delivery.objects.due"): "which apps have messages to send",
    ("memories/maintain/housekeeping.py", "Delivery.objects.filter"): "what was told long ago, of whatever app",
    (
        "memories/api/views/webhooks.py",
        "Bridge.objects.filter",
    ): "only the address is known yet, and only its secret opens it",
    ("memories/jobs.py", "SummaryDue.objects.order_by"): "which apps have a summary to write",
    (
        "memories/ledger/__init__.py",
        "LedgerEntry.objects.order_by",
    ): "whether the service answers, whatever app asks it",
    (
        "memories/maintain/stale_summaries.py",
        "Memory.objects.active",
    ): "in which apps memories have run out or begun to hold",
    ("memories/maintain/stale_summaries.py", "Summary.objects.current"): "which apps have summaries of these",
    ("memories/maintain/stale_summaries.py", "SummaryDue.objects.filter"): "of which of them it is known",
    ("memories/maintain/embedding.py", "Memory.objects.warm"): "in which apps something lacks its vector",
    (
        "memories/maintain/embedding.py",
        "Vector.objects.filter",
    ): "what has a vector, and in which apps another model of that name has made some",
    ("memories/jobs.py", "AlertRule.objects.exists"): "whether any app, or the site, has a rule",
    **{
        ("memories/notifications/alerts.py", use): "rules are looked at over all apps together, and for the site"
        for use in (
            "Alert.objects.filter",
            "Alert.objects.open",
            "AlertRule.objects.filter",
            "Extraction.objects.filter",
            "LedgerEntry.objects.filter",
            "LedgerEntry.objects.order_by",
            "Rejection.objects.filter",
        )
    },
    ("memories/notifications/alerts.py", "Alert.objects.select_related"): "of the apps that the caller may see",
    ("memories/api/views/webhooks.py", "AlertRule.objects.of"): "of the app named, or of the site for who operates it",
    ("memories/api/views/webhooks.py", "Webhook.objects.all"): "rules of the site may name any app's",
    ("memories/jobs.py", "AgentSession.objects.active"): "which apps have sessions that fell silent",
}


def sources() -> list[Path]:
    files = [path for folder in ("memories", "sessions") for path in (ROOT / folder).rglob("*.py")]
    outside = ("migrations", "tests", "admin")
    return [
        path for path in files if not set(outside) & {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}
    ]


def model_of(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def uses(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """`Model.objects.method` (or just `Model.objects` where nothing follows) of scoped models, with the line."""
    following = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in MANAGERS:
            model = model_of(node.value)
            if model in SCOPED or model in ("cls", "model", "self"):
                yield f"{model}.{node.attr}.{following.get(id(node), '')}".rstrip("."), node.lineno


@cache
def uses_in(text: str) -> list[tuple[str, int]]:
    return list(uses(ast.parse(text))) if any(name in text for name in MANAGERS) else []


def violations(text: str, name: str) -> list[str]:
    return [
        f"{name}:{line}: {use}"
        for use, line in uses_in(text)
        if use.split(".")[-1] not in SAFE and (name, use) not in ALLOWED
    ]


def test_the_models_of_an_app_are_known() -> None:
    assert {"Memory", "Vector", "Revision", "Link", "Injection", "Rejection", "Agent"} <= SCOPED
    assert {"AgentSession", "Turn", "Resource", "Event"} <= SCOPED


def test_every_model_of_an_app_can_be_asked_for_one() -> None:
    for model in apps.get_models():
        if issubclass(model, Scoped):
            assert isinstance(model._default_manager.none(), ScopedQuerySet), model


def test_every_row_that_agents_see_belongs_to_an_app() -> None:
    unscoped = {
        model.__name__
        for model in apps.get_models()
        if model._meta.app_label in ("memories", "agent_sessions") and not issubclass(model, Scoped)
    }
    assert unscoped == set()


@each_row("path", sources())
def test_rows_of_an_app_are_read_through_for_app(path: Path) -> None:
    assert violations(path.read_text(), str(path.relative_to(ROOT))) == []


def test_every_exception_is_still_needed() -> None:
    used = {(str(path.relative_to(ROOT)), use) for path in sources() for use, _ in uses_in(path.read_text())}
    assert ALLOWED.keys() <= used


@pytest.mark.parametrize(
    "text",
    [
        "Memory.objects.all()",
        "Memory.objects.filter(pk=1)",
        "models.Memory.objects.get(pk=1)",
        "rows = Memory.objects",
        "Memory._base_manager.filter(pk=1)",
        "cls.objects.filter(pk=1)",
    ],
)
def test_the_check_finds_what_it_looks_for(text: str) -> None:
    assert violations(text, "x.py") != []


def test_the_check_lets_pass_what_is_right() -> None:
    text = "Memory.objects.for_app(app).filter(pk=1); Link.objects.create(app=app); App.objects.get(pk=1)"
    assert violations(text, "x.py") == []
