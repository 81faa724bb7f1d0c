"""Taking back what one source did to a memory: field by field, as far as nobody else has changed it since.

Unlike the writer's undo, which takes back a last change, it leaves standing what others did after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memories.models import LIVE, Action, LinkKind, Memory, Revision, Status
from memories.store.confidence import clamp, confidence_at, settle
from memories.store.lineage import set_free
from memories.store.revisions import TRACKED, parse, snapshot
from memories.store.writer import NOTED, Writer

SURENESS = ("confidence", "confidence_base", "anchored_at")
"""Given back in steps: what others have added or taken meanwhile stays."""
FIELDS = tuple(name for name in TRACKED if name not in SURENESS)
WORDS = ("content", "origin", "made_by", "entities", "reviewed_by", "reviewed_at")
"""The words, and what is known of just these."""
VALIDITY = ("valid_from", "valid_until")

Asked = Callable[[Revision], bool]


def take_back(write: Writer, memory: Memory, is_theirs: Asked, is_own: Asked, reason: str) -> None:
    """The memory is left as if the source had not made the changes that `is_theirs` says it made.

    `is_own` says which revisions are of rollbacks of this source: they are no decision of anybody's, and the steps of
    confidence before one of them are given back already. So it does nothing when it is done again. One revision, none
    if nothing is another than it was. A query to know, and one for each contradiction.
    """
    before = snapshot(memory)
    rows = list(memory.revisions.exclude(action__in=NOTED).order_by("-number"))
    was = as_before(before, rows, is_theirs, is_own)
    # What lies in the cold archive is at hand while it is changed.
    memory.content = before["content"]
    for name in FIELDS:
        if name != "status" and was[name] != before[name]:
            setattr(memory, name, parse(name, was[name]))
    put_back(write, memory, was["status"], before)
    done_to = max((row.number for row in rows if row.action == Action.UNDONE and is_own(row)), default=0)
    steps = [step_of(memory, row) for row in rows if row.number > done_to and is_theirs(row)]
    give_back(write, memory, sum(steps), is_steadied=memory.pinned != before["pinned"])
    if (memory.content, memory.subject) != (before["content"], before["subject"]):
        memory.vectors.all().delete()
    if snapshot(memory) != before:
        write.keep(memory, Action.UNDONE, before, reason)


def as_before(now: dict[str, Any], rows: Sequence[Revision], is_theirs: Asked, is_own: Asked) -> dict[str, Any]:
    """A snapshot without what the source did, by the memory's revisions, the latest first.

    Only who gave a field the value that it has counts: what it does not say any more was taken back or overwritten.
    """
    was, then, stands = dict(now), dict(now), set[str]()
    for row in rows:
        then |= row.before
        if is_own(row):
            continue
        for name in [name for name in FIELDS if name in row.before and name not in stands]:
            is_of_others_words = name in WORDS and "content" in stands
            if is_of_others_words or not is_set_by(row, name, was[name]):
                continue
            if not is_theirs(row):
                stands.add(name)
            elif name == "content":
                # A review of the words that go does not speak for those that come back.
                was |= {word: then[word] for word in WORDS}
                stands -= {*WORDS}
            else:
                was[name] = row.before[name]
    start, end = (parse(name, was[name]) for name in VALIDITY)
    return was | ({name: now[name] for name in VALIDITY} if start and end and end < start else {})


def is_set_by(row: Revision, name: str, value: Any) -> bool:
    before, after = row.before[name], row.after[name]
    if name != "status":
        return bool(after == value)
    # Which of the two live ones follows from how sure it is.
    return alive(after) == alive(value) and alive(before) != alive(after)


def alive(status: str) -> str:
    return Status.ACTIVE if status in LIVE else status


def put_back(write: Writer, memory: Memory, status: str, before: dict[str, Any]) -> None:
    """What was set aside comes back if the app has room for it, so that nothing else has to go.

    What another memory stood for was looked at by whoever set it free: it stays free.
    """
    if alive(status) == alive(memory.status) or status == Status.SUPERSEDED:
        return
    if status in LIVE and memory.status not in LIVE and write.count >= write.limit:
        return
    if memory.is_superseded:
        set_free(memory, before)
    memory.status = status


def step_of(memory: Memory, row: Revision) -> float:
    """What a change took from the confidence. A contradiction holds while there is its link, which goes with it."""
    if "confidence" not in row.before:
        return 0.0
    if row.action == Action.CONTRADICTED:
        links = memory.links_in.filter(kind=LinkKind.CONTRADICTS, created_at=row.created_at)
        if not links.delete()[0]:
            return 0.0
    return float(row.before["confidence"] - row.after["confidence"])


def give_back(write: Writer, memory: Memory, step: float, *, is_steadied: bool) -> None:
    """From what its confidence is now. `is_steadied`: it decays from now on, or does not any more."""
    if memory.status == Status.COLD:
        return
    if step or is_steadied:
        value = clamp(confidence_at(memory, write.now, write.policy) + step)
        settle(memory, value, write.now, write.policy)
    memory.status = write.status_for(memory)
