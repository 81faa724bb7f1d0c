"""Agents' doors to recall: search, and blocks to put before the agent."""

from __future__ import annotations

import time

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView
from memories.api.searching import search_page
from memories.api.shapes.memories import (
    ContextAnswer,
    ContextQuestion,
    SearchAnswer,
    SearchQuestion,
    show_hit,
    show_tagged,
    show_told,
)
from memories.text.messages import Message
from memsite.tenancy.policy import Block

MAX_QUESTION_CHARACTERS = 2_000


class Search(AgentView):
    answers_anew = True
    scope = "read"

    @extend_schema(request=SearchQuestion, responses=SearchAnswer, operation_id="search_memories")
    def post(self, request: Request) -> Response:
        """What fits the query, best first. Nothing fits: nothing is found."""
        started, body = time.perf_counter(), self.read(SearchQuestion)
        explain, app = body["explain"], self.app
        found, cursor = search_page(self.memory_agent(), body, self.caller().commit)
        return Response(
            {
                "results": [show_hit(hit, app, explain=explain) for hit in found.hits],
                "summaries": [show_told(told) for told in found.summaries],
                "next": cursor,
                "tier_answered": found.tier,
                "took_ms": round(1000 * (time.perf_counter() - started), 2),
                "degraded": found.degraded,
                **({"scores_combined": found.combined} if explain else {}),
            }
        )


class ContextBlock(AgentView):
    answers_anew = True
    scope = "read"

    @extend_schema(request=ContextQuestion, responses=ContextAnswer, operation_id="get_context")
    def post(self, request: Request) -> Response:
        """A block for the prompt: what answers the question, or what is known without one."""
        body = self.read(ContextQuestion)
        messages = [Message(message["role"], message["content"]) for message in body.get("messages", [])]
        question = body["query"][-MAX_QUESTION_CHARACTERS:].strip()
        asked = bool(question or messages)
        wanted = body.get("format") or (Block.TURN if asked else self.app.policy.block)
        context = self.memory_agent().context(
            Block.TURN if wanted == "json" else wanted,
            question=question,
            messages=messages,
            session=self.session(body["session_id"]) if body["session_id"] else None,
            turn_number=body["turn_number"],
            max_tokens=body["max_tokens"],
            limit=body["limit"],
            user_id=body["user_id"],
        )
        injected = context.injected
        return Response(
            {
                "text": "" if wanted == "json" else injected.text,
                "tokens": 0 if wanted == "json" else injected.tokens,
                "included": len(injected.memories),
                "total": injected.total,
                "memories": [show_tagged(memory, context.tags[memory.pk]) for memory in injected.memories],
                "tier_answered": context.tier_answered,
                "economised": context.economised,
                "degraded": list(context.degraded),
            }
        )
