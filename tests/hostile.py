"""An app whose every stored text is hostile: a hundred strings, each in every field of every table that pages show."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db import models
from django.utils import timezone

from memories.models import (
    Alert,
    AlertRule,
    Document,
    Entity,
    Extraction,
    FutureTrigger,
    HealthReport,
    Injection,
    LedgerEntry,
    Memory,
    Mention,
    Passage,
    Preload,
    Rejection,
    Revision,
    Rollback,
    Summary,
    SummaryDue,
)
from memories.store import Candidate, writing
from memories.store.revisions import learnt_in
from memsite.tenancy.models import Agent, App, AuditEntry
from sessions.models import AgentSession, Cooldown, Event, Resource, Turn

BARE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<svg/onload=alert(1)//",
    "<iframe src=javascript:alert(1)>", "<body onload=alert(1)>", "<a href=javascript:alert(1)>go</a>",
    "<math><mi//xlink:href=data:x,alert(1)>", "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//evil.example>", "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<form action=//evil.example>",
    "<input autofocus onfocus=alert(1)>", "<details open ontoggle=alert(1)>", "<div hx-get=/logout hx-trigger=load>",
    "<div hx-on:click=alert(1)>", "<p style=position:fixed;inset:0>", "<template><img src=x></template>", "<!--",
    "--><b>", "<![CDATA[x", "</title><b>", "</textarea><b>", "</td></tr></table><b>", "</main></body></html>",
    "{{ 7*7 }}", "{% include 'base.html' %}", "{# x #}", "${7*7}", "#{7*7}", "[[7*7]]", "%s%n%x", "%00", "\\u003cb>",
    "&lt;b&gt;", "&#60;b&#62;", "&amp;lt;", "javascript:alert(1)", "data:text/html,<b>", "' OR 1=1 --",
    "\"; DROP TABLE x;",
    "`id`", "$(id)", "../../etc/passwd", "\u202egnp.exe", "\ufeffx", "a\u200bb", "\u2028x", "x" * 300,
)  # fmt: skip
HOSTILE = (*BARE, *(f"\"'><{text}" for text in BARE))
"""A hundred. The second half breaks out of attributes first."""


def make(model: Any, text: str, **given: Any) -> Any:
    row = hostile_row(model, text, **given)
    row.save(force_insert=True)
    return row


def hostile_row(model: Any, text: str, **given: Any) -> Any:
    """A row whose every text is this one, cut where the field is shorter, but for what is given."""
    fields = {field.name: field for field in model._meta.concrete_fields if field.name not in given}
    for name, field in fields.items():
        if isinstance(field, models.CharField | models.TextField) and not field.choices:
            given[name] = text[: field.max_length] if field.max_length else text
        elif isinstance(field, models.JSONField):
            given[name] = {text: text}
    return model(**given)


def fill(app: App) -> None:
    App.objects.filter(pk=app.pk).update(name=HOSTILE[1])
    # The name of an agent is letters and digits.
    agent = Agent.objects.create(app=app, name="agent")
    session = make(AgentSession, "first", app=app, agent=agent, title="All of it")
    rows = [row for number, text in enumerate(HOSTILE, 1) for row in add(app, agent, session, number, text)]
    for model in dict.fromkeys(map(type, rows)):
        model.objects.bulk_create([row for row in rows if type(row) is model])
    HealthReport.objects.create(app=app, period="2020-01-01", content={})


def add(app: App, agent: Agent, session: AgentSession, number: int, text: str) -> Iterator[models.Model]:
    """Make the rows of one text. Yield those, not stored yet, to which no other row points."""
    now = timezone.now()
    own = {"app": app, "session": session}
    yield hostile_row(AgentSession, text, app=app, agent=agent, external_id=f"{number}")
    calls = [{"name": text, "input": {text: text}, "result": text}, text]
    yield hostile_row(Turn, text, **own, number=number, fingerprint="", tool_calls=calls)
    message = f"{text} {number}"
    resource = make(Resource, message, **own, turn_number=number, role="user", content_at=now, source_key=f"{number}")
    yield hostile_row(Event, text, **own, turn_number=number, level="warning")
    yield hostile_row(Event, text, **own)
    yield hostile_row(
        Cooldown, text, **own, agent=agent, until=now + timedelta(hours=1), service=f"{number} {text}"[:200]
    )
    memory = remember(app, agent, session, resource, number, message)
    said_of_it = {"content": text, "subject": text[:200], "tags": [text], "metadata": {text: text}}
    changed = {"before": said_of_it, "after": said_of_it, "number": memory.version + 1}
    yield hostile_row(Revision, text, app=app, memory=memory, action="edited", **changed)
    Memory.objects.filter(pk=memory.pk).update(version=memory.version + 1)
    yield hostile_row(
        Injection, text, **own, memory=memory, turn_number=number, used=True, word_share=0.5, block="turn"
    )
    yield hostile_row(Injection, text, **own, memory=memory, block="ops")
    yield hostile_row(
        Rejection,
        text,
        **own,
        resource=resource,
        turn_number=number,
        category="work",
        candidate={"content": text},
        scores={text[:80]: 0.5},
    )
    yield hostile_row(Extraction, text, app=app, session=session, resource=resource, status="dead")
    trigger = make(FutureTrigger, text, **own, resource=resource, trigger_date=now.date(), rule="", agent=agent)
    yield hostile_row(Preload, text, app=app, trigger=trigger, memory=memory)
    entity = make(Entity, text, app=app, key=f"own-{number}")
    yield Mention(app=app, entity=entity, memory=memory)
    summary = make(Summary, text, app=app, category="work", user_id=f"{number}"[:200], version=1)
    yield hostile_row(Passage, text, app=app, summary=summary, memory=memory, data=None, next_data=None)
    yield hostile_row(SummaryDue, text, app=app, category="work", user_id=f"{number}")
    yield hostile_row(LedgerEntry, text, **own, input_tokens=1, output_tokens=1, cost=0.1, seconds=0.1, day=now.date())
    yield hostile_row(AuditEntry, text, app=app)
    yield hostile_row(Document, text, app=app, external_id=f"{number}", size=1, status="failed", tags=[text])
    yield hostile_row(Rollback, text, app=app, what="agent", status="done")
    rule, _ = AlertRule.objects.get_or_create(app=app, kind="app_full")
    yield hostile_row(Alert, text, app=app, rule=rule, value=1, ended_at=now, acknowledged_at=now)


def remember(
    app: App, agent: Agent, session: AgentSession, resource: Resource, number: int, text: str
) -> Memory:  # fmt: skip
    candidate = Candidate(
        content=text, category="work", subject=text[:200], tags=[text[:100]], metadata={text: text}, agent=agent,
        session=session, turn_number=number, resource=resource, external_id=f"{number}", made_by=text[:120],
        user_id=None, kind="lesson" if number % 7 == 0 else "fact",
    )  # fmt: skip
    with writing(app, learnt_in(session), timezone.now()) as write:
        memory = write.create(candidate, text)
        earlier = Memory.objects.for_app(app).exclude(pk=memory.pk).order_by("-pk").first()
        if earlier:
            write.link(memory, earlier, "contradicts")
    return memory


def addresses(app: App) -> list[str]:
    """The pages of single rows; those of lists have no id in their address."""
    memory = Memory.objects.for_app(app).order_by("-pk").values_list("uid", flat=True)
    session = AgentSession.objects.for_app(app).get(title="All of it").uid
    entity = Entity.objects.for_app(app).order_by("-pk").values_list("uid", flat=True)
    text = Resource.objects.for_app(app).values_list("uid", flat=True)
    return [
        *(f"/memories/{uid}?find=x" for uid in memory[:100:12]),
        *(f"/memories/{uid}/edit" for uid in memory[:2]),
        *(f"/memories/{uid}/row" for uid in memory[:2]),
        f"/sessions/{session}",
        f"/sessions/{session}?turn=20",
        f"/sessions/{session}?turn=70",
        f"/sessions/{session}/texts/{text[0]}",
        "/recall?q=script+img+alert",
        *(f"/knowledge/memories/{uid}" for uid in memory[:2]),
        *(f"/knowledge/entities/{uid}" for uid in entity[:100:25]),
        "/knowledge/categories/work",
        *(f"/knowledge/documents/{uid}" for uid in Document.objects.for_app(app).values_list("uid", flat=True)[:2]),
    ]
