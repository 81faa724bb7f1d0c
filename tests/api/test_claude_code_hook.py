"""Claude Code's door: the JSON of its hooks in, the JSON of a hook out."""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest

from memories.models import Injection, Memory
from memories.providers.llm.rules import RulesProvider
from memories.services.base import Caller as Base
from sessions.models import AgentSession, Resource, SessionStatus
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.memories.retrieve.asking import set_policy

# As Claude Code sends it, with what we have no use for.
COMMON = {
    "session_id": "5d1c8a3e-0001",
    "transcript_path": "/home/ada/.claude/projects/-srv-shop/5d1c8a3e-0001.jsonl",
    "cwd": "/srv/shop",
    "permission_mode": "default",
    "effort": {"level": "high"},
}


def hook(caller: Caller, name: str, **more: Any) -> str:
    """The context that is to be put before Claude; "" for none."""
    answer = caller.post("hooks/claude-code", {**COMMON, "hook_event_name": name, **more})
    assert answer.status_code == 200, answer.content
    body = answer.json()
    if not body:
        return ""
    output = body["hookSpecificOutput"]
    assert (body.keys(), output.keys()) == ({"hookSpecificOutput"}, {"hookEventName", "additionalContext"})
    assert output["hookEventName"] == name
    return str(output["additionalContext"])


def say() -> list[tuple[str, str, int | None]]:
    return list(Resource.objects.order_by("pk").values_list("role", "raw_content", "turn_number"))


def test_a_session_from_its_start_to_its_end(alice: Caller) -> None:
    alice.remember("Whales sing at night", category="sea")
    greeting = hook(alice, "SessionStart", source="startup", model="claude-opus-4-5")
    assert "Whales sing at night" in greeting
    session = AgentSession.objects.get()
    assert (session.external_id, session.title, session.environment) == (
        COMMON["session_id"],
        "shop",
        {"client": "claude-code", "cwd": "/srv/shop"},
    )
    alice.remember("Bears sleep all winter", category="wood")
    recalled = hook(alice, "UserPromptSubmit", prompt="When do bears sleep?", prompt_id="p1")
    assert "Bears sleep all winter" in recalled
    assert hook(alice, "Stop", last_assistant_message="Bears sleep all winter.", prompt_id="p1") == ""
    assert Memory.objects.get(category="wood").priority > 1.0
    assert hook(alice, "PreCompact", trigger="auto") == ""
    assert hook(alice, "SessionEnd", reason="prompt_input_exit") == ""
    session.refresh_from_db()
    assert (session.status, session.end_reason) == (SessionStatus.ENDED, "prompt_input_exit")
    assert say() == [("user", "When do bears sleep?", None), ("assistant", "Bears sleep all winter.", None)]


def test_whoever_comes_first_greets(alice: Caller) -> None:
    """Claude Code sends no SessionStart over HTTP."""
    alice.remember("Whales sing at night", category="sea")
    assert "Whales sing at night" in hook(alice, "UserPromptSubmit", prompt="Good morning")
    assert hook(alice, "UserPromptSubmit", prompt="Good morning again") == ""


def test_a_session_that_was_compacted_is_greeted_again(alice: Caller) -> None:
    alice.remember("Whales sing at night", category="sea")
    for source in ("startup", "compact"):
        assert "Whales sing" in hook(alice, "SessionStart", source=source)


def test_what_was_told_before_a_session_was_compacted_is_told_again(alice: Caller) -> None:
    hook(alice, "SessionStart", source="startup")
    alice.remember("Bears sleep all winter", category="wood")
    assert "Bears sleep" in hook(alice, "UserPromptSubmit", prompt="When do bears sleep?", prompt_id="p1")
    hook(alice, "Stop", last_assistant_message="Bears sleep all winter.", prompt_id="p1")
    assert hook(alice, "UserPromptSubmit", prompt="When do bears sleep?", prompt_id="p2") == ""
    hook(alice, "PreCompact", trigger="auto")
    assert "Bears sleep" in hook(alice, "UserPromptSubmit", prompt="When do bears sleep?", prompt_id="p3")


def test_a_session_that_is_resumed_is_told_what_is_new(alice: Caller) -> None:
    alice.remember("Whales sing at night", category="sea")
    alice.remember("Ask before you push", category="work", kind="lesson")
    assert "Whales sing" in hook(alice, "SessionStart", source="startup")
    hook(alice, "SessionEnd", reason="other")
    assert hook(alice, "SessionStart", source="resume") == ""
    alice.remember("Bears sleep all winter", category="wood")
    resumed = hook(alice, "SessionStart", source="resume")
    assert "Bears sleep" in resumed
    assert "Whales sing" not in resumed
    assert "Ask before" not in resumed
    greeted = hook(alice, "SessionStart", source="compact")
    assert all(answer in greeted for answer in ("Bears sleep", "Whales sing", "Ask before"))


def test_a_session_that_is_resumed_here_for_the_first_time_is_told_all(alice: Caller) -> None:
    alice.remember("Whales sing at night", category="sea")
    assert "Whales sing" in hook(alice, "SessionStart", source="resume")


def test_a_session_that_another_is_forked_off_stays_as_it_ended(alice: Caller) -> None:
    hook(alice, "UserPromptSubmit", prompt="Good morning")
    hook(alice, "SessionEnd", reason="other")
    hook(alice, "SessionStart", source="resume")
    session = AgentSession.objects.get()
    assert (session.status, session.end_reason) == (SessionStatus.ENDED, "other")
    hook(alice, "UserPromptSubmit", prompt="Good evening")
    session.refresh_from_db()
    assert (session.status, session.end_reason) == (SessionStatus.ACTIVE, "")


def test_the_end_of_a_session_that_never_began_makes_none(alice: Caller) -> None:
    """`claude mcp list` tells of one."""
    hook(alice, "SessionEnd", reason="other", messages=[])
    assert AgentSession.objects.count() == 0


def test_what_is_not_asked_is_not_answered(alice: Caller) -> None:
    hook(alice, "SessionStart")
    alice.remember("Bears sleep all winter", category="wood")
    assert hook(alice, "UserPromptSubmit", prompt="ok, thanks") == ""


def test_a_question_is_asked_with_what_it_follows(alice: Caller) -> None:
    hook(alice, "SessionStart")
    hook(alice, "UserPromptSubmit", prompt="Tell me about the deployment of caddy")
    hook(alice, "Stop", last_assistant_message="It runs on the nas.")
    alice.remember("Caddy must be started after WireGuard", category="dependency")
    assert "WireGuard" in hook(alice, "UserPromptSubmit", prompt="and what must be started before it?")


def test_markers_in_an_answer_become_memories(alice: Caller) -> None:
    hook(alice, "Stop", last_assistant_message="[MEMORY:timing:jellyfin] Takes 60s to start")
    assert Memory.objects.get().subject == "jellyfin"


@pytest.mark.parametrize("name", ["UserPromptSubmit", "Stop"])
def test_the_same_event_twice_is_said_once(alice: Caller, name: str) -> None:
    for _ in range(2):
        hook(alice, name, prompt="When do bears sleep?", last_assistant_message="In winter.", prompt_id="p1")
    assert len(say()) == 1


def test_what_memsite_hook_has_read_counts_instead_of_the_event(alice: Caller) -> None:
    messages = [
        {"role": "user", "content": "When do bears sleep?", "external_id": "u1", "at": "2026-03-05T08:00:00Z"},
        {"role": "assistant", "content": "I look it up.", "external_id": "u2", "at": "2026-03-05T08:00:05Z"},
        {"role": "assistant", "content": "In winter.", "external_id": "u3", "at": "2026-03-05T08:00:09Z"},
    ]
    for _ in range(2):
        hook(alice, "Stop", last_assistant_message="In winter.", messages=messages)
    assert [text for _, text, _ in say()] == ["When do bears sleep?", "I look it up.", "In winter."]
    assert Resource.objects.earliest("pk").content_at.isoformat() == "2026-03-05T08:00:00+00:00"


def test_a_line_that_was_read_otherwise_before_stops_no_hook(alice: Caller) -> None:
    line = {"role": "assistant", "content": "In winter.", "external_id": "u3", "at": None}
    for content in ("In winter.", "In winter. [Interrupted]"):
        hook(alice, "Stop", messages=[{**line, "content": content}])
    assert Resource.objects.count() == 2


def test_an_answer_is_held_against_what_was_shown_for_its_prompt(alice: Caller) -> None:
    hook(alice, "SessionStart")
    alice.remember("Bears sleep all winter", category="wood")
    hook(alice, "UserPromptSubmit", prompt="When do bears sleep?")
    displayed = Injection.objects.get()
    assert (displayed.turn_number, displayed.used) == (1, None)
    hook(alice, "Stop", last_assistant_message="I have no idea, sorry.")
    displayed.refresh_from_db()
    assert displayed.used is False


def test_no_model_is_waited_for_to_make_the_question(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def model_that_must_not_be_asked(self: Base, *_: object) -> RulesProvider:
        model = copy(self.rules)
        model.rewrite = None  # type: ignore[assignment,method-assign]
        return model

    monkeypatch.setattr(Base, "provider", model_that_must_not_be_asked)
    hook(alice, "SessionStart")
    alice.remember("Bears sleep all winter", category="wood")
    assert "Bears sleep" in hook(alice, "UserPromptSubmit", prompt="When do bears sleep?")


def test_a_colleague_and_a_stranger_have_sessions_of_their_own(alice: Caller, bob: Caller, charlie: Caller) -> None:
    alice.remember("Whales sing at night", category="sea")
    for caller in (alice, bob, charlie):
        greeting = hook(caller, "SessionStart")
        assert ("Whales" in greeting) == (caller.app == alice.app)
    assert AgentSession.objects.count() == 3


@pytest.mark.parametrize("name", ["PostToolUse", "Notification", "SomethingNew"])
def test_events_that_mean_nothing_here_are_answered_with_nothing(alice: Caller, name: str) -> None:
    assert hook(alice, name, tool_name="Bash", tool_input={"command": "ls"}) == ""


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_nothing_said_is_nothing_kept(alice: Caller, nothing: str | None) -> None:
    hook(alice, "UserPromptSubmit", prompt=nothing, cwd=None)
    hook(alice, "Stop", last_assistant_message=nothing, prompt_id=None)
    assert say() == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"session_id": "x"}, "hook_event_name"),
        ({"hook_event_name": "Stop"}, "session_id"),
        ({"hook_event_name": "Stop", "session_id": 5}, "session_id"),
        ({"hook_event_name": "Stop", "session_id": "x", "messages": "all"}, "messages"),
        ({"hook_event_name": "Stop", "session_id": "x", "messages": [{"role": "nobody", "content": ""}]}, None),
    ],
)
def test_what_is_no_event_is_refused(alice: Caller, body: dict[str, Any], field: str | None) -> None:
    assert_problem(alice.post("hooks/claude-code", body), 400, *([field] if field else []))
    assert AgentSession.objects.count() == 0


@pytest.mark.parametrize("other", [5, {}, ["/home"], True, None])
@pytest.mark.parametrize("field", ["cwd", "prompt_id", "last_assistant_message", "source", "reason"])
def test_what_is_no_text_costs_the_event_nothing_but_that(alice: Caller, field: str, other: Any) -> None:
    """A version of Claude Code to come may say it otherwise, and what it says beside that is not lost."""
    hook(alice, "UserPromptSubmit", **{"prompt": "I always use spaces.", field: other})
    assert [text for _, text, _ in say()] == ["I always use spaces."]
    hook(alice, "SessionEnd", **{field: other})
    assert AgentSession.objects.get().status == SessionStatus.ENDED


def test_a_path_of_windows_names_the_session_too(alice: Caller) -> None:
    hook(alice, "SessionStart", cwd="C:\\work\\shop\\")
    assert AgentSession.objects.get().title == "shop"


def test_what_is_put_into_the_users_mouth_is_not_theirs(alice: Caller) -> None:
    hook(alice, "UserPromptSubmit", prompt="<task-notification>I always use tabs.</task-notification>")
    hook(alice, "UserPromptSubmit", prompt="<command-name>/fix</command-name> I always use spaces.")
    assert [text for _, text, _ in say()] == ["I always use spaces."]


def test_private_text_is_not_kept(alice: Caller) -> None:
    set_policy(alice, capture_facts=True)
    hook(alice, "UserPromptSubmit", prompt="My code is <private>4711</private>, tell nobody")
    assert "4711" not in say()[0][1]


def test_a_folder_longer_than_any_is_cut(alice: Caller) -> None:
    assert "hookEventName" not in hook(alice, "SessionStart", cwd=f"/{'x' * 100_000}")
    assert len(AgentSession.objects.get().environment["cwd"]) == 4096
