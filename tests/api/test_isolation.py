"""Three apps, two agents each: what is another's answers like what is not there, and not one byte of it shows."""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memories.jobs import JOBS
from memories.models import (
    Alert,
    AlertRule,
    Bridge,
    Delivery,
    Document,
    EnergyUse,
    Entity,
    Extraction,
    ExtractionStatus,
    FutureTrigger,
    Import,
    ImportPart,
    Memory,
    Preload,
    Rejection,
    Rollback,
    Summary,
    SummaryDue,
    Webhook,
)
from memories.retrieve.pipeline import indexes
from memsite.jobs.engine import fire_now
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import ApiKey, App
from sessions.models import AgentSession, Resource, Turn
from tests.api.checks import assistant, ndjson
from tests.conftest import Caller, fresh_caller, make_app, make_caller
from tests.documents import added
from tests.routes import routes_below
from tests.shared_data import module_fixture
from tests.upkeep import upkeep_learn_due, upkeep_summaries


@dataclass
class Tenant:
    """An agent with something of everything, all of it marked with a word that nobody else uses."""

    caller: Caller
    word: str
    ids: dict[str, str] = field(default_factory=dict)


def furnish(caller: Caller, word: str) -> Tenant:
    session = caller.start_session(title=f"title {word}", external_id="same-for-all", environment={"who": word})
    caller.put(f"sessions/{session['id']}/turns/1", {"user_input": f"asked {word}", "internal_state": {"s": word}})
    messages = [
        {"role": "assistant", "content": f"[EVENT:info:svc] event {word}\n[MEMORY:timing:svc] marker {word}"},
        {"role": "user", "content": f"I work at {word.title()} Systems."},
        {"role": "user", "content": f"I think the tea known to {word} is the best tea ever."},
    ]
    caller.post(f"sessions/{session['id']}/messages", {"messages": messages})
    memory = caller.remember(
        f"whales known to {word}",
        tags=[f"only-{word}"],
        category=f"secret-{word}",
        visibility="agent",
        metadata={"m": word},
    )
    other = caller.remember(f"bears known to {word}", visibility="agent", external_id="same-for-all")
    caller.remember(f"User lives in a town known to {word}", visibility="agent")
    caller.remember(f"never wake what is known to {word}", visibility="agent", kind="lesson")
    caller.remember(f"tides of {word}", category=word)
    caller.post(f"memories/{memory['id']}/links", {"to": other["id"]})
    ids = {
        "memory": memory["id"],
        "other": other["id"],
        "session": session["id"],
        "app": caller.app.app_id,
        "agent": caller.agent.name,
        "prefix": ApiKey.objects.get(agent=caller.agent).prefix,
        "trigger": note_trigger(caller, word, memory["id"]),
        "cooldown": caller.post("cooldowns", {"action": "restart", "service": word, "seconds": 600}).json()["id"],
        "category": word,
        "user": f"user-{word}",
        "document": added(caller, f"# Ships\n\nThe ships of {word} sail at noon.\n", f"{word}.md")["id"],
    }
    return Tenant(caller, word, ids)


def note_trigger(caller: Caller, word: str, memory: str) -> str:
    """A private one that is due today, wherever the app lives."""
    first, last = (f"{timezone.now() + timedelta(days=days):%Y-%m-%d}" for days in (-1, 1))
    body = {"trigger_date": first, "until": last, "message": f"dentist known to {word}", "memory_ids": [memory]}
    answer = caller.post("triggers", {**body, "visibility": "agent"})
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def learn(tenants: dict[str, Tenant]) -> None:
    """Finds the facts in what each has said, and writes the summaries; of some, the work was given up."""
    upkeep_learn_due()
    for tenant in tenants.values():
        caller, ids = tenant.caller, tenant.ids
        for category in (tenant.word, "timing"):
            assert caller.post(f"categories/{category}/rewrite").status_code == 202
        (rejection,) = caller.get("rejections").json()["results"]
        (entity,) = caller.get("entities", name=f"only-{tenant.word}").json()["results"]
        extraction = caller.get("extractions").json()["results"][0]
        Extraction.objects.filter(uid=extraction["id"]).update(status=ExtractionStatus.DEAD)
        ids |= {"rejection": rejection["id"], "entity": entity["id"], "extraction": extraction["id"]}
        run, _ = fire_now(JOBS["triggers"], caller.app, timezone.now(), tenant.word)
        JobRun.objects.filter(pk=run.pk).update(status=RunStatus.FAILED)
        ids["run"] = str(run.uid)
        address = {"url": "https://example.org/hook", "description": tenant.word}
        ids["webhook"] = caller.post(f"apps/{ids['app']}/webhooks", address).json()["id"]
        ids["delivery"] = caller.post(f"apps/{ids['app']}/webhooks/{ids['webhook']}/test").json()["id"]
        ids["rule"] = caller.post(f"apps/{ids['app']}/alerts/rules", {"kind": "app_full"}).json()["id"]
        rule = AlertRule.objects.get(uid=ids["rule"])
        ids["alert"] = str(Alert.objects.create(rule=rule, app=caller.app, text=tenant.word, value=1).uid)
        bridge = {"name": tenant.word, "agent": caller.agent.name}
        ids["bridge"] = caller.post(f"apps/{ids['app']}/bridges", bridge).json()["id"]
        mem0 = {"results": [{"id": tenant.word, "memory": f"Came with {tenant.word}", "user_id": tenant.word}]}
        ids["import"] = caller.post(f"apps/{ids['app']}/import?source=mem0", mem0).json()["id"]
    upkeep_summaries()


def build_tenants() -> dict[str, Tenant]:
    results = {}
    for app_id in ("acme", "globex", "initech"):
        app = make_app(app_id, capture_summaries=True)
        for name in ("one", "two"):
            # Scopes of everything: what holds back is the app, not the scope.
            word = f"zq{app_id}{name}"
            results[f"{app_id}/{name}"] = furnish(make_caller(app, name, ("read", "write", "operator")), word)
    learn(results)
    return results


built_tenants = module_fixture(build_tenants)


@pytest.fixture
def tenants(built_tenants: dict[str, Tenant], db: None) -> dict[str, Tenant]:
    return {
        name: Tenant(fresh_caller(tenant.caller), tenant.word, dict(tenant.ids))
        for name, tenant in built_tenants.items()
    }


Request = Callable[[Caller, dict[str, str]], Any]
BODY = {"messages": [{"role": "user", "content": "hello"}]}
ENDPOINTS: dict[str, Request] = {
    "get app": lambda c, i: c.get(f"apps/{i['app']}"),
    "change app": lambda c, i: c.patch(f"apps/{i['app']}", {"name": "taken"}),
    "uninstall app": lambda c, i: c.delete(f"apps/{i['app']}"),
    "app memories": lambda c, i: c.get(f"apps/{i['app']}/memories"),
    "delete app memories": lambda c, i: c.delete(f"apps/{i['app']}/memories"),
    "delete app memory": lambda c, i: c.delete(f"apps/{i['app']}/memories/{i['memory']}"),
    "delete own app's foreign memory": lambda c, i: c.delete(f"apps/{c.app.app_id}/memories/{i['memory']}"),
    "new app memory": lambda c, i: c.post(f"apps/{i['app']}/memories", {"content": "spy"}),
    "app memory": lambda c, i: c.get(f"apps/{i['app']}/memories/{i['memory']}"),
    "own app's foreign memory": lambda c, i: c.get(f"apps/{c.app.app_id}/memories/{i['memory']}"),
    "change app memory": lambda c, i: c.patch(f"apps/{i['app']}/memories/{i['memory']}", {"content": "spy"}),
    "change own app's foreign memory": lambda c, i: c.patch(
        f"apps/{c.app.app_id}/memories/{i['memory']}", {"pinned": True}
    ),
    "history of app memory": lambda c, i: c.get(f"apps/{c.app.app_id}/memories/{i['memory']}/history"),
    "undo app memory": lambda c, i: c.post(f"apps/{c.app.app_id}/memories/{i['memory']}/undo", {"to": 1}),
    "change app memories": lambda c, i: c.post(
        f"apps/{i['app']}/memories/bulk", {"action": "pin", "ids": [i["memory"]]}
    ),
    "change own app's foreign memories": lambda c, i: c.post(
        f"apps/{c.app.app_id}/memories/bulk", {"action": "delete", "ids": [i["memory"]]}
    ),
    "merge app memories": lambda c, i: c.post(f"apps/{i['app']}/memories/merge", {"ids": [i["memory"], i["other"]]}),
    "app sessions": lambda c, i: c.get(f"apps/{i['app']}/sessions"),
    "app session": lambda c, i: c.get(f"apps/{c.app.app_id}/sessions/{i['session']}"),
    "memories of app's session": lambda c, i: c.get(f"apps/{c.app.app_id}/memories", session_id=i["session"]),
    "app events": lambda c, i: c.get(f"apps/{i['app']}/events"),
    "events of app's session": lambda c, i: c.get(f"apps/{c.app.app_id}/events", session_id=i["session"]),
    "app cooldowns": lambda c, i: c.get(f"apps/{i['app']}/cooldowns"),
    "lift app cooldown": lambda c, i: c.delete(f"apps/{c.app.app_id}/cooldowns/{i['cooldown']}"),
    "review memories": lambda c, i: c.post(f"apps/{i['app']}/memories/review", {"ids": [i["memory"]]}),
    "review own app's foreign memory": lambda c, i: c.post(
        f"apps/{c.app.app_id}/memories/review", {"ids": [i["memory"]]}
    ),
    "app rejections": lambda c, i: c.get(f"apps/{i['app']}/rejections"),
    "decide rejections": lambda c, i: c.post(
        f"apps/{i['app']}/rejections/decide", {"action": "reject", "ids": [i["rejection"]]}
    ),
    "decide own app's foreign rejection": lambda c, i: c.post(
        f"apps/{c.app.app_id}/rejections/decide", {"action": "approve", "ids": [i["rejection"]]}
    ),
    "rollbacks": lambda c, i: c.get(f"apps/{i['app']}/rollbacks"),
    "roll back": lambda c, i: c.post(f"apps/{i['app']}/rollbacks", {"what": "session", "source": i["session"]}),
    "roll back own app's foreign session": lambda c, i: c.post(
        f"apps/{c.app.app_id}/rollbacks", {"what": "session", "source": i["session"]}
    ),
    "erase user": lambda c, i: c.delete(f"apps/{i['app']}/users/{i['user']}"),
    "delete app session": lambda c, i: c.delete(f"apps/{i['app']}/sessions/{i['session']}"),
    "delete own app's foreign session": lambda c, i: c.delete(f"apps/{c.app.app_id}/sessions/{i['session']}"),
    "purges": lambda c, i: c.get(f"apps/{i['app']}/purges"),
    "export": lambda c, i: c.get(f"apps/{i['app']}/export"),
    "export of a user": lambda c, i: c.get(f"apps/{i['app']}/export", user_id=i["user"]),
    "export as Markdown": lambda c, i: c.get(f"apps/{i['app']}/export.zip"),
    "import": lambda c, i: c.post(f"apps/{i['app']}/import"),
    "alerts": lambda c, i: c.get(f"apps/{i['app']}/alerts"),
    "acknowledge": lambda c, i: c.post(f"apps/{i['app']}/alerts/{i['alert']}/acknowledge"),
    "acknowledge own app's foreign alert": lambda c, i: c.post(f"apps/{c.app.app_id}/alerts/{i['alert']}/acknowledge"),
    "acknowledge any": lambda c, i: c.post(f"alerts/{i['alert']}/acknowledge"),
    "alert rules": lambda c, i: c.get(f"apps/{i['app']}/alerts/rules"),
    "new alert rule": lambda c, i: c.post(f"apps/{i['app']}/alerts/rules", {"kind": "job_overdue"}),
    "alert rule to a foreign webhook": lambda c, i: c.post(
        f"apps/{c.app.app_id}/alerts/rules", {"kind": "job_overdue", "webhook": i["webhook"]}
    ),
    "alert rule": lambda c, i: c.get(f"apps/{i['app']}/alerts/rules/{i['rule']}"),
    "change alert rule": lambda c, i: c.patch(f"apps/{i['app']}/alerts/rules/{i['rule']}", {"threshold": 1}),
    "delete alert rule": lambda c, i: c.delete(f"apps/{i['app']}/alerts/rules/{i['rule']}"),
    "webhooks": lambda c, i: c.get(f"apps/{i['app']}/webhooks"),
    "new webhook": lambda c, i: c.post(f"apps/{i['app']}/webhooks", {"url": "https://example.org/x"}),
    "webhook": lambda c, i: c.get(f"apps/{i['app']}/webhooks/{i['webhook']}"),
    "change webhook": lambda c, i: c.patch(f"apps/{i['app']}/webhooks/{i['webhook']}", {"description": "spy"}),
    "delete webhook": lambda c, i: c.delete(f"apps/{i['app']}/webhooks/{i['webhook']}"),
    "secret of webhook": lambda c, i: c.post(f"apps/{i['app']}/webhooks/{i['webhook']}/secret"),
    "test webhook": lambda c, i: c.post(f"apps/{i['app']}/webhooks/{i['webhook']}/test"),
    "deliveries": lambda c, i: c.get(f"apps/{i['app']}/webhooks/{i['webhook']}/deliveries"),
    "replay delivery": lambda c, i: c.post(f"apps/{i['app']}/deliveries/{i['delivery']}/replay"),
    "bridges": lambda c, i: c.get(f"apps/{i['app']}/bridges"),
    "new bridge": lambda c, i: c.post(f"apps/{i['app']}/bridges", {"name": "spy", "agent": i["agent"]}),
    "delete bridge": lambda c, i: c.delete(f"apps/{i['app']}/bridges/{i['bridge']}"),
    "secret of bridge": lambda c, i: c.post(f"apps/{i['app']}/bridges/{i['bridge']}/secret"),
    "imports": lambda c, i: c.get(f"apps/{i['app']}/imports"),
    "one import": lambda c, i: c.get(f"apps/{i['app']}/imports/{i['import']}"),
    "delete session": lambda c, i: c.delete(f"sessions/{i['session']}"),
    "agents": lambda c, i: c.get(f"apps/{i['app']}/agents"),
    "new agent": lambda c, i: c.post(f"apps/{i['app']}/agents", {"name": "spy"}),
    "agent": lambda c, i: c.get(f"apps/{i['app']}/agents/{i['agent']}"),
    "change agent": lambda c, i: c.patch(f"apps/{i['app']}/agents/{i['agent']}", {"domain": "spy"}),
    "delete agent": lambda c, i: c.delete(f"apps/{i['app']}/agents/{i['agent']}"),
    "keys": lambda c, i: c.get(f"apps/{i['app']}/agents/{i['agent']}/keys"),
    "new key": lambda c, i: c.post(f"apps/{i['app']}/agents/{i['agent']}/keys", {}),
    "revoke key": lambda c, i: c.delete(f"keys/{i['prefix']}"),
    "session": lambda c, i: c.get(f"sessions/{i['session']}"),
    "heartbeat": lambda c, i: c.post(f"sessions/{i['session']}/heartbeat"),
    "end": lambda c, i: c.post(f"sessions/{i['session']}/end", {"reason": "spy"}),
    "turns": lambda c, i: c.get(f"sessions/{i['session']}/turns"),
    "turn": lambda c, i: c.get(f"sessions/{i['session']}/turns/1"),
    "store turn": lambda c, i: c.put(f"sessions/{i['session']}/turns/2", {"user_input": "spy"}),
    "same turn": lambda c, i: c.put(f"sessions/{i['session']}/turns/1", {"user_input": "spy"}),
    "replay": lambda c, i: c.get(f"sessions/{i['session']}/replay", turn=1),
    "recover": lambda c, i: c.get(f"sessions/{i['session']}/recover"),
    "messages": lambda c, i: c.post(f"sessions/{i['session']}/messages", BODY),
    "stream": lambda c, i: c.stream(i["session"], ndjson(assistant("[MEMORY:timing] spy"))),
    "context of session": lambda c, i: c.post("context", {"session_id": i["session"], "query": "whales"}),
    "memory in session": lambda c, i: c.post("memories", {"content": "spy", "session_id": i["session"]}),
    "batch in session": lambda c, i: c.post(
        "memories/batch", {"memories": [{"content": 5}, {"content": "", "session_id": i["session"]}]}
    ),
    "memory in session by batch": lambda c, i: c.post(
        "memories/batch", {"memories": [{"content": "spy", "session_id": i["session"]}]}
    ),
    "delete memories": lambda c, i: c.post("memories/delete", {"ids": [i["memory"], i["other"]]}),
    "memory": lambda c, i: c.get(f"memories/{i['memory']}"),
    "change memory": lambda c, i: c.patch(f"memories/{i['memory']}", {"content": "spy"}),
    "change memory of a version": lambda c, i: c.patch(f"memories/{i['memory']}", {}, **{"If-Match": '"1"'}),
    "delete memory": lambda c, i: c.delete(f"memories/{i['memory']}"),
    "history": lambda c, i: c.get(f"memories/{i['memory']}/history"),
    "links": lambda c, i: c.get(f"memories/{i['memory']}/links"),
    "link from": lambda c, i: c.post(f"memories/{i['memory']}/links", {"to": i["other"]}),
    "memories of session": lambda c, i: c.get("memories", session_id=i["session"], limit=200),
    "events of session": lambda c, i: c.get("events", session_id=i["session"]),
    "resources of session": lambda c, i: c.get("resources", session_id=i["session"]),
    "judge response": lambda c, i: c.post(f"sessions/{i['session']}/responses", {"turn_number": 1, "text": "whales"}),
    "extractions of session": lambda c, i: c.get("extractions", session_id=i["session"]),
    "retry": lambda c, i: c.post(f"extractions/{i['extraction']}/retry"),
    "overrule": lambda c, i: c.post(f"rejections/{i['rejection']}/overrule"),
    "category": lambda c, i: c.get(f"categories/{i['category']}"),
    "category as text": lambda c, i: c.get(f"categories/{i['category']}.md"),
    "versions": lambda c, i: c.get(f"categories/{i['category']}/versions"),
    "version": lambda c, i: c.get(f"categories/{i['category']}/versions/1"),
    "difference": lambda c, i: c.get(f"categories/{i['category']}/diff", **{"from": 1, "to": 1}),
    "rewrite": lambda c, i: c.post(f"categories/{i['category']}/rewrite"),
    "stats": lambda c, i: c.get(f"apps/{i['app']}/stats"),
    "usage": lambda c, i: c.get(f"apps/{i['app']}/usage", days=3),
    "health": lambda c, i: c.get(f"apps/{i['app']}/health-report"),
    "health as text": lambda c, i: c.get(f"apps/{i['app']}/health-report.md"),
    "past health": lambda c, i: c.get(f"apps/{i['app']}/health-reports"),
    "jobs of app": lambda c, i: c.get("jobs", app_id=i["app"]),
    "runs of app": lambda c, i: c.get("jobs/runs", app_id=i["app"]),
    "run job of app": lambda c, i: c.post("jobs/decay/run", {"app_id": i["app"]}),
    "retry run": lambda c, i: c.post(f"jobs/runs/{i['run']}/retry"),
    "stop run": lambda c, i: c.post(f"jobs/runs/{i['run']}/stop"),
    "trigger": lambda c, i: c.get(f"triggers/{i['trigger']}"),
    "change trigger": lambda c, i: c.patch(f"triggers/{i['trigger']}", {"message": "spy"}),
    "cancel trigger": lambda c, i: c.patch(f"triggers/{i['trigger']}", {"status": "cancelled"}),
    "lift cooldown": lambda c, i: c.delete(f"cooldowns/{i['cooldown']}"),
    "cooldown in session": lambda c, i: c.post("cooldowns", {"action": "x", "seconds": 9, "session_id": i["session"]}),
    "delete trigger": lambda c, i: c.delete(f"triggers/{i['trigger']}"),
    "trigger of memory": lambda c, i: c.post(
        "triggers", {"trigger_date": "2199-01-01", "message": "spy", "memory_ids": [i["memory"]]}
    ),
    "memories of entity": lambda c, i: c.get(f"entities/{i['entity']}/memories"),
    "document": lambda c, i: c.get(f"documents/{i['document']}"),
    "replace document": lambda c, i: c.put(f"documents/{i['document']}?name=spy.md", {}),
    "delete document": lambda c, i: c.delete(f"documents/{i['document']}"),
    "passages": lambda c, i: c.get(f"documents/{i['document']}/passages"),
}
# Doors without anyone's id in them; they are tried by the tests below.
WITHOUT_IDS = {
    "version",
    "apps",
    "sessions",
    "context",
    "memories",
    "memories/search",
    "events",
    "resources",
    "extractions",
    "extractions/preview",
    "rejections",
    "categories",
    "triggers",
    "lessons",
    "lessons.md",
    "entities",
    "energy",
    "energy/consumed",
    "hooks/claude-code",
    "prompts/{tier}.md",
    "jobs",
    "jobs/runs",
    "jobs/{name}/run",
    "cooldowns",
    "memories/changes",
    "documents",
    "alerts",
    "alerts/rules",
    "alerts/rules/{uid}",
}
# An operator of the app may overrule what was refused to any of its agents.
OWN_APP_ONLY = {
    "get app",
    "change app",
    "uninstall app",
    "app memories",
    "delete app memories",
    "delete app memory",
    "delete own app's foreign memory",
    "new app memory",
    "app memory",
    "own app's foreign memory",
    "change app memory",
    "change own app's foreign memory",
    "history of app memory",
    "undo app memory",
    "change app memories",
    "change own app's foreign memories",
    "merge app memories",
    "app sessions",
    "app session",
    "memories of app's session",
    "app events",
    "events of app's session",
    "app cooldowns",
    "lift app cooldown",
    "agent",
    "change agent",
    "delete agent",
    "erase user",
    "delete app session",
    "delete own app's foreign session",
    "review memories",
    "review own app's foreign memory",
    "app rejections",
    "decide rejections",
    "decide own app's foreign rejection",
    "rollbacks",
    "roll back",
    "roll back own app's foreign session",
    "purges",
    "agents",
    "new agent",
    "keys",
    "new key",
    "revoke key",
    "overrule",
    "jobs of app",
    "runs of app",
    "run job of app",
    "retry run",
    "stop run",
    "stats",
    "usage",
    "health",
    "health as text",
    "past health",
    "lift cooldown",
    "alerts",
    "acknowledge",
    "acknowledge own app's foreign alert",
    "acknowledge any",
    "alert rules",
    "new alert rule",
    "alert rule to a foreign webhook",
    "alert rule",
    "change alert rule",
    "delete alert rule",
    "webhooks",
    "new webhook",
    "webhook",
    "change webhook",
    "delete webhook",
    "secret of webhook",
    "test webhook",
    "deliveries",
    "replay delivery",
    "bridges",
    "new bridge",
    "delete bridge",
    "secret of bridge",
    "export",
    "export of a user",
    "export as Markdown",
    "import",
    "imports",
    "one import",
}


def absent() -> dict[str, str]:
    return {
        "memory": str(uuid4()),
        "other": str(uuid4()),
        "session": str(uuid4()),
        "app": "nobody",
        "agent": "noone",
        "prefix": "zzzzzzzz",
        "trigger": str(uuid4()),
        "cooldown": str(uuid4()),
        "category": "nothing",
        "rejection": str(uuid4()),
        "entity": str(uuid4()),
        "extraction": str(uuid4()),
        "run": str(uuid4()),
        "import": str(uuid4()),
        "rule": str(uuid4()),
        "alert": str(uuid4()),
        "webhook": str(uuid4()),
        "delivery": str(uuid4()),
        "bridge": str(uuid4()),
        "user": "nobody",
        "document": str(uuid4()),
    }


def seen(answer: Any) -> tuple[int, Any, dict[str, str]]:
    """Status, body and headers, apart from the request's id and measured time."""
    is_json = answer.headers.get("Content-Type", "").endswith(("/json", "+json"))
    content = content_of(answer)
    body = json.loads(content) if is_json else content
    if isinstance(body, dict):
        body.pop("request_id", None)
        body.pop("took_ms", None)
    headers = {name: value for name, value in answer.headers.items() if name not in ("X-Request-ID", "Content-Length")}
    return answer.status_code, body, headers


def content_of(answer: Any) -> bytes:
    """Also of a file. An export tells the name of its app, and its Markdown names folders by it."""
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


MODELS: tuple[Any, ...] = (
    Memory,
    AgentSession,
    Turn,
    Resource,
    Extraction,
    Rejection,
    FutureTrigger,
    Preload,
    Entity,
    Summary,
    SummaryDue,
    JobRun,
    Alert,
    AlertRule,
    Import,
    ImportPart,
    Webhook,
    Delivery,
    Bridge,
    Rollback,
    Document,
)
STATE = [
    *(f'SELECT * FROM "{model._meta.db_table}" ORDER BY {model._meta.pk.column}' for model in MODELS),  # noqa: S608
    f'SELECT prefix, revoked_at FROM "{ApiKey._meta.db_table}" ORDER BY {ApiKey._meta.pk.column}',  # noqa: S608
]


def rows() -> list[Any]:
    """Return everything that a trespasser could have changed, read without models: it is read before each door."""
    with connection.cursor() as cursor:
        state = []
        for statement in STATE:
            cursor.execute(statement)
            state.append(cursor.fetchall())
    return state


def test_every_endpoint_is_tried() -> None:
    addresses = {re.sub(r"<\w+:(\w+)>", r"{\1}", address) for address in routes_below("api/v1/")}
    tried: set[str] = set()

    class Spy:
        """Answers with the address that it was asked for."""

        app = type("App", (), {"app_id": "{app_id}"})()

        def __getattr__(self, _: str) -> Callable[..., None]:
            return lambda path, *_, **__: tried.add(
                path if "/" in path or path in WITHOUT_IDS else f"sessions/{path}/stream"
            )

    names = {
        "memory": "{uid}",
        "other": "{uid}",
        "session": "{uid}",
        "app": "{app_id}",
        "agent": "{name}",
        "prefix": "{prefix}",
        "trigger": "{uid}",
        "cooldown": "{uid}",
        "category": "{name}",
        "rejection": "{uid}",
        "entity": "{uid}",
        "extraction": "{uid}",
        "run": "{uid}",
        "import": "{uid}",
        "rule": "{uid}",
        "alert": "{uid}",
        "webhook": "{uid}",
        "delivery": "{uid}",
        "bridge": "{uid}",
        "user": "{user_id}",
        "document": "{uid}",
    }
    for endpoint in ENDPOINTS.values():
        endpoint(Spy(), names)  # type: ignore[arg-type]
    normal = {re.sub(r"/(turns|versions)/\d", r"/\1/{number}", path.partition("?")[0]) for path in tried}
    assert addresses - WITHOUT_IDS <= normal


def test_ones_own_ids_open_every_endpoint(tenants: dict[str, Tenant]) -> None:
    """Or else the tests below would show nothing: each door has something to tell."""
    mine = tenants["acme/one"]
    closed = []
    # Its bodies are refused before anybody asks whose session it is.
    for endpoint in ENDPOINTS.keys() - {"batch in session"}:
        ask = ENDPOINTS[endpoint]
        before = transaction.savepoint()
        if seen(ask(mine.caller, absent())) == seen(ask(mine.caller, mine.ids)):
            closed.append(endpoint)
        transaction.savepoint_rollback(before)
        indexes.by_key.clear()
    assert closed == []


def trespass(mine: Tenant, other: Tenant, endpoint: str, expected: tuple[int, Any, dict[str, str]]) -> list[str]:
    """Return what is wrong with the answer to `mine` that uses the ids of `other`; nothing, one hopes."""
    before = rows()
    answer = seen(ENDPOINTS[endpoint](mine.caller, other.ids))
    wrong = {
        "tells more": answer != expected,
        "is no refusal": expected[0] not in (200, 400, 404),
        "shows it": other.word in str(answer).casefold(),
        "changed something": rows() != before,
    }
    return [what for what, is_wrong in wrong.items() if is_wrong]


def test_the_ids_of_another_app_answer_like_ids_that_do_not_exist(tenants: dict[str, Tenant]) -> None:
    mine = tenants["acme/one"]
    wrong = {}
    for endpoint, ask in ENDPOINTS.items():
        expected = seen(ask(mine.caller, absent()))
        for other in ("globex/one", "initech/two"):
            wrong[endpoint, other] = trespass(mine, tenants[other], endpoint, expected)
    assert {endpoint: what for endpoint, what in wrong.items() if what} == {}


def test_a_colleagues_private_things_answer_like_what_does_not_exist(tenants: dict[str, Tenant]) -> None:
    mine, colleague = tenants["acme/one"], tenants["acme/two"]
    # Nothing is in this category but what only the colleague may see.
    colleague.ids["category"] = f"secret-{colleague.word}"
    # What the colleague's marker made belongs to the app, so the list may be filtered by its session. So do names.
    lists = {"memories of session"}
    # A document is all agents' of the app.
    of_all = {"document", "replace document", "delete document", "passages"}
    endpoints = ENDPOINTS.keys() - OWN_APP_ONLY - lists - of_all
    wrong = {
        endpoint: trespass(mine, colleague, endpoint, seen(ENDPOINTS[endpoint](mine.caller, absent())))
        for endpoint in sorted(endpoints)
    }
    assert {endpoint: what for endpoint, what in wrong.items() if what} == {}
    for endpoint in lists:
        assert (
            f"known to {colleague.word}"
            not in ENDPOINTS[endpoint](mine.caller, colleague.ids).content.decode().casefold()
        )


LISTS = (
    "apps",
    "sessions",
    "memories",
    "events",
    "resources",
    "extractions",
    "rejections",
    "categories",
    "triggers",
    "lessons",
    "entities",
    "cooldowns",
    "documents",
)


def everything(tenant: Tenant) -> str:
    """All that a caller can get to see without anyone's id."""
    caller = tenant.caller
    answers = [caller.get(path, limit=200) for path in LISTS]
    answers += [caller.get(path) for path in ("lessons.md", "energy/consumed")]
    # What all apps have of the same name.
    answers += [caller.get(f"categories/timing{path}") for path in ("", ".md", "/versions", "/versions/1")]
    texts = [{"role": "user", "content": text} for text in ("I work at Siemens.", "I live in Porto.", "I know whales.")]
    answers.append(caller.post("extractions/preview", {"messages": texts}))
    for query in (
        "whales",
        "bears known to",
        "marker event",
        *(f"zq{app}one" for app in ("acme", "globex", "initech")),
    ):
        answers += [
            caller.post("memories/search", {"query": query, "mode": mode, "limit": 100, "documents": "beside"})
            for mode in ("auto", "fulltext", "vector")
        ]
        answers += [caller.post("context", {"query": query, "format": name}) for name in ("ops", "app", "turn", "json")]
    answers += [caller.post("context", {"format": name}) for name in ("ops", "app", "turn", "json")]
    for name, value in (("external_id", "same-for-all"), ("subject", "svc"), ("category", "timing")):
        answers.append(caller.get("memories", **{name: value}))
    answers.append(caller.post("sessions", {"external_id": "same-for-all"}))
    answers.append(caller.post("sessions", {}))
    assert {answer.status_code for answer in answers} <= {200, 201}
    return b"".join(answer.content for answer in answers).decode().casefold()


PRIVATE = {"memory", "other", "trigger", "rejection", "entity", "extraction"}


def test_not_one_byte_of_another_app_shows_anywhere(tenants: dict[str, Tenant]) -> None:
    for name, tenant in tenants.items():
        text = everything(tenant)
        for other_name, other in tenants.items():
            if other_name.split("/")[0] != name.split("/")[0]:
                questions = text.count(other.word)
                assert questions == 0, (name, other_name)
                assert not [key for key in PRIVATE | {"session", "prefix"} if other.ids[key] in text]


def test_not_one_byte_of_a_colleagues_private_memory_shows_anywhere(tenants: dict[str, Tenant]) -> None:
    mine, colleague = tenants["acme/one"], tenants["acme/two"]
    text = everything(mine)
    assert not [key for key in PRIVATE if mine.ids[key] not in text]
    assert not [key for key in PRIVATE if colleague.ids[key] in text]
    for private in ("whales known to ", "dentist known to ", "tea known to ", "wake what is known to ", "secret-"):
        assert f"{private}{mine.word}" in text
    for private in ("known to ", "secret-", "only-"):
        assert f"{private}{colleague.word}" not in text


def test_a_cursor_of_another_app_opens_nothing_of_it(tenants: dict[str, Tenant]) -> None:
    mine, foreign = tenants["acme/one"], tenants["globex/one"]
    for path in LISTS:
        for size in (1, 2):
            link = foreign.caller.get(path, limit=size).json()["next"]
            if link:
                answer = mine.caller.client.get(link)
                assert answer.status_code == 200
                assert b"globex" not in answer.content


def test_a_cursor_does_not_count_the_rows_of_others(tenants: dict[str, Tenant]) -> None:
    """Ids must not be countable (tenancy.scoping.new_uid): then the position in a cursor must not be either."""
    link = tenants["initech/two"].caller.get("memories", limit=1).json()["next"]
    text = base64.b64decode(re.findall(r"cursor=([^&]+)", link)[0].replace("%3D", "=")).decode()
    assert not re.search(r"p=\d+(&|$)", text), text


def test_an_idempotency_key_of_another_app_repeats_nothing(tenants: dict[str, Tenant]) -> None:
    body = {"content": "the same words", "dedupe": False}
    answers = {
        name: tenant.caller.post("memories", body, **{"Idempotency-Key": "same"}) for name, tenant in tenants.items()
    }
    assert {answer.status_code for answer in answers.values()} == {201}
    assert len({answer.json()["id"] for answer in answers.values()}) == 6
    assert not [answer for answer in answers.values() if "Idempotency-Replayed" in answer]


def test_the_same_words_in_two_apps_are_two_memories(tenants: dict[str, Tenant]) -> None:
    for name in ("acme/one", "globex/one", "initech/one"):
        answer = tenants[name].caller.post("memories", {"content": "Exactly the same words"})
        assert answer.json()["outcome"] == "created"


def test_the_session_of_an_external_id_is_ones_own(tenants: dict[str, Tenant]) -> None:
    ids = {tenant.ids["session"] for tenant in tenants.values()}
    assert len(ids) == 6
    for tenant in tenants.values():
        again = tenant.caller.post("sessions", {"external_id": "same-for-all"})
        assert (again.status_code, again.json()["id"]) == (200, tenant.ids["session"])


def test_energy_is_of_ones_own_app(tenants: dict[str, Tenant]) -> None:
    mine, foreign = tenants["acme/one"], tenants["globex/one"]
    used = EnergyUse.objects.for_app(foreign.caller.app).order_by("pk")
    before = list(used.values()), App.objects.values().get(pk=foreign.caller.app.pk)
    assert mine.caller.put("energy", {"level": 0.0}).status_code == 200
    assert mine.caller.get("energy/consumed").json()["units"] > 0
    assert (list(used.values()), App.objects.values().get(pk=foreign.caller.app.pk)) == before
    assert foreign.caller.get("energy/consumed").json()["units"] > 0
