"""Turns as checkpoints: stored once, replayed, recovered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef

from memories.language.secrets import each_text, redact, without_private, without_secrets
from sessions.models import MAX_TURN, AgentSession, Resource, Turn
from sessions.recording import note_activity


class DifferentCheckpoint(Exception):
    """The turn is already stored with another body."""


class NoTurnLeft(Exception):
    """The highest number is taken: no turn comes after it."""

    def __init__(self) -> None:
        super().__init__("The session has no turn numbers left: go on in another session.")


@dataclass(frozen=True, slots=True)
class Replay:
    """The state after `turn_number`, and the turns that led there."""

    turn_number: int
    state: Any
    turns: list[Turn]


def fingerprint(checkpoint: Mapping[str, Any]) -> str:
    """Return SHA-256 of the canonical JSON."""
    return hashlib.sha256(json.dumps(checkpoint, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@transaction.atomic
def store_turn(session: AgentSession, number: int, checkpoint: Mapping[str, Any], now: datetime) -> tuple[Turn, bool]:
    """Return the turn, and whether it is new. Raises DifferentCheckpoint, and SessionGone.

    What was said between `<private>` tags is not in it, but tells one body from another; a secret does not, where the
    app's policy keeps none.
    """
    note_activity(session, now)
    if session.app.policy.redact_raw:
        public = {name: each_text(value, without_secrets) for name, value in checkpoint.items()}
        # What is told of a text where nothing may be told of its secrets.
        checkpoint = {name: each_text(value, lambda text: redact(text).text) for name, value in checkpoint.items()}
    else:
        public = without_private(checkpoint)
    print_ = fingerprint(checkpoint)
    try:
        with transaction.atomic():
            turn = Turn.objects.create(
                app_id=session.app_id, session=session, number=number, fingerprint=print_, created_at=now, **public
            )
    except IntegrityError:
        turn = Turn.objects.for_app(session.app).get(session=session, number=number)
        if turn.fingerprint != print_:
            raise DifferentCheckpoint from None
        return turn, False
    return turn, True


def next_turn_number(session: AgentSession) -> int:
    """Return the one after the last. Raises NoTurnLeft."""
    turns = Turn.objects.for_app(session.app).filter(session=session)
    return number_after(turns.aggregate(last=Max("number"))["last"] or 0)


def number_after(number: int) -> int:
    """Raise NoTurnLeft."""
    if number >= MAX_TURN:
        raise NoTurnLeft
    return number + 1


def replay(session: AgentSession, number: int) -> Replay | None:
    """Return the session as it was after turn `number`; None if that turn is not stored."""
    turns = list(Turn.objects.for_app(session.app).filter(session=session, number__lte=number).order_by("number"))
    if not turns or turns[-1].number != number:
        return None
    return Replay(number, turns[-1].internal_state, turns)


def recover(session: AgentSession) -> Turn | None:
    """Return the last checkpoint, from which an agent goes on after a crash."""
    return Turn.objects.for_app(session.app).filter(session=session).order_by("-number").first()


def unread_turns(session: AgentSession) -> list[Turn]:
    """Turn of which no text was kept as a resource: whoever stored them died before. One query if there is none."""
    texts = Resource.objects.for_app(session.app).filter(session=session)
    of_its_number = texts.filter(turn_number=OuterRef("number"))
    turns = Turn.objects.for_app(session.app).filter(~Exists(of_its_number), session=session).order_by("number")
    # A stream's texts come before their turn, which takes another number if theirs was taken meanwhile.
    return [
        turn
        for turn in turns
        if not any(
            text in turn.user_input or text in turn.llm_output
            for text in texts.values_list("raw_content", flat=True).iterator()
        )
    ]
