"""What waits for its day and is no memory yet becomes one, so that it can be asked for: "Dentist next Friday at 3pm."

The rules find no fact in a plan without a verb, and a model may pass over it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.capture.facts import Found, sort_out
from memories.models import FutureTrigger, TriggerStatus
from memories.providers.llm.provider import Fact
from memories.providers.llm.rules.facts import is_once
from memories.text.dating import make_dates_plain
from memories.text.overlap import used_share
from sessions.models import AgentSession, Role

ADDRESSED = re.compile(
    r"\b(?:I|we|you|he|she|they|it|us|let['’]s|ich|wir|du|ihr|je|nous|vous|yo)\b|\b(?:talk|see|luck|thanks|night|enjoy)\b",
    re.IGNORECASE,
)
"""Who says what somebody does has used a verb: whether that is a fact, is judged as of any other sentence."""
TO_BE_REMINDED = re.compile(r"\W*(?:please,? )?(?:remind|don['’]t forget|remember)\b", re.IGNORECASE)
ENOUGH = 0.5
"""The share of a plan's words with which something else that was found in its text tells of it."""


def add_plans(session: AgentSession, found: Sequence[Found]) -> None:
    """Add to what was found in users' texts the plans that nothing of it tells of. One query, if users spoke.

    What was refused is not brought back: the gate had its reason. A plan passes the same gate.
    """
    by_resource = {one.resource.pk: one for one in found if one.resource.role == Role.USER and not one.denied}
    if not by_resource:
        return
    waiting = FutureTrigger.objects.for_app(session.app).filter(
        status=TriggerStatus.WAITING, resource__in=by_resource, memories=None
    )
    for resource_pk, message in waiting.order_by("pk").values_list("resource", "message"):
        one = by_resource[resource_pk]
        speaker = one.resource.speaker
        message = message.removeprefix(f"{speaker}: ")
        if ADDRESSED.search(message) and not TO_BE_REMINDED.match(message):
            continue
        told = [candidate.content for candidate in one.candidates] + [refusal.content for refusal in one.refusals]
        if not any(used_share(message, text) >= ENOUGH for text in told):
            said_at = one.resource.said_at(session.app.policy.time_zone)
            dated = make_dates_plain(message, said_at)
            content = dated.text
            content = content[:1].upper() + content[1:]
            named = f"{speaker}: {content}" if speaker else content
            until = dated.end if dated.is_to_come and is_once(content) else None
            fact = Fact(content=named, message=0, subject=speaker, quote=message, valid_until=until)
            sort_out(one, fact, session, ())
