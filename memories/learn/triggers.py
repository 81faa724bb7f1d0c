"""Triggers: note what is to come, call it off when a user says so, bring it up on its day, put it away when over."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import islice

from django.db import transaction
from django.db.models import F, Q, QuerySet

from memories.language.similarity import matter_of
from memories.learn.cancellations import CalledOff, find_replaced, read_called_off, without_days_of
from memories.learn.future_events import ToldEvent, read_events
from memories.learn.trigger_span import Days, bring_to
from memories.ledger.days import day_of
from memories.models import FutureTrigger, Link, LinkKind, Memory, Preload, TriggerStatus, Visibility
from memories.models.memory import MemoryQuerySet
from memories.store.links import called_off_in
from memsite.config.conf import get_conf
from memsite.db.expressions import Literal
from memsite.db.prepared import Prepared
from memsite.tenancy.access import of_users, one_user
from memsite.tenancy.models import Agent, App
from memsite.tenancy.scoping import ScopedQuerySet
from sessions.models import AgentSession, Resource, Role

MOST_OF_A_MESSAGE = 10
MOST_COMPARED = 500
MOST_DUE = 20
MOST_MEMORIES = 10
BATCH = 500

Triggers = ScopedQuerySet[FutureTrigger]
Row = tuple[int, date, date | None, str]


@dataclass(frozen=True, slots=True)
class Due:
    """Hold a trigger and the memories it brings up, the most important first.

    `is_doubted`: something that is known contradicts what was learnt where it was said.
    """

    trigger: FutureTrigger
    memories: Sequence[Memory]
    is_doubted: bool = False

    @property
    def said_on(self) -> date:
        """Return the app's day on which it was said, or noted by hand. Reads the trigger's app and resource."""
        resource = self.trigger.resource
        return day_of(self.trigger.app, resource.content_at if resource else self.trigger.created_at)


def visible_triggers(app: App, agent: Agent | None) -> Triggers:
    """Select what this agent may see; operators (no agent) see all."""
    rows = FutureTrigger.objects.for_app(app)
    return rows.filter(~Q(visibility=Visibility.AGENT) | Q(agent=agent)) if agent else rows


def injectable(allowed: MemoryQuerySet, app: App, now: datetime) -> MemoryQuerySet:
    """Select what a trigger may bring up, the most important first."""
    rows = allowed.active().valid(now).filter(confidence__gte=app.policy.inactive_below)
    rows = rows if app.policy.inject_unreviewed else rows.heard(app.policy.review_origins)
    return rows.order_by("-importance", "-confidence", "pk")


# --- noting


def note_coming(session: AgentSession, resources: Iterable[Resource], now: datetime) -> list[FutureTrigger]:
    """Make a trigger for each time to come in these texts, as far as users said them; call off what they call off.

    No query if there is neither, two for new ones. What already waits, and what was over before it came here, is left
    out. Call it under the app's write lock: two calls at once could note the same twice.
    """
    noted: list[FutureTrigger] = []
    events: list[tuple[Resource, ToldEvent]] = []
    is_learned = get_conf().relations == "learned"
    for resource in resources:
        off: list[CalledOff] = []
        if resource.role == Role.USER:
            off = read_called_off(resource.raw_content, resource.said_at(session.app.policy.time_zone))
        if off or (is_learned and resource.role == Role.USER):
            noted += note_events(session, events, now)
            events = []
            call_off(session, resource, off)
        events += [(resource, event) for event in events_in(session.app, resource, now)]
    return noted + note_events(session, events, now)


def note_events(
    session: AgentSession, events: Sequence[tuple[Resource, ToldEvent]], now: datetime
) -> list[FutureTrigger]:
    if not events:
        return []
    new: dict[tuple[object, ...], FutureTrigger] = {}
    for resource, event in events:
        trigger = FutureTrigger(
            app=session.app,
            trigger_date=event.days.on,
            trigger_time=event.clock_time,
            until=event.days.until,
            rule=event.days.rule,
            text=event.text,
            message=f"{own_mark(resource)}{event.message}",
            user_id=session.user_id,
            agent_id=session.agent_id,
            session=session,
            resource=resource,
            created_at=now,
        )
        # The first day of a stretch, or of what comes round, is another one when it is told of again on the way.
        new.setdefault((trigger.message, trigger.trigger_time, days_of(trigger)), trigger)
    known, fresh = list(alike(session, new.values())[:MOST_COMPARED]), list[FutureTrigger]()
    for trigger in new.values():
        if not any(tells_again(trigger, other) and days_of(trigger) == days_of(other) for other in [*known, *fresh]):
            fresh.append(trigger)
    return FutureTrigger.objects.bulk_create(fresh)


def events_in(app: App, resource: Resource, now: datetime) -> list[ToldEvent]:
    """Return what a user's text says is to come and is not over; relative days count from when it was said."""
    if resource.role != Role.USER:
        return []
    said_at = resource.said_at(app.policy.time_zone)
    today = day_of(app, now)
    brought = ((event, bring_to(event.days, today)) for event in read_events(resource.raw_content, said_at))
    return list(islice((replace(event, days=days) for event, days in brought if days), MOST_OF_A_MESSAGE))


def own_mark(resource: Resource) -> str:
    """Return whose a plan is, to stand before it: "Bob: "."""
    return f"{resource.speaker}: " if resource.speaker else ""


def days_of(trigger: FutureTrigger) -> object:
    return trigger.rule or trigger.until or trigger.trigger_date


def tells_again(trigger: FutureTrigger, known: FutureTrigger) -> bool:
    """Tell whether it says no more of one day than what is known: the same matter, and no hour that the other lacks."""
    if trigger.trigger_time not in (None, known.trigger_time):
        return False
    if trigger.message == known.message:
        return trigger.trigger_time == known.trigger_time
    matter = matter_of(trigger.message, [trigger.text])
    return bool(matter) and matter == matter_of(known.message, [known.text])


def alike(session: AgentSession, triggers: Collection[FutureTrigger]) -> Triggers:
    """Return the user's waiting triggers with one of these messages or days.

    Looks at no later days than it has to.
    """
    days = {trigger.trigger_date for trigger in triggers}
    same = Q(message__in={trigger.message for trigger in triggers}) | Q(trigger_date__in=days)
    if rules := {trigger.rule for trigger in triggers if trigger.rule}:
        same |= Q(rule__in=rules)
    rows = FutureTrigger.objects.for_app(session.app).filter(
        same, status=TriggerStatus.WAITING, user_id=session.user_id
    )
    last = date.max if any(trigger.rule for trigger in triggers) else max(days)
    return rows.filter(trigger_date__lte=last)


def link_memories(app: App, resource_pks: Collection[int]) -> int:
    """Link waiting triggers to the memories made of the same text; return how many links it took."""
    waiting = FutureTrigger.objects.for_app(app).filter(status=TriggerStatus.WAITING, resource__in=resource_pks)
    triggers = list(waiting.values_list("pk", "resource_id")) if resource_pks else []
    if not triggers:
        return 0
    made = defaultdict(list)
    memories = Memory.objects.for_app(app).live().filter(resource__in={resource for _, resource in triggers})
    for pk, resource in memories.order_by("-importance", "-confidence", "pk").values_list("pk", "resource_id"):
        made[resource].append(pk)
    links = [
        Preload(app=app, trigger_id=trigger, memory_id=memory)
        for trigger, resource in triggers
        for memory in made[resource][:MOST_MEMORIES]
    ]
    return len(Preload.objects.bulk_create(links, ignore_conflicts=True))


# --- calling off


def call_off(session: AgentSession, resource: Resource, off: Iterable[CalledOff]) -> None:
    """Call off what this user told of before, where it can be one thing alone, which does not come round.

    One query, and one more for each that is called off.
    """
    waiting = visible_triggers(session.app, session.agent).filter(
        status=TriggerStatus.WAITING,
        user_id=session.user_id,
        resource__content_at__lte=resource.content_at,
        resource__speaker=resource.speaker,
    )
    triggers = list(waiting.only("message", "text", "trigger_date", "until", "rule")[:MOST_COMPARED])
    for row in triggers:
        row.message = row.message.removeprefix(own_mark(resource))
    over: set[int] = set()
    for cancelled in off:
        meant = [row for row in triggers if cancelled.is_said_of(row.message, row.text, row.trigger_date, row.until)]
        if len(meant) == 1 and not meant[0].rule:
            over.add(meant[0].pk)
    if get_conf().relations == "learned":
        messages = {row.pk: row.message for row in triggers if row.pk not in over}
        for pk, sentence in find_replaced(messages, resource.raw_content).items():
            row = next(row for row in triggers if row.pk == pk)
            days = without_days_of(row.rule, sentence) if row.rule else None
            if days:
                waiting.filter(pk=pk).update(rule=days)
            else:
                over.add(pk)
    if over:
        waiting.filter(pk__in=over).update(status=TriggerStatus.CANCELLED, reason=called_off_in(session))


# --- on the day


@Prepared
def first_waiting(app: App) -> QuerySet[FutureTrigger, tuple[date]]:
    rows = FutureTrigger.objects.for_app(app).filter(status=Literal(TriggerStatus.WAITING))
    return rows.order_by("trigger_date").values_list("trigger_date")[:1]


def has_come(app: App, now: datetime) -> bool:
    """Return whether there may be something that is due or over. One short query."""
    return any(day <= day_of(app, now) for (day,) in first_waiting(app))


def due(app: App, user_id: str | None, agent: Agent | None, now: datetime) -> list[Due]:
    """Return what is due today where the app lives, the earliest time first; MOST_DUE at most. Four queries at most.

    Of the user and of no one in particular; no user given: of no one in particular alone. A recurring one is due on the
    day that `put_away` has moved it to.
    """
    users = one_user(user_id)
    rows = due_on(visible_triggers(app, agent), day_of(app, now)).filter(of_users(users))
    ordered = rows.select_related("resource").order_by(F("trigger_time").asc(nulls_last=True), "-trigger_date", "pk")
    unique = told_once(ordered.defer("resource__raw_content")[:MOST_DUE])
    if not unique:
        return []
    triggers, first = list(unique), {twin.pk: trigger.pk for trigger, twins in unique.items() for twin in twins}
    loads = Preload.objects.for_app(app).filter(trigger__in=first).values_list("trigger_id", "memory_id")
    links = {(first[trigger], memory) for trigger, memory in loads}
    brought = {pk for _, pk in links}
    allowed = Memory.objects.for_app(app).visible_to(agent).of_users(users)
    ready = injectable(allowed.filter(pk__in=brought), app, now)
    ready = ready.select_related("session", "resource").defer("resource__raw_content")
    memories = list(ready) if links else []
    doubted = denied(app, brought, allowed.active().valid(now)) if links else set()
    for trigger in triggers:
        trigger.app = app
    return [
        Due(
            trigger,
            [memory for memory in memories if (trigger.pk, memory.pk) in links][:MOST_MEMORIES],
            any((trigger.pk, pk) in links for pk in doubted),
        )
        for trigger in triggers
    ]


def told_once(triggers: Iterable[FutureTrigger]) -> dict[FutureTrigger, list[FutureTrigger]]:
    """Return each that says something new of its day, with the later ones that say the same to the same user."""
    unique: dict[FutureTrigger, list[FutureTrigger]] = {}
    for trigger in triggers:
        known = (other for other in unique if other.user_id == trigger.user_id and tells_again(trigger, other))
        unique.setdefault(next(known, trigger), []).append(trigger)
    return unique


def denied(app: App, pks: Collection[int], known: MemoryQuerySet) -> set[int]:
    """Return those of these memories, whatever has become of them, that something known contradicts."""
    links = Link.objects.for_app(app).filter(kind=LinkKind.CONTRADICTS, to_memory__in=pks, from_memory__in=known)
    return set(links.order_by().values_list("to_memory", flat=True))


def due_on(rows: Triggers, today: date) -> Triggers:
    running = Q(until=None, trigger_date=today) | Q(until__gte=today)
    return rows.filter(running, status=TriggerStatus.WAITING, trigger_date__lte=today)


# --- afterwards


def roll_over(app: App, now: datetime) -> dict[str, int]:
    """Run the daily job: `put_away`, and count what is due today."""
    due_today = due_on(FutureTrigger.objects.for_app(app), day_of(app, now))
    return {**put_away(app, now), "due_today": due_today.count()}


def put_away(app: App, now: datetime) -> dict[str, int]:
    """Move what is over to its next day, or end it if it has none. `BATCH` to a transaction; answers counts.

    One query when nothing is over. Days that were missed are skipped.
    """
    today, counts, last_pk = day_of(app, now), Counter(moved=0, done=0), 0
    while batch := list(
        over(app, today).filter(pk__gt=last_pk).values_list("pk", "trigger_date", "until", "rule")[:BATCH]
    ):
        with transaction.atomic():
            counts += put_away_batch(app, batch, today)
        last_pk = batch[-1][0]
    return {"moved": counts["moved"], "done": counts["done"]}


def over(app: App, today: date) -> Triggers:
    rows = FutureTrigger.objects.for_app(app).filter(status=TriggerStatus.WAITING, trigger_date__lt=today)
    return rows.filter(Q(until=None) | Q(until__lt=today)).order_by("pk")


def put_away_batch(app: App, batch: Sequence[Row], today: date) -> Counter[str]:
    """Put away all that come once in one statement, and the rest in one per rule and day."""
    rows, counts = over(app, today).order_by(), Counter[str]()
    once = [pk for pk, _, _, rule in batch if not rule]
    counts["done"] += rows.filter(pk__in=once, rule="").update(status=TriggerStatus.DONE)
    together = defaultdict(list)
    for pk, on, until, rule in batch:
        if rule:
            together[Days(on, until, rule)].append(pk)
    for days, pks in together.items():
        same = rows.filter(pk__in=pks, trigger_date=days.on, until=days.until, rule=days.rule)
        brought = bring_to(days, today)
        if brought:
            counts["moved"] += same.update(trigger_date=brought.on, until=brought.until)
        else:
            counts["done"] += same.update(status=TriggerStatus.DONE)
    return counts
