"""Apps with something on every page that can be acted on: made in the database of the site that is looked at."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from memories.models import Alert, AlertRule, Extraction, Rejection
from memories.store import Candidate, writing
from memsite.jobs.models import JobRun
from memsite.tenancy.models import Agent, App, AppPolicy
from memsite.tenancy.policy import preset_values
from sessions.models import AgentSession, Cooldown, Resource

APPS = (
    "curated", "settled", "again", "overtaken", "poisoned", "alerts", "runs", "governing", "moving", "taking", "typed",
    "near", "far",
)  # fmt: skip
"""One for each test that acts."""
SAID = ("Caddy listens on port 443", "Backups run at two in the morning", "The database is on the second disk")


def app_of(name: str) -> str:
    """Return the end of the addresses of its pages."""
    assert name in APPS
    return f"?app={name}"


def new_app(name: str) -> App:
    app = App.objects.create(app_id=name, name=name.title())
    AppPolicy.objects.create(app=app, **(preset_values(app.preset) | {"capture_summaries": True}))
    return app


def furnish(name: str) -> None:
    app, now = new_app(name), timezone.now()
    agent = Agent.objects.create(app=app, name="robot")
    with writing(app, "operator:test", now) as write:
        for text in (*SAID, "The database lies on the second disk, too"):
            write.create(Candidate(content=text, category="config", agent=agent))
    session = AgentSession.objects.create(app=app, agent=agent, title="A round")
    own = {"app": app, "session": session}
    resource = Resource.objects.create(**own, role="user", raw_content="I am vegan.", content_at=now, source_key="1")
    Extraction.objects.create(**own, resource=resource, status="dead", reason="the model was away")
    Cooldown.objects.create(**own, agent=agent, action="restart", service="caddy", until=now + timedelta(days=1))
    Rejection.objects.create(
        **own, kind="fact", category="work", content="Perhaps it rains", reason="chatter",
        candidate={"content": "It rains"},
    )  # fmt: skip
    rule = AlertRule.objects.create(app=app, kind="app_full")
    Alert.objects.create(app=app, rule=rule, text=f"{name} holds 4 of 4 memories", value=1, mail_error="nobody there")
    due = {"app": app, "until": now, "fired_by": "beat"}
    JobRun.objects.create(**due, job="weekly", period="one", status="dead", reason="unexpected KeyError")
    JobRun.objects.create(**due, job="monthly", period="one")
    User.objects.get_or_create(username="vera")
