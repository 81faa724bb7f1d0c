"""Triggers: note what is to come, call it off when a user says so, bring it up on its day, put it away when over.

Only what is said of one thing without any doubt is called off: what is brought up needlessly costs a line, and what is
not brought up may cost a flight.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import islice

from django.db import transaction
from django.db.models import F, Q, QuerySet

from memories.language.dates.future import find_coming
from memories.language.dates.windows import find_windows
from memories.language.extract.prose import read_sentences
from memories.language.messages import sentence_around, strip_fenced
from memories.language.relate.termination import NEUTRAL
from memories.language.secrets import strip_private
from memories.language.similarity import matter_of, used_share
from memories.learn.future_events import READ_CHARACTERS, ToldEvent, read_events
from memories.learn.non_commitments import first_break, is_asked, last_break
from memories.learn.trigger_span import Days, bring_to
from memories.ledger.days import day_of
from memories.models import FutureTrigger, Link, LinkKind, Memory, Preload, TriggerStatus, Visibility
from memories.models.memory import MemoryQuerySet
from memories.providers.judgement_model import is_there
from memories.providers.relation import judgements
from memories.retrieve.question import STOP_WORDS
from memories.store.links import called_off_in
from memsite.config.conf import get_conf
from memsite.db.expressions import Literal
from memsite.db.prepared import Prepared
from memsite.tenancy.access import of_users, one_user
from memsite.tenancy.models import Agent, App
from memsite.tenancy.scoping import ScopedQuerySet
from sessions.models import AgentSession, Resource, Role

MOST_OF_A_MESSAGE = 10
READ_AROUND = 300
_OFF = re.compile(
    r"(?:\b(?:is|are|was|were|been|got)|['’]s) (?:(?:now|just|already|also|sadly|unfortunately) )?"
    r"(?:cancell?ed|called off)\b"
    r"|(?:\b(?:is|are)|['’]s) (?:(?:now|sadly|unfortunately) )?off(?= ?[.,;:!)\n]| ?\Z| (?:because|due|since|so|as)\b)"
    r"|\bfell through\b"
    r"|\b(?:(?:I['’]m|I am|we['’]re|we are) (?:not|no longer)|we aren['’]t|(?:I|we) (?:won['’]t|will not) be) "
    r"(?P<going>going|travell?ing) to (?=(?-i:[A-Z]))"
    r"|(?:\b(?:is|are) not|\b(?:is|are)n['’]t) (?:happening|taking place)\b(?: (?:any ?more|after all))?"
    r"|\b(?:(?:I|we)|(?P<other>they|he|she))"
    r"(?:(?: have|['’]ve)? (?:just )?(?:cancell?ed|called off)| had to (?:cancel|call off))\b",
    re.IGNORECASE,
)
_MAY_BE_OFF = re.compile(
    r"called off|off\b|cancel|fell through|happening|taking place|going to|travell?ing to", re.IGNORECASE
)
"""Most messages are read for these alone, which is quick."""
_REASON = re.compile(
    r"\b(?:due to|owing to|on account of|thanks to|since|in view of|for lack of|"
    r"as (?=(?:the|my|our|his|her|their|I|we|he|she|it|they|there|nobody|no|everyone|nothing)\b|(?-i:[A-Z])))",
    re.IGNORECASE,
)
"""What is told behind it is why, and no more of what is called off."""
_NOT_OUR_OWN = re.compile(r"\b(?:he|she|they)(?:['’]|\b)", re.IGNORECASE)
_NEUTRAL = "|".join(sorted(NEUTRAL))
_LEAD = rf"(?:the|a|an|our|my|this|that) (?:(?:{_NEUTRAL}) )?"
_KIND = r"(?:trip|visit|holidays?|vacation|journey|tour|getaway)"
_TRIP = rf"{_LEAD}{_KIND} to "
_PLANNED = r"(?:planning|planned|plan|booked|booking|have|taking|making|going on)"
_GO = r"(?:going|go|travell?ing|travel|flying|fly|driving|drive|heading|head|off)"
_TRIP_OFF = re.compile(rf"\b(?i:{_TRIP})(?=[A-Z])")
_TRIP_BEFORE = re.compile(
    rf"\b(?P<lead>(?i:(?:{_PLANNED} )?{_LEAD}))(?P<place>[A-Z][\w-]{{1,30}}(?: [A-Z][\w-]{{1,30}}){{0,2}}) "
    rf"(?P<kind>(?i:(?:(?:{_NEUTRAL}) )?{_KIND}))\b"
)
"""The place before it: "our Rome holiday"."""
_GOING = re.compile(rf"\b(?i:(?:{_PLANNED} )?{_TRIP}|(?:(?:planning|about|due) to )?{_GO} to )(?=[A-Z])")
"""Whoever has called off the trip to Rome is not going there."""
_AT_LAST = re.compile(r" (?:after all|any ?more|any longer)\b", re.IGNORECASE)
_DOUBTFUL = re.compile(
    r"\b(?:not|never|no|hardly|(?-i:may)|might|could|would|should|will|if|unless|whether|when|until|almost|nearly|maybe|"
    r"perhaps|probably|once|yet|only|again|first|other|another|any|some|every|each|all)\b|n['’]t\b",
    re.IGNORECASE,
)
_REMINDER = re.compile(
    r"\b(?:please )?(?:remind me|(?:do not|don['’]t) forget|remember|note)(?: (?:of|about|that|to))?\b", re.IGNORECASE
)
_OWNERS = re.compile(r"\b(?:his|her|their|your|its)\b", re.IGNORECASE)


Stretch = tuple[date, date]
REPLACED_FROM = 0.5
"""A probability from which what was to come is taken to be over."""
MOST_SENTENCES = 20
MOST_PAIRS = 16
STEM = 5
WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w{3,}")
FEW = 4
CHANGE = re.compile(
    r"n['’]t\b|\b(?:not|no|never|cancel\w*|off|instead|quit|over|moved|postponed|broke|sold)\b", re.IGNORECASE
)
"""Of so few things to come, a sentence with one of these words may take back any: "the wedding isn't happening"."""
DAYS = {
    "MO": r"mon(?:day)?s?",
    "TU": r"tue(?:s|sday)?s?",
    "WE": r"wed(?:nesday)?s?",
    "TH": r"thu(?:rs|rsday)?s?",
    "FR": r"fri(?:day)?s?",
    "SA": r"sat(?:urday)?s?",
    "SU": r"sun(?:day)?s?",
}
ONLY = re.compile(r"\b(?:only|just|once a week)\b", re.IGNORECASE)
"""The days that are named with it are those that stay."""
BY_DAY = re.compile(r"(BYDAY=)([A-Z]{2}(?:,[A-Z]{2})+)")


@dataclass(frozen=True, slots=True)
class CalledOff:
    """`days` are the stretches that were named with it, None if none was."""

    matter: str
    days: tuple[Stretch, ...] | None
    said_on: date
    is_own: bool = True
    """Whether no other than the user is told to have called it off."""

    def is_said_of(self, message: str, time: str, on: date, until: date | None = None) -> bool:
        """Return whether a message about what is to come tells of the same, in whatever forms of its words."""
        end = until or on
        # "In July" is the whole of it or what is left, and every day in it.
        if self.days is not None and not any(
            first <= max(on, self.said_on) and first <= end <= last for first, last in self.days
        ):
            return False
        matter = _REMINDER.sub(" ", message.replace(time, " "))
        return _is_same(matter, self.matter) or self._is_of_trip(matter)

    def _is_of_trip(self, matter: str) -> bool:
        # "Our Rome holiday" is "our holiday to Rome".
        off, going = (_TRIP_BEFORE.sub(r"\g<lead>\g<kind> to \g<place>", text) for text in (self.matter, matter))
        if not self.is_own or _NOT_OUR_OWN.search(matter) or not _TRIP_OFF.search(off):
            return False
        return bool(_GOING.search(going)) and _is_same(_GOING.sub(" ", going), _TRIP_OFF.sub(" ", off))


def read_called_off(statement: str, said_at: datetime) -> list[CalledOff]:
    """Return what is called off, in order. Linear; of a long text the beginning is read."""
    if not _MAY_BE_OFF.search(statement):
        return []
    text = unicodedata.normalize("NFC", strip_private(strip_fenced(statement)))[:READ_CHARACTERS]
    places = list(_OFF.finditer(text))
    read = [_read(text, place, said_at) for place in places] if len(places) <= MOST_OF_A_MESSAGE else []
    return [item for item in read if item]


def _read(text: str, place: re.Match[str], said_at: datetime) -> CalledOff | None:
    """Return None where it is doubtful what is called off, or whether, or on which day."""
    start, end = place.span()
    before, behind = text[max(0, start - READ_AROUND) : start], text[end : end + READ_AROUND]
    before, behind = before[last_break(before) :], behind[: first_break(behind)]
    if reason := _REASON.search(behind):
        behind = behind[: reason.start()]
    matter = f"{before} | {behind}"
    if place["going"]:
        # Who is not going to Rome after all has called off the trip to Rome.
        matter = f"{before} the trip to {_AT_LAST.sub('', behind, count=1)}"
    sentence = sentence_around(text, start, end, 2 * READ_AROUND)
    if _DOUBTFUL.search(matter) or is_asked(sentence) or sentence.endswith("?"):
        return None
    comings, times = find_coming(matter, said_at), find_windows(matter, said_at)
    if any(coming.rule for coming in comings) or (times and not comings):
        return None
    for coming in reversed(comings):
        matter = f"{matter[: coming.start]} {matter[coming.end :]}"
    days = tuple((coming.on, coming.until or coming.on) for coming in comings)
    return CalledOff(matter, days or None, said_at.date(), not place["other"])


def _is_same(first: str, other: str) -> bool:
    owners, others = ({word.lower() for word in _OWNERS.findall(text)} for text in (first, other))
    return used_share(first, other) == used_share(other, first) == 1.0 and owners == others


def find_replaced(messages: Mapping[int, str], text: str) -> dict[int, str]:
    """Return the sentence that takes it back, by the key of what was told to come."""
    if not messages or not is_there():
        return {}
    sentences = [sentence.text for sentence in read_sentences(text) if not sentence.is_question][:MOST_SENTENCES]
    stems = {sentence: stems_of(sentence) for sentence in sentences}
    known = {key: stems_of(message) for key, message in messages.items()}
    pairs = [
        (key, sentence)
        for sentence in sentences
        for key in messages
        if stems[sentence] & known[key] or (len(messages) <= FEW and CHANGE.search(sentence))
    ][:MOST_PAIRS]
    judged = judgements([(messages[key], sentence, "") for key, sentence in pairs])
    return {
        key: sentence
        for (key, sentence), judgement in zip(pairs, judged, strict=True)
        if judgement.at_odds >= REPLACED_FROM
    }


def stems_of(text: str) -> set[str]:
    return {word[:STEM] for word in WORD.findall(text.casefold()) if word not in STOP_WORDS}


def without_days_of(rule: str, sentence: str) -> str:
    """Return the rule (RFC 5545) without the weekdays that the sentence gives up; empty where none or all are."""
    by_day = BY_DAY.search(rule)
    if not by_day:
        return ""
    days = by_day[2].split(",")
    named = {day for day in days if re.search(rf"\b{DAYS[day]}\b", sentence, re.IGNORECASE)}
    is_all = bool(ONLY.search(sentence))
    left = [day for day in days if (day in named) == is_all]
    return BY_DAY.sub(lambda match: match[1] + ",".join(left), rule) if left and named else ""


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
