"""What a file says → what this app may take over of it: no secret, and nobody's trust on the file's own word.

Who said something, and who has reviewed it, is believed of a file that this server has signed, or for which an operator
vouches. Of any other each memory is a program's word that nobody has reviewed, and looked at like one that an agent
stores: it may have to wait for a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.crypto import salted_hmac

from memories.capture.candidates import FROM_UNSIGNED
from memories.capture.quarantine import (
    PLAIN,
    READ_BY_AGENTS,
    Refusal,
    plain_fields,
    reason_to_wait,
    refuse,
    suspicion_in,
)
from memories.import_export.export import POLICY
from memories.import_export.files import CONVERSATION, moment
from memories.import_export.restore import (
    KNOWN,
    LEFT_OUT,
    REDACTED,
    UNTRUSTED,
    WITHHELD,
    WRITTEN_ANEW,
    key_of,
    known_keys,
    noted,
)
from memories.import_export.tables import BY_NAME, Line, Table
from memories.models import Source
from memories.store import Candidate, Writer
from memories.text.clean import each_text, secret_in_name, texts_in, without_secrets
from memories.text.secrets import redact
from memsite.tenancy.models import Agent, App
from memsite.tenancy.origin import Origin, least_trusted
from memsite.tenancy.policy import TRUST_FIELDS
from sessions.models import AgentSession

DIGITS = 12


def stand_in(name: str) -> str:
    """The name; of one that holds a secret a name of its own, the same each time that it is met with this secret key.

    Whoever sends such a name is refused (`memories.api.fields.Name`): a stand-in would match nothing any more once the
    key is another. A file is whole, and has to agree with itself only; and nobody can mend what was noted years ago.
    """
    kind = secret_in_name(name)
    if not kind:
        return name
    digits = salted_hmac("memories.agent.admitting", name, algorithm="sha256").hexdigest()[:DIGITS]
    return f"redacted-{re.sub('[^a-z]+', '-', kind.lower())}-{digits}"


NAMES = ("external_id", "user_id", "name", "category", "source_key", "made_by", "service", "model")
"""Columns by which rows are found again: a secret that is one is replaced by what stands for it, the same each time."""
COMPUTED = ("fingerprint", "data")
RAW = {"resource": ("raw_content",), "turn": ("user_input", "tool_calls", "llm_output", "internal_state")}
"""What was said, word for word unless the app's policy says otherwise."""


class Admission:
    """Of one file into one app. `is_trusted`: it is believed."""

    def __init__(self, app: App, *, is_trusted: bool, is_fresh: bool) -> None:
        self.app, self.is_trusted, self.is_fresh = app, is_trusted, is_fresh
        self.redacts_raw = app.policy.redact_raw

    def admitted(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Yield each line with what may be taken over, and notes of changes: see `memories.import_export.restore`."""
        for line in lines:
            if line["type"] == POLICY:
                yield self.policy(line)
            elif line["type"] in BY_NAME:
                yield self.believed(self.without_secrets(BY_NAME[line["type"]], line))
            else:
                yield self.told_elsewhere(line)

    def policy(self, line: Line) -> Line:
        if not self.is_trusted:
            line = line | {name: getattr(self.app.policy, name) for name in TRUST_FIELDS}
        if self.is_fresh:
            self.redacts_raw = line["redact_raw"]
        names = [stand_in(name) for name in line["marker_categories"]]
        days = {stand_in(name): number for name, number in line["ttl_days"].items()}
        told = {"name": without_secrets(line["name"]), "marker_categories": names, "ttl_days": days}
        return changed(line, told)

    def without_secrets(self, table: Table, line: Line) -> Line:
        raw = () if self.redacts_raw else RAW.get(table.name, ())
        values = {name: value for name, value in line.items() if name not in raw and name not in COMPUTED}
        line = changed(line, {name: kept(table, name, value) for name, value in values.items()})
        # By their keys entities are one with those that other texts name: one whose key was a secret is none.
        is_lost = REDACTED in line and table.name in ("entity", "mention")
        return line | {WITHHELD: ["", "its key is a secret"]} if is_lost else line

    def told_elsewhere(self, line: Line) -> Line:
        """A fact or a conversation of another system: what was said in it is dealt with like anything that is said."""
        values = {name: value for name, value in line.items() if name != "messages"}
        line = changed(line, {name: kept(None, name, value) for name, value in values.items()})
        if line["type"] == CONVERSATION:
            line["messages"] = [self.message(one) for one in line["messages"]]
        return line

    def message(self, said: Line) -> Line:
        content = redact(said["content"]).text if self.redacts_raw else said["content"]
        return said | {"id": kept(None, "id", said["id"]), "content": content}

    def believed(self, line: Line) -> Line:
        if not self.is_trusted and line["type"] in WRITTEN_ANEW:
            return line | {UNTRUSTED: True}
        change = None if self.is_trusted else DEMOTE.get(line["type"])
        return change(self.app, line) if change else line


def kept(table: Table | None, name: str, value: Any) -> Any:
    """A value of a line without secrets; names of rows, times and words of a list of choices hold none."""
    if value is None or name in ("type", "uid", "was") or isinstance(value, int | float):
        return value
    ref = next((one for one in table.refs if one.field == name), None) if table else None
    if name in NAMES or (ref and ref.table == "agent") or (table is None and name == "id"):
        return stand_in(value)
    if ref and ref.table != "entity":
        return value
    if table and name in table.columns:
        column = table.column(name)
        if column.choices or column.get_internal_type() not in ("CharField", "TextField", "JSONField"):
            return value
    return each_text(value, without_secrets)


def changed(line: Line, values: Mapping[str, Any]) -> Line:
    return {**line, **values, REDACTED: True} if any(line[name] != value for name, value in values.items()) else line


def withhold(write: Writer, lines: Sequence[Line]) -> Counter[str]:
    """Rows of one type that are not taken over: a memory waits for a person, with where it comes from."""
    if not lines:
        return Counter()
    known = known_keys(BY_NAME[lines[0]["type"]], write.app, lines)
    new = [line for line in lines if key_of(BY_NAME[line["type"]], line) not in known]
    for line in new:
        if line["type"] == "memory":
            kind, reason = line[WITHHELD]
            candidate = candidate_of(write.app, line)
            refuse(write, Refusal(line["category"], reason, candidate.content, kind, {}, plain_fields(candidate)),
                   candidate=candidate)  # fmt: skip
    return +(Counter({KNOWN: len(lines) - len(new), LEFT_OUT: len(new)}) + noted(new))


def candidate_of(app: App, line: Line) -> Candidate:
    """The memory of a line, with its agent and session as far as the app has them."""
    fields = {name: line[name] for name in PLAIN if name not in ("valid_from", "valid_until")}
    fields["entities"] = fields["entities"] or []
    agents, sessions = Agent.objects.for_app(app), AgentSession.objects.for_app(app)
    return Candidate(
        **fields,
        agent=agents.filter(name=line["agent"]).first() if line["agent"] else None,
        session=sessions.filter(uid=line["session"]).first() if line["session"] else None,
        turn_number=line["turn_number"],
        valid_from=moment(line["valid_from"]),
        valid_until=moment(line["valid_until"]),
    )


# --- what is taken over of a file that nobody vouches for


def demoted(state: Mapping[str, Any]) -> Line:
    """Fields of a memory as a program tells them."""
    origin = state.get("origin", Origin.AGENT)
    told = {
        "origin": least_trusted((origin if origin in Origin.values else Origin.AGENT, Origin.AGENT)).value,
        "reviewed_by": "",
        "reviewed_at": None,
    }
    return {**state, **{name: value for name, value in told.items() if name in state}}


def demoted_memory(app: App, line: Line) -> Line:
    told = demoted(line)
    if told["source"] == Source.OPERATOR:
        told["source"] = Source.API.value
    if why := reason_to_wait(told, told["origin"], app.policy):
        told[WITHHELD] = list(why)
    return told | ({UNTRUSTED: True} if any(told[name] != line[name] for name in ("origin", "reviewed_at")) else {})


def demoted_revision(app: App, line: Line) -> Line:
    """Nobody is given back by it what would not have come in as a memory; its author is whom the file names."""
    states = {side: demoted(line[side]) for side in ("before", "after")}
    told = line | states | {"actor": f"file: {line['actor']}"[:200]}
    if any(suspicion_in(texts_of(state)) for state in states.values()):
        told[WITHHELD] = ["", "a text that is not for an agent to read"]
    return told | ({UNTRUSTED: True} if any(states[side] != line[side] for side in states) else {})


def texts_of(state: Mapping[str, Any]) -> Iterator[str]:
    for name in READ_BY_AGENTS:
        yield from texts_in(state.get(name))


def demoted_rejection(app: App, line: Line) -> Line:
    candidate = line["candidate"]
    told = demoted(candidate) if isinstance(candidate, dict) else candidate
    return line if told == candidate else line | {"candidate": told, UNTRUSTED: True}


def demoted_trigger(app: App, line: Line) -> Line:
    why = suspicion_in([line["message"], line["text"]])
    return line | {WITHHELD: ["", why]} if why else line


def demoted_session(app: App, line: Line) -> Line:
    """What is learnt from its texts is no user's word either."""
    return line | {"environment": {**line["environment"], FROM_UNSIGNED: True}}


Demote = Callable[[App, Line], Line]
DEMOTE: dict[str, Demote] = {
    "memory": demoted_memory,
    "revision": demoted_revision,
    "rejection": demoted_rejection,
    "trigger": demoted_trigger,
    "session": demoted_session,
}
