"""Tools for what is to come."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from memories.agent import MemoryAgent
from memories.api.shapes.triggers import NewTrigger
from memories.api.storing import StoringView
from memories.api.views.triggers import memories_named
from memories.learn.trigger_span import WrongTrigger
from memories.mcp.brief import take
from memories.mcp.tools import ARGUMENTS, Cursor, Limit, UserId, given, read, toolbox
from memories.models import FutureTrigger

__all__ = ["toolbox"]


@toolbox.reads("What is to come")
def triggers(
    door: StoringView,
    status: Literal["waiting", "done", "cancelled"] | None = "waiting",
    limit: Limit = 20,
    cursor: Cursor = None,
    user_id: UserId = None,
) -> dict[str, Any]:
    """Days to come and what has to be in view on them, the latest noted first."""
    agent = door.memory_agent()
    rows = agent.triggers_of(user_id).filter(**given(status=status, user_id=user_id))
    some, following = take(rows, limit, cursor)
    return {"triggers": [brief_trigger(agent, row) for row in some]} | given(next=following)


@toolbox.writes("Note what is to come")
def add_trigger(
    door: StoringView,
    date: Annotated[str, Field(description="The day, as 2026-12-31; of what comes round, the first.")],
    message: Annotated[str, Field(description="What is then.")],
    time: Annotated[str | None, Field(description="Of the clock, as 15:00.")] = None,
    until: Annotated[str | None, Field(description="The last day, of a stretch of days.")] = None,
    rule: Annotated[str | None, Field(description="How it comes round (RFC 5545): FREQ=WEEKLY.")] = None,
    memory_ids: Annotated[list[str] | None, Field(description="Memories to bring up that day.")] = None,
    user_id: UserId = None,
) -> dict[str, Any]:
    """Brings something up on its day, at the start of each session."""
    body = read(
        NewTrigger, trigger_date=date, message=message, trigger_time=time, until=until, rule=rule,
        memory_ids=memory_ids, user_id=user_id,
    )  # fmt: skip
    agent = door.memory_agent()
    memories = memories_named(agent, body.pop("memory_ids"))
    door.count_writes(1)
    try:
        return brief_trigger(agent, agent.add_trigger({**body, "text": str(body["trigger_date"])}, memories))
    except WrongTrigger as wrong:
        reason = str(wrong).replace("trigger_date", ARGUMENTS["trigger_date"])
        raise WrongTrigger(ARGUMENTS.get(wrong.field, wrong.field), reason) from None


def brief_trigger(agent: MemoryAgent, row: FutureTrigger) -> dict[str, Any]:
    told = {"id": row.uid, "date": row.trigger_date, "message": row.message, "status": row.status}
    memories = [memory.uid for memory in agent.brought_up(row)]
    return told | given(
        time=row.trigger_time, until=row.until, rule=row.rule or None, user_id=row.user_id, memory_ids=memories or None
    )
