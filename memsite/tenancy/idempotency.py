"""Requests that are safe to repeat: the answer is stored in the transaction that did the work, or after it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from hashlib import sha256
from http import HTTPStatus
from operator import or_
from typing import Any
from uuid import UUID

import orjson
from django.db import IntegrityError, connection, transaction
from django.db.models import BinaryField, BooleanField, Func, Q, QuerySet, Value

from memories.language.secrets import secret_in_name
from memsite.config.conf import get_conf
from memsite.db.transactions import in_batches
from memsite.http.exceptions import Conflict, Gone, Unprocessable
from memsite.http.json_body import dump_json
from memsite.tenancy.models import Agent, App, IdempotentAnswer

# Longer than any answer takes: a row left by a killed process can then be taken over.
LEASE = timedelta(minutes=2)
MAX_KEY_LENGTH = 255
BATCH = 500
FEW = 8
"""So many ids the database finds sooner than the answers could be read."""
TAKEN_OVER = "Another request with this Idempotency-Key took over."
UID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Places whose request failed in this process, and whether the next one goes on: as many as it has threads at most.
to_free: set[tuple[int, datetime, bool]] = set()


@dataclass(slots=True)
class Slot:
    """One key's place. `answer` is what was answered before, None when the work is still to be done.

    `goes_on`: a request that breaks off leaves its place to the same one sent again, with the `name` it had.
    """

    row: IdempotentAnswer | None = None
    answer: tuple[int, Any] | None = None
    is_stored: bool = False
    goes_on: bool = False
    past: IdempotentAnswer | None = None
    """What was answered to this key, where it has still to be seen whether it was to this request: see `repeat`."""

    @property
    def name(self) -> str | None:
        """Return the same each time that one request is sent, and no other's."""
        row = self.row
        return sha256(f"{row.pk} {row.caller} {row.key}".encode()).hexdigest()[:32] if row else None

    def stay(self, now: datetime) -> None:
        """Keep the place for work that goes on longer. Conflict if somebody else has taken it."""
        if self.row is None or now < self.row.created_at + LEASE / 4:
            return
        if not self.rows().update(created_at=now):
            raise Conflict(TAKEN_OVER)
        self.row.created_at = now

    def rows(self) -> QuerySet[IdempotentAnswer]:
        """Return its row, as long as it is this request's."""
        assert self.row is not None
        return IdempotentAnswer.objects.filter(pk=self.row.pk, status=0, created_at=self.row.created_at)

    def repeat(self, print_: str) -> None:
        """Judge the request, now read to its end. Unprocessable if it is another one."""
        if self.past is not None:
            self.answer = answer_of(self.past, print_)
        elif self.row is not None:
            self.row.fingerprint = print_

    def keep(self, status: int, body: Mapping[str, Any]) -> None:
        """Store the answer. Call it in the transaction that does the work."""
        if self.row is None:
            return
        if not self.rows().update(status=status, body=dump_json(body), fingerprint=self.row.fingerprint):
            raise Conflict(TAKEN_OVER)
        self.is_stored = True

    def keep_instead(self, status: int, body: Mapping[str, Any]) -> None:
        """Store what there is to say now, of work that went on after its transaction."""
        if self.row is not None:
            IdempotentAnswer.objects.filter(pk=self.row.pk, status=status).update(body=dump_json(body))


@contextmanager
def idempotent(caller: str, key: str | None, request: Mapping[str, Any] | None, now: datetime) -> Iterator[Slot]:
    """Yield a slot for this key. Conflict while a twin is at work, Unprocessable if the key meant something else.

    Nothing is stored for a request that fails: it may be mended and sent again with the same key. `request` None: it
    is read in the slot, and what it was is said by `repeat`.
    """
    if key is None:
        yield Slot()
        return
    if not 0 < len(key) <= MAX_KEY_LENGTH or not key.isprintable():
        raise Unprocessable(f"Idempotency-Key: 1 to {MAX_KEY_LENGTH} printable characters.")
    if kind := secret_in_name(key):
        raise Unprocessable(
            f"Idempotency-Key: this looks like a secret ({kind}), and keys are stored: choose another one."
        )
    slot = claim(caller, key, fingerprint(request) if request is not None else None, now)
    is_answered = False
    try:
        yield slot
        is_answered = slot.is_stored
    finally:
        # What was kept in a transaction that failed after all, at its commit even, is not there.
        if slot.row and not is_answered:
            # Where the connection broke off, by another one.
            connection.close_if_unusable_or_obsolete()
            to_free.add((slot.row.pk, slot.row.created_at, slot.goes_on))
            free()


def free() -> None:
    """Free the place; while the database is away, that is left to whoever claims it next."""
    for place in tuple(to_free):
        pk, created_at, goes_on = place
        rows = IdempotentAnswer.objects.filter(pk=pk, status=0, created_at=created_at)
        if goes_on:
            rows.update(created_at=created_at - LEASE)
        else:
            rows.delete()
        to_free.discard(place)


def fingerprint(request: Mapping[str, Any]) -> str:
    try:
        data = orjson.dumps(request, option=orjson.OPT_SORT_KEYS, default=str)
    except orjson.JSONEncodeError:
        # An integer beyond 64 bits: whether it may be one is for the shape of the body to say.
        data = json.dumps(request, sort_keys=True, default=str).encode()
    return sha256(data).hexdigest()


def claim(caller: str, key: str, print_: str | None, now: datetime) -> Slot:
    free()
    expired = now - timedelta(hours=get_conf().idempotency_hours)
    IdempotentAnswer.objects.filter(caller=caller, key=key, created_at__lte=expired).delete()
    try:
        with transaction.atomic():
            row = IdempotentAnswer.objects.create(caller=caller, key=key, fingerprint=print_ or "", created_at=now)
            return Slot(row, goes_on=print_ is None)
    except IntegrityError:
        stored = IdempotentAnswer.objects.filter(caller=caller, key=key).first()
    if stored is None:
        raise Conflict("A request with this Idempotency-Key has just ended: send it again.")
    if not stored.status:
        # Take over the place of a twin whose lease has run out. Raises Conflict while it is at work.
        stale = IdempotentAnswer.objects.filter(pk=stored.pk, status=0, created_at=stored.created_at)
        if stored.created_at > now - LEASE or not stale.update(created_at=now, fingerprint=print_ or ""):
            raise Conflict("A request with this Idempotency-Key is being answered.")
        stored.created_at, stored.fingerprint = now, print_ or ""
        return Slot(stored, goes_on=print_ is None)
    return Slot(past=stored) if print_ is None else Slot(answer=answer_of(stored, print_))


def answer_of(row: IdempotentAnswer, print_: str) -> tuple[int, Any]:
    if row.fingerprint != print_:
        raise Unprocessable("This Idempotency-Key was used for another request: choose a new one.")
    if row.status == HTTPStatus.GONE:
        raise Gone
    return row.status, orjson.loads(bytes(row.body))


def forget_answers(app: App, uids: Iterable[UUID]) -> None:
    """Empty answers that tell of what is being deleted.

    The database looks through the app's and all operators' of the last day for a few ids; for more of them they are
    read, once.
    """
    gone = {str(uid).encode() for uid in uids}
    by_key_or_session = Q(caller__startswith="key:") | Q(caller__startswith="user:")
    rows = answers_of(app) | IdempotentAnswer.objects.filter(by_key_or_session, status__gt=0).exclude(
        status=HTTPStatus.GONE
    )
    if len(gone) <= FEW:
        if gone:
            silence(rows.filter(reduce(or_, [Q(Holds("body", uid)) for uid in gone])))
        return
    stale_pks = [pk for pk, body in rows.values_list("pk", "body").iterator() if gone & set(UID.findall(bytes(body)))]
    for batch in in_batches(stale_pks, BATCH):
        silence(IdempotentAnswer.objects.filter(pk__in=batch))


class Holds(Func):
    """Whether these bytes stand in a column of bytes."""

    template = "%(function)s(%(expressions)s) > 0"
    function = "instr"
    output_field = BooleanField()

    def __init__(self, column: str, part: bytes) -> None:
        super().__init__(column, Value(part, BinaryField()))

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Any:
        return self.as_sql(compiler, connection, function="pg_catalog.position")


def forget_all_answers(app: App) -> None:
    silence(answers_of(app))


def answers_of(app: App) -> QuerySet[IdempotentAnswer]:
    """Return the answers to the app's agents, as far as they still say something."""
    callers = [f"agent:{pk}" for pk in Agent.objects.for_app(app).values_list("pk", flat=True)]
    return IdempotentAnswer.objects.filter(caller__in=callers, status__gt=0).exclude(status=HTTPStatus.GONE)


def silence(answers: QuerySet[IdempotentAnswer]) -> None:
    answers.update(status=HTTPStatus.GONE, body=b"")
