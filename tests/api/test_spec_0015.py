"""The scenarios of SPEC-0015 (persistent agent memory), over HTTP, with the embedder that ships, by either judge.

One test per scenario, in the order and with the texts of the specification; what it calls `observation` is
`content` here, `service` is `subject`, and `active = 0` is the status `inactive`.
"""

import dataclasses
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs
from time_machine import travel

from memories.models import Injection, Memory, Rejection
from memsite.config.conf import read_conf
from tests.api.checks import RESULT, all_memories, assistant, ndjson, say, tool_result
from tests.conftest import Caller, make_app, make_caller
from tests.tables import each_row

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
# The specification's own. Whatever it matches is read with the same category, service and text.
SPEC_MARKER_RE = re.compile(
    r"\[MEMORY:(timing|dependency|behavior|remediation|maintenance)(?::([a-zA-Z0-9_-]+))?\]\s*(.+)"
)
DNS = "DNS checks sometimes fail transiently during WireGuard reconnects -- retry once before escalating"
JELLYFIN = "Takes 60s to start after restart -- wait before checking health"


@pytest.fixture(autouse=True, params=["learned", "rules"])
def _as_shipped(settings: Any, request: pytest.FixtureRequest) -> None:
    settings.MEMSITE = dataclasses.replace(settings.MEMSITE, embedder="minilm", relations=request.param)


@pytest.fixture
def ops(db: None) -> Caller:
    return make_caller(make_app("claude-ops", "ops"), "claude")


@pytest.fixture
def now() -> Iterator[Any]:
    with travel(NOW, tick=False) as clock:
        yield clock


def emit(caller: Caller, line: str, tier: int = 1) -> dict[str, int]:
    """What becomes of the line of an agent that learned it itself: one that was shown it could only echo it."""
    session = caller.start_session(tier=tier)
    Injection.objects.for_app(caller.app).delete()
    report = caller.stream(session["id"], ndjson(assistant(line), RESULT))
    assert report.status_code == 200, report.content
    return dict(report.json())


def get(caller: Caller, uid: str) -> dict[str, Any]:
    return dict(caller.get(f"memories/{uid}").json())


def context(caller: Caller) -> str:
    """The memory context of a session that starts now."""
    return str(caller.start_session()["context"]["text"])


def active(caller: Caller) -> list[dict[str, Any]]:
    return all_memories(caller, status="active")


# --- Memory Categories


@each_row("category", ["timing", "dependency", "behavior", "remediation", "maintenance"], rolled_back=True)
def test_valid_category_accepted(ops: Caller, category: str) -> None:
    emit(ops, f"[MEMORY:{category}] Takes 60s to start")
    assert [memory["category"] for memory in all_memories(ops)] == [category]


def test_invalid_category_rejected(ops: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    with capture_logs() as logs:
        monkeypatch.setattr("memories.capture.quarantine.log", structlog.get_logger())
        report = emit(ops, "[MEMORY:misc] Takes 60s to start")
    assert (report["created"], report["rejected"], all_memories(ops)) == (0, 1, [])
    warnings = [entry for entry in logs if entry["log_level"] == "warning"]
    assert any("misc" in str(entry) for entry in warnings)
    assert Rejection.objects.get().category == "misc"


# --- Memory Marker Format


def test_general_memory_marker_no_service(ops: Caller) -> None:
    emit(ops, f"[MEMORY:remediation] {DNS}", tier=2)
    (memory,) = all_memories(ops)
    expected = {"category": "remediation", "subject": None, "content": DNS, "confidence": 0.7, "tier": 2}
    assert {name: memory[name] for name in expected} == expected


def test_service_specific_memory_marker(ops: Caller) -> None:
    emit(ops, f"[MEMORY:timing:jellyfin] {JELLYFIN}")
    (memory,) = all_memories(ops)
    expected = {"category": "timing", "subject": "jellyfin", "content": JELLYFIN, "confidence": 0.7}
    assert {name: memory[name] for name in expected} == expected


def test_marker_in_tool_result_ignored(ops: Caller) -> None:
    session = ops.start_session()
    body = ndjson(tool_result(f"[MEMORY:timing:jellyfin] {JELLYFIN}"), assistant("I read a file."), RESULT)
    assert ops.stream(session["id"], body).json()["created"] == 0
    assert all_memories(ops) == []


def test_memory_linked_to_session(ops: Caller, now: Any) -> None:
    session = ops.start_session()
    say(ops, session, f"[MEMORY:timing:jellyfin] {JELLYFIN}")
    (memory,) = all_memories(ops)
    assert memory["session_id"] == session["id"]
    assert memory["created_at"] == memory["updated_at"] == "2027-03-01T12:00:00Z"


# --- All Tiers Can Write Memories


def test_tier_1_creates_a_memory(ops: Caller) -> None:
    emit(ops, "[MEMORY:behavior:adguard] Returns HTTP 302 redirect when healthy, not 200", tier=1)
    assert [(memory["tier"], memory["subject"]) for memory in all_memories(ops)] == [(1, "adguard")]


def test_tier_3_creates_a_memory(ops: Caller) -> None:
    emit(
        ops,
        "[MEMORY:dependency:caddy] Must be started after WireGuard -- fails with no route to host otherwise",
        tier=3,
    )
    assert [(memory["tier"], memory["subject"]) for memory in all_memories(ops)] == [(3, "caddy")]


# --- Memory Marker Regex


def test_regex_matches_well_formed_marker(ops: Caller) -> None:
    line = "[MEMORY:dependency:postgres] Dependents should wait 10s after postgres restart"
    match = SPEC_MARKER_RE.match(line)
    assert match
    assert match.groups() == ("dependency", "postgres", "Dependents should wait 10s after postgres restart")
    emit(ops, line)
    (memory,) = all_memories(ops)
    assert (memory["category"], memory["subject"], memory["content"]) == match.groups()


def test_regex_rejects_malformed_marker(ops: Caller) -> None:
    assert SPEC_MARKER_RE.search("[MEMORY:unknown] Some observation") is None
    emit(ops, "[MEMORY:unknown] Some observation")
    assert all_memories(ops) == []


# --- Prompt Injection


FIVE = [
    ("jellyfin", "timing", JELLYFIN),
    ("postgres", "dependency", "Dependents should wait 10s after postgres restart"),
    ("adguard", "behavior", "Returns HTTP 302 redirect when healthy, not 200"),
    ("caddy", "dependency", "Must be started after WireGuard -- fails with no route to host otherwise"),
    (None, "remediation", DNS),
]


def test_memories_injected_at_session_start(ops: Caller) -> None:
    for number, (subject, category, content) in enumerate(FIVE):
        ops.remember(content, subject=subject, category=category, confidence=0.3 + number / 10)
    text = context(ops)
    assert all(content in text for _, _, content in FIVE)
    assert re.search(r"^## Operational Memory \(5 memories, ~\d+ tokens\)$", text, re.MULTILINE)


def test_no_active_memories(ops: Caller) -> None:
    assert context(ops) == ""
    ops.remember(JELLYFIN, category="timing", confidence=0.2)
    archived = ops.remember(DNS, category="remediation")["id"]
    ops.patch(f"memories/{archived}", {"status": "archived"})
    assert context(ops) == ""


def test_memories_grouped_by_service(ops: Caller) -> None:
    for subject, category, content in (FIVE[1], FIVE[4], FIVE[0]):
        ops.remember(content, subject=subject, category=category)
    text = context(ops)
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == ["jellyfin", "postgres", "general"]
    for subject, category, content in (FIVE[0], FIVE[1], FIVE[4]):
        group = text.split(f"### {subject or 'general'}\n")[1].split("\n\n")[0]
        assert f"- [{category}] {content} (confidence: 0.7)" in group


# --- Token Budget Enforcement


def fill(caller: Caller, count: int, characters: int) -> list[dict[str, Any]]:
    """`count` memories of about so many characters, the first the most confident."""
    items = [
        {
            "content": f"Observation {n:02}: ".ljust(characters, "x"),
            "category": "behavior",
            "subject": f"service-{n % 7}",
            "confidence": 1.0 - n / 100,
        }
        for n in range(count)
    ]
    return list(caller.post("memories/batch", {"memories": items}).json()["results"])


def test_budget_enforced_with_many_memories(ops: Caller) -> None:
    stored = fill(ops, 50, 400)
    text = context(ops)
    header = re.search(r"^## Operational Memory \((\d+) of 50 memories, ~([\d,]+) tokens\)$", text, re.MULTILINE)
    assert header
    included = int(header[1])
    assert len(text) / 4 <= 2000
    assert int(header[2].replace(",", "")) <= 2000
    assert [memory["content"] in text for memory in stored] == [True] * included + [False] * (50 - included)
    # One more would not have fitted.
    assert len(text) / 4 + 400 / 4 + 12 > 2000


def test_budget_is_configurable(ops: Caller, settings: Any) -> None:
    fill(ops, 12, 1900)
    small = context(ops)
    conf = read_conf({"CLAUDEOPS_MEMORY_BUDGET": "4000"})
    assert conf.memory_budget == 4000
    settings.MEMSITE = dataclasses.replace(settings.MEMSITE, memory_budget=conf.memory_budget)
    large = context(ops)
    assert 2000 < len(large) / 4 <= 4000
    assert large.count("\n- [") > small.count("\n- [")


def test_all_memories_fit_within_budget(ops: Caller) -> None:
    stored = fill(ops, 3, 200)
    text = context(ops)
    assert all(memory["content"] in text for memory in stored)
    header = re.search(r"\(3 memories, ~(\d+) tokens\)", text)
    assert header
    assert abs(int(header[1]) - len(text) / 4) <= 1


# --- Confidence Scoring


def test_default_confidence_on_creation(ops: Caller) -> None:
    emit(ops, f"[MEMORY:timing:jellyfin] {JELLYFIN}")
    assert [memory["confidence"] for memory in all_memories(ops)] == [0.7]


def test_low_confidence_memory_excluded_from_prompt(ops: Caller) -> None:
    ops.remember(JELLYFIN, category="timing", subject="jellyfin", confidence=0.2)
    ops.remember(DNS, category="remediation")
    text = context(ops)
    assert JELLYFIN not in text
    assert DNS in text


def test_confidence_clamped_to_valid_range(ops: Caller) -> None:
    uid = ops.remember(JELLYFIN, category="timing")["id"]
    assert ops.patch(f"memories/{uid}", {"confidence": 1.5}).json()["confidence"] == 1.0
    assert get(ops, uid)["confidence"] == 1.0


# --- Memory Reinforcement


def test_duplicate_memory_reinforces_existing(ops: Caller, now: Any) -> None:
    old = ops.remember("Takes 60s to start after restart", subject="jellyfin", category="timing")
    assert old["confidence"] == 0.7
    now.shift(timedelta(days=2))
    report = emit(ops, "[MEMORY:timing:jellyfin] Takes about 60 seconds to start after a restart")
    (memory,) = all_memories(ops)
    assert (memory["id"], memory["confidence"]) == (old["id"], 0.8)
    assert memory["updated_at"] == "2027-03-03T12:00:00Z"
    assert (report["created"], report["reinforced"]) == (0, 1)


def test_different_category_creates_new_memory(ops: Caller) -> None:
    ops.remember("Takes 60s to start", subject="jellyfin", category="timing")
    emit(ops, "[MEMORY:behavior:jellyfin] Sometimes crashes on first start")
    assert [(memory["category"], memory["confidence"]) for memory in all_memories(ops)] == [
        ("behavior", 0.7),
        ("timing", 0.7),
    ]


# --- Memory Contradiction


def test_contradicting_memory_reduces_confidence(ops: Caller) -> None:
    old = ops.remember("Must be started after WireGuard", subject="caddy", category="dependency", confidence=0.8)
    report = emit(ops, "[MEMORY:dependency:caddy] Can be started independently of WireGuard")
    assert (report["created"], report["contradicted"]) == (1, 1)
    assert get(ops, old["id"])["confidence"] == 0.6
    new = all_memories(ops)[0]
    assert (new["content"], new["confidence"]) == ("Can be started independently of WireGuard", 0.7)


def test_contradiction_deactivates_low_confidence_memory(ops: Caller) -> None:
    old = ops.remember("Must be started after WireGuard", subject="caddy", category="dependency", confidence=0.4)
    emit(ops, "[MEMORY:dependency:caddy] Can be started independently of WireGuard")
    after = get(ops, old["id"])
    assert (after["confidence"], after["status"]) == (0.2, "inactive")
    assert [memory["content"] for memory in active(ops)] == ["Can be started independently of WireGuard"]


# --- Staleness Decay


def test_fresh_memory_not_decayed(ops: Caller, now: Any) -> None:
    old = ops.remember(JELLYFIN, category="timing", confidence=0.8)
    now.shift(timedelta(days=15))
    ops.start_session()
    assert {**get(ops, old["id"])} == {name: old[name] for name in get(ops, old["id"])}


def test_stale_memory_decayed(ops: Caller, now: Any) -> None:
    old = ops.remember(JELLYFIN, category="timing", confidence=0.8)
    now.shift(timedelta(days=44))
    ops.start_session()
    after = get(ops, old["id"])
    assert (after["confidence"], after["status"]) == (0.6, "active")
    assert after["updated_at"] == old["updated_at"]
    assert after["confirmed_at"] == old["confirmed_at"]


def test_decay_deactivates_memory(ops: Caller, now: Any) -> None:
    old = ops.remember(JELLYFIN, category="timing", confidence=0.4)
    now.shift(timedelta(days=44))
    assert JELLYFIN not in context(ops)
    after = get(ops, old["id"])
    assert (after["confidence"], after["status"]) == (0.2, "inactive")


LOST = {0: 0, 15: 0, 29.99: 0, 30: 0, 33.5: 0.05, 37: 0.1, 44: 0.2, 51: 0.3, 58: 0.4, 79: 0.7, 9999: 1.0}
"""What is lost of the confidence of a memory of so many days."""


def test_decay_is_a_tenth_a_week_after_thirty_days_and_continuous(ops: Caller, now: Any) -> None:
    uids = {}
    for days in sorted(LOST, reverse=True):
        now.move_to(NOW - timedelta(days=days))
        uids[days] = ops.remember(JELLYFIN, category="timing", confidence=1.0, dedupe=False)["id"]
    now.move_to(NOW)
    ops.start_session()
    left = {days: get(ops, uid)["confidence"] for days, uid in uids.items()}
    assert left == {days: round(1.0 - lost, 12) for days, lost in LOST.items()}


def test_after_44_days_exactly_a_fifth_is_lost(ops: Caller, now: Any) -> None:
    starts = [round(n / 20, 2) for n in range(6, 21)]
    uids = {start: ops.remember(JELLYFIN, category="timing", confidence=start, dedupe=False)["id"] for start in starts}
    now.shift(timedelta(days=44))
    ops.start_session()
    after = {start: get(ops, uid) for start, uid in uids.items()}
    assert {start: row["confidence"] for start, row in after.items()} == {n: round(n - 0.2, 12) for n in starts}
    assert {start for start, row in after.items() if row["status"] == "active"} == {n for n in starts if n >= 0.5}
    assert {row["status"] for row in after.values()} == {"active", "inactive"}


def test_many_checks_give_the_numbers_of_one(ops: Caller, now: Any) -> None:
    """Check more than once a day, from before it decays."""
    uid = ops.remember(JELLYFIN, category="timing", confidence=0.9)["id"]
    now.shift(timedelta(days=28))
    for _ in range(18):
        now.shift(timedelta(days=44) / 50)
        ops.start_session()
    now.move_to(NOW + timedelta(days=44))
    ops.start_session()
    assert get(ops, uid)["confidence"] == 0.7
    for _ in range(5):
        ops.start_session()
    assert get(ops, uid)["confidence"] == 0.7


def test_decay_starts_anew_with_a_confirmation_and_not_with_a_look(ops: Caller, now: Any) -> None:
    texts = {"content": JELLYFIN, "category": "timing", "confidence": 0.6}
    uid = ops.remember(**texts)["id"]
    now.shift(timedelta(days=20))
    ops.post("memories/search", {"query": "start after restart"})
    ops.patch(f"memories/{uid}", {"tags": ["x"]})
    now.shift(timedelta(days=24))
    ops.start_session()
    assert get(ops, uid)["confidence"] == 0.4
    ops.remember(**texts)
    assert get(ops, uid)["confidence"] == 0.5
    now.shift(timedelta(days=30))
    ops.start_session()
    assert get(ops, uid)["confidence"] == 0.5


def test_a_contradiction_does_not_stop_the_decay(ops: Caller, now: Any) -> None:
    old = ops.remember("Must be started after WireGuard", subject="caddy", category="dependency", confidence=1.0)
    now.shift(timedelta(days=37))
    emit(ops, "[MEMORY:dependency:caddy] Can be started independently of WireGuard")
    assert get(ops, old["id"])["confidence"] == 0.7
    now.shift(timedelta(days=7))
    ops.start_session()
    assert get(ops, old["id"])["confidence"] == 0.6


def test_a_pinned_memory_does_not_decay(ops: Caller, now: Any) -> None:
    uid = ops.remember(JELLYFIN, category="timing", pinned=True)["id"]
    now.shift(timedelta(days=365))
    ops.start_session()
    assert get(ops, uid)["confidence"] == 0.7


def test_an_app_may_exempt_what_is_very_sure(db: None, now: Any) -> None:
    caller = make_caller(make_app("claude-ops", "ops", decay_exempt_from=0.9), "claude")
    sure = caller.remember(JELLYFIN, category="timing", confidence=0.9)["id"]
    less = caller.remember(DNS, category="remediation", confidence=0.89)["id"]
    now.shift(timedelta(days=44))
    caller.start_session()
    assert get(caller, sure)["confidence"] == 0.9
    assert get(caller, less)["confidence"] == 0.69


def test_decay_is_in_the_history_once_a_day(ops: Caller, now: Any) -> None:
    uid = ops.remember(JELLYFIN, category="timing", confidence=0.9)["id"]
    now.shift(timedelta(days=44))
    for _ in range(3):
        ops.start_session()
    rows = ops.get(f"memories/{uid}/history").json()["results"]
    assert [row["action"] for row in rows] == ["created", "decayed"]
    assert (rows[1]["before"]["confidence"], rows[1]["after"]["confidence"]) == (0.9, 0.7)
    assert rows[1]["actor"].startswith("system")


# --- Memory CRUD (the dashboard's, over HTTP)


def test_create_memory_manually(ops: Caller) -> None:
    body = ops.remember("Needs manual VACUUM FULL weekly", category="maintenance", subject="postgres", confidence=0.9)
    expected = {"confidence": 0.9, "session_id": None, "status": "active", "subject": "postgres"}
    assert {name: body[name] for name in expected} == expected


def test_edit_memory_observation(ops: Caller, now: Any) -> None:
    uid = ops.remember(JELLYFIN, category="timing", confidence=0.55)["id"]
    now.shift(timedelta(hours=1))
    after = ops.patch(f"memories/{uid}", {"content": "Takes 90s to start after restart"}).json()
    assert (after["content"], after["confidence"]) == ("Takes 90s to start after restart", 0.55)
    assert after["updated_at"] == "2027-03-01T13:00:00Z"


def test_adjust_memory_confidence(ops: Caller, now: Any) -> None:
    uid = ops.remember(JELLYFIN, category="timing")["id"]
    now.shift(timedelta(hours=1))
    after = ops.patch(f"memories/{uid}", {"confidence": 0.95}).json()
    assert (after["confidence"], after["updated_at"]) == (0.95, "2027-03-01T13:00:00Z")


def test_delete_memory(ops: Caller) -> None:
    uid = ops.remember(JELLYFIN, category="timing")["id"]
    assert ops.delete(f"memories/{uid}").status_code == 200
    assert not Memory.objects.exists()


def test_bulk_delete(ops: Caller) -> None:
    stored = fill(ops, 6, 60)
    answer = ops.post("memories/delete", {"ids": [memory["id"] for memory in stored[:5]]})
    assert answer.json()["deleted_count"] == 5
    assert [memory["id"] for memory in all_memories(ops)] == [stored[5]["id"]]


# --- Memory Context Format


def test_formatted_output_matches_expected_structure(ops: Caller) -> None:
    for content, category, subject, confidence in (
        ("Takes 60s to start after restart", "timing", "jellyfin", 0.9),
        ("First restart always fails due to DB lock", "behavior", "jellyfin", 0.8),
        ("DNS checks sometimes fail transiently during WireGuard reconnects", "remediation", None, 0.6),
    ):
        ops.remember(content, category=category, subject=subject, confidence=confidence)
    text = context(ops)
    block = text[text.index("## Operational Memory") : text.rindex("\n")]
    tokens = re.search(r"~(\d+) tokens", block)
    assert tokens
    assert block == (
        f"## Operational Memory (3 memories, ~{tokens[1]} tokens)\n\n"
        "### jellyfin\n"
        "- [timing] Takes 60s to start after restart (confidence: 0.9)\n"
        "- [behavior] First restart always fails due to DB lock (confidence: 0.8)\n\n"
        "### general\n"
        "- [remediation] DNS checks sometimes fail transiently during WireGuard reconnects (confidence: 0.6)"
    )


# --- Inactive Memory Handling


def test_inactive_memory_excluded_from_prompt(ops: Caller) -> None:
    uid = ops.remember(JELLYFIN, category="timing", confidence=0.95)["id"]
    ops.patch(f"memories/{uid}", {"status": "inactive"})
    after = get(ops, uid)
    assert (after["status"], after["confidence"]) == ("inactive", 0.95)
    assert context(ops) == ""


def test_inactive_memory_is_retained_and_can_be_edited_or_deleted(ops: Caller) -> None:
    uid = ops.remember(JELLYFIN, category="timing", confidence=0.2)["id"]
    assert [memory["id"] for memory in all_memories(ops, status="inactive")] == [uid]
    after = ops.patch(f"memories/{uid}", {"content": DNS}).json()
    assert (after["content"], after["status"]) == (DNS, "inactive")
    assert ops.delete(f"memories/{uid}").status_code == 200


@each_row("confidence", [0.3, 0.31, 0.7], rolled_back=True)
def test_reactivate_an_inactive_memory(ops: Caller, confidence: float) -> None:
    uid = ops.remember(JELLYFIN, category="timing", confidence=0.2)["id"]
    assert ops.patch(f"memories/{uid}", {"confidence": confidence}).json()["status"] == "active"
    assert JELLYFIN in context(ops)


def test_an_inactive_memory_is_not_reinforced_but_said_anew(ops: Caller) -> None:
    old = ops.remember("Takes 60s to start", subject="jellyfin", category="timing", confidence=0.2)
    emit(ops, "[MEMORY:timing:jellyfin] Takes 60s to start")
    assert get(ops, old["id"])["confidence"] == 0.2
    assert [memory["confidence"] for memory in active(ops)] == [0.7]
