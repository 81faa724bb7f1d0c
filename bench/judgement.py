"""What is kept and what is believed, through the interfaces that agents use.

Writes "Judgement" of bench/results/benchmarks.md.

    .venv/bin/python -m bench.judgement [--data ../shared/data/judgement] [--misses]

Each pair of statements is played in an app of its own: talk as messages of a session that ends, three days apart,
otherwise as `POST /memories`, or as a marker of a stream. Statuses and confidences are read afterwards. No language
model is asked. Judged by the rules alone, and as a server judges by default (`MEMSITE_RELATIONS`). Pairs are judged too
apart from all doors, also by the network without its guards. `--misses` prints what came out wrong.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test.utils import override_settings, setup_test_environment
from rest_framework.test import APIClient
from time_machine import travel

from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from memories.capture.extraction_queue import sessions_due
from memories.language.relate import Relation, Thresholds
from memories.models import FutureTrigger, Memory, Status
from memories.providers.embeddings import MiniLMEmbedder
from memories.providers.judgement_model import Judgement
from memories.providers.relation import JUDGES, Judge, Pair, forget_judgements, judgements, relate_all
from memories.tasks import learn
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, App, AppPolicy
from memsite.tenancy.policy import preset_values
from tools.judgement_data import HELD_OUT, JUDGEMENT, Example, is_development, is_left_out, read_pairs

MONDAY = datetime(2026, 11, 16, 10, tzinfo=UTC)
LATER = timedelta(days=3)
PRESETS = {"talk": "assistant", "memory": "standard", "marker": "ops"}
AT_ODDS = "at odds"
PAIR_JUDGES = ("rules", "network", "learned")
COARSE = {
    Relation.SAME: "same", Relation.ELABORATES: "both", Relation.DIFFERENT: "both", Relation.CONTRADICTS: AT_ODDS,
    Relation.SUPERSEDES: AT_ODDS,
}  # fmt: skip
MEANT_AS = {"same": "same", "adds": "both", "both": "both", "replaces": AT_ODDS, "contradicts": AT_ODDS}
EMBEDDER = MiniLMEmbedder()
KINDS = {
    "update": "changes noticed",
    "both": "both true",
    "prohibition": "an order and a prohibition",
    "same": "restated",
    "cancel": "called off or moved",
    "keep": "worth keeping, kept",
    "junk": "not worth it, dropped",
    "category": "category right",
    "fact": "facts of conversations kept",
    "kept and labelled": "of what is kept, a fact",
    "not false": "of what is kept in short dialogues, neither false nor meaningless",
    "worth it": "of what is kept and a reader has judged, worth knowing weeks later and clear by itself",
    "category of a fact": "category of a fact right",
    "unlike": "unlike things, told one after the other",
}
START = {"memory": 0.7, "marker": 0.7}
"""The confidence of what is told there."""
LESS = 0.005
"""A confidence that falls by less has not fallen: decay rounds."""
numbers = count()

DATA = JUDGEMENT
Row = dict[str, Any]
Missed = list[str]


@dataclass(slots=True)
class Tally:
    """How many were right, of how many; `lost`: the new statement is in no active memory."""

    right: int = 0
    number: int = 0
    lost: int = 0
    missed: Missed = field(default_factory=list)

    def add(self, is_right: bool, text: str, *, is_lost: bool = False) -> None:
        self.number += 1
        self.right += is_right
        self.lost += is_lost
        if not is_right:
            self.missed.append(text)


class Endpoint:
    """An app of its own, spoken to over REST."""

    def __init__(self, preset: str) -> None:
        name = f"app-{next(numbers)}"
        self.app = App.objects.create(app_id=name, name=name, preset=preset)
        AppPolicy.objects.create(app=self.app, **preset_values(preset))
        agent = Agent.objects.create(app=self.app, name="agent")
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {create_key(agent, ('read', 'write')).text}")

    def post(self, path: str, body: Any) -> Any:
        answer = self.client.post(f"/api/v1/{path}", body, format="json")
        if answer.status_code >= 300:
            raise RuntimeError(f"{path}: {answer.status_code} {answer.content[:500]!r}")
        return answer.json()

    def talk(self, messages: list[Row], moment: datetime, user: str = "") -> None:
        """Record a session with these messages, two at a time."""
        with travel(moment, tick=False):
            session = self.post("sessions", {"user_id": user} if user else {})["id"]
            for start in range(0, len(messages), 2):
                part = [
                    {"role": message["role"], "content": message["content"], "at": moment.isoformat()}
                    for message in messages[start : start + 2]
                ]
                self.post(f"sessions/{session}/messages", {"messages": part})
            self.post(f"sessions/{session}/end", {})
            for pk in sessions_due(self.app, moment):
                learn(self.app.pk, pk)

    def tell(self, row: Row, text: str, moment: datetime) -> None:
        """Store a statement through the row's endpoint."""
        endpoint, subject = row["door"], row.get("subject") or ""
        category = row.get("category") or "behavior"
        if endpoint == "talk":
            before = [{"role": "assistant", "content": row["before"]}] if row.get("before") else []
            self.talk([*before, {"role": "user", "content": text}], moment)
            return
        with travel(moment, tick=False):
            if endpoint == "memory":
                self.post(
                    "memories", {"content": text, "category": category, **({"subject": subject} if subject else {})}
                )
                return
            session = self.post("sessions", {})["id"]
            line = f"[MEMORY:{category}:{subject}] {text}" if subject else f"[MEMORY:{category}] {text}"
            statement = {"id": f"m{moment:%d%H%M}", "role": "assistant", "content": [{"type": "text", "text": line}]}
            body = (
                json.dumps(
                    {"type": "assistant", "message": statement, "uuid": statement["id"], "parent_tool_use_id": None}
                )
                + "\n"
            )
            answer = self.client.generic(
                "POST", f"/api/v1/sessions/{session}/stream", body, content_type="application/x-ndjson"
            )
            assert answer.status_code < 300, answer.content
            self.post(f"sessions/{session}/end", {})

    def memories(self) -> list[Memory]:
        return list(Memory.objects.for_app(self.app).order_by("pk"))


def holds(memory: Memory, moment: datetime) -> bool:
    return memory.status == Status.ACTIVE and (memory.valid_until is None or memory.valid_until > moment)


def says(memory: Memory, pattern: str) -> bool:
    return bool(re.search(pattern, memory.content, re.IGNORECASE))


def play(row: Row, tallies: dict[str, Tally]) -> None:
    """One labelled row, in an app of its own."""
    endpoint = Endpoint(row.get("preset") or PRESETS[row["door"]])
    kind = row["kind"]
    before: dict[int, tuple[bool, float]] = {}
    now = MONDAY
    if "existing" in row:
        endpoint.tell(row, row["existing"], now)
        before = {memory.pk: (holds(memory, now), memory.confidence) for memory in endpoint.memories()}
        waiting = {trigger.pk: (trigger.status, str(trigger.trigger_date)) for trigger in triggers(endpoint)}
        now = MONDAY + LATER if row["door"] == "talk" else MONDAY + timedelta(minutes=1)
    endpoint.tell(row, row["new"], now)
    after = endpoint.memories()
    new = [item for item in after if holds(item, now) and (item.pk not in before or says_both(row, item))]
    page = f"{row.get('existing', '')!r} + {row['new']!r} -> " + "; ".join(
        f"{item.content!r} {item.status} {item.confidence:.2f} {item.category}" for item in after
    )
    less = [
        item.pk for item in after if item.pk in before and before[item.pk][0] and is_less(item, before[item.pk], now)
    ]
    tally = tallies[kind]
    if kind == "update":
        is_lost = not any(says(item, row["new_has"]) for item in new)
        is_over = all(
            item.pk in less
            for item in after
            if item.pk in before
            and before[item.pk][0]
            and says(item, row["old_has"])
            and not says(item, row["new_has"])
        )
        tally.add(bool(before) and is_over and not is_lost, page, is_lost=is_lost)
    elif kind in ("both", "prohibition"):
        is_lost = not any(holds(item, now) and says(item, row["new_has"]) for item in after)
        tally.add(not less and not is_lost and bool(before), page, is_lost=is_lost)
    elif kind == "same":
        active = sum(holds(item, now) for item in after)
        tally.add(
            bool(before) and not less and active <= sum(present for present, _ in before.values()),
            page,
            is_lost=bool(less),
        )
    elif kind == "cancel":
        changed = [
            trigger
            for trigger in triggers(endpoint)
            if trigger.pk in waiting and waiting[trigger.pk] != (trigger.status, str(trigger.trigger_date))
        ]
        tally.add(bool(waiting) and bool(changed), page + f" triggers {list(waiting.values())}")
    elif kind == "keep":
        tally.add(any(holds(item, now) and says(item, row["new_has"]) for item in after), page)
    elif kind == "junk":
        tally.add(not after, page)
    elif kind == "category":
        stored = [item for item in after if holds(item, now) and says(item, row["new_has"])]
        tally.add(any(item.category in row["category_is"] for item in stored), page)


def triggers(endpoint: Endpoint) -> list[FutureTrigger]:
    return list(FutureTrigger.objects.for_app(endpoint.app).order_by("pk"))


def says_both(row: Row, memory: Memory) -> bool:
    """Whether a memory of before has been written anew with what is new."""
    return bool(row.get("new_has")) and says(memory, row["new_has"])


def is_less(memory: Memory, before: tuple[bool, float], now: datetime) -> bool:
    return not holds(memory, now) or memory.confidence < before[1] - LESS


def converse(name: str, talk: Row, tallies: dict[str, Tally]) -> None:
    """Record a conversation, its facts, and its questions, asked three days after the last session."""
    endpoint = Endpoint(talk["preset"])
    user = talk.get("user") or ""
    for number, messages in enumerate(talk["sessions"]):
        endpoint.talk(messages, MONDAY + number * LATER, user)
    stored = endpoint.memories()
    facts = talk.get("facts") or [
        fact for messages in talk["sessions"] for message in messages for fact in message.get("facts") or []
    ]
    for fact in facts:
        match = [item for item in stored if says(item, fact["regex"])]
        tallies["fact"].add(bool(match), f"{name}: {fact['label']} /{fact['regex']}/")
        if match and "category" in fact:
            is_right = any(item.category == fact["category"] for item in match)
            tallies["category of a fact"].add(is_right, f"{name}: {fact['label']} {fact['category']}")
    matched = {item.pk for fact in facts for item in stored if says(item, fact["regex"])}
    for item in stored:
        if label := talk.get("read", {}).get(item.content):
            tallies["worth it"].add(label == "good", f"{name}: {label}: {item.content!r}")
        if "read" in talk:
            continue
        tallies["kept and labelled"].add(item.pk in matched, f"{name}: {item.content!r} {item.status}")
        if "not_kept" in talk:
            is_false = any(says(item, pattern) for pattern in talk["not_kept"])
            tallies["not false"].add(not is_false, f"{name}: {item.content!r} {item.status}")
    with travel(MONDAY + len(talk["sessions"]) * LATER, tick=False):
        for question in talk["questions"]:
            body = {"query": question["question"], "limit": 10, "touch": False} | ({"user_id": user} if user else {})
            hits = endpoint.post("memories/search", body)["results"]
            right = [bool(re.search(question["regex"], hit["content"], re.IGNORECASE)) for hit in hits[:3]]
            text = f"{name}: {question['question']!r} -> {[hit['content'] for hit in hits[:3]]}"
            tallies["question first"].add(any(right[:1]), text)
            tallies["question among three"].add(any(right), text)


def stand_side_by_side(name: str, row: Row, tallies: dict[str, Tally]) -> None:
    """Statements about unlike things, told one after the other: each of them stays as it is."""
    endpoint = Endpoint(row.get("preset") or PRESETS[row["door"]])
    now = MONDAY
    for number, statement in enumerate(row["statements"]):
        now = MONDAY + number * timedelta(minutes=1)
        endpoint.tell(row, statement, now)
    after = endpoint.memories()
    for statement in row["statements"]:
        page = next((item for item in after if item.content == statement), None)
        is_whole = page is not None and holds(page, now) and page.confidence >= START[row["door"]] - LESS
        text = f"{name}: {statement!r} {page and (page.status, round(page.confidence, 2))}"
        tallies["unlike"].add(is_whole, text, is_lost=page is None or not holds(page, now))


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def labelled(folder: Path) -> list[Row]:
    """Return the rows of one of our folders, in the terms of `play`: those that nothing was trained on."""
    is_held = folder == HELD_OUT
    rows: list[Row] = [
        {"kind": "cancel", "door": "talk", "existing": row["existing"], "new": row["new"]}
        for row in (rows_of(folder / "dates-called-off.jsonl") if is_held else [])
        if row["effect"] != "none"
    ]
    sentences = [row for path in sorted(folder.glob("sentences*.jsonl")) for row in rows_of(path)]
    for row in sentences:
        if not is_held and not is_left_out(row["text"]):
            continue
        statement = {"door": "talk", "new": row["text"], "before": row["before"]}
        if not row["keep"]:
            rows.append({"kind": "junk", **statement})
            continue
        rows.append({"kind": "keep", **statement, "new_has": row["keep_has"]})
        rows.append({"kind": "category", **statement, "new_has": row["keep_has"], "category_is": [row["category"]]})
    return rows


def talks_of(folder: Path) -> dict[str, Row]:
    """Return the conversations and short dialogues of one of our folders that nothing was trained on."""
    is_held = folder == HELD_OUT
    talks: dict[str, Row] = json.loads((folder / "conversations.json").read_text())
    for path in sorted(folder.glob("conversations-*.json")):
        more = json.loads(path.read_text(encoding="utf-8"))
        talks |= {name: talk for name, talk in more.items() if is_held or is_left_out(name)}
    for row in rows_of(folder / "dialogues.jsonl"):
        if is_held or is_left_out(row["id"]):
            talks[row["id"]] = {"preset": "assistant", "sessions": [row["messages"]], **row}
    for row in rows_of(folder / "read.jsonl"):
        if is_held or is_left_out(row["id"]):
            read = {item["content"]: item["label"] for item in row["read"]}
            talks[row["id"]] = {"preset": row["preset"], "sessions": [row["messages"]], "questions": [], "read": read}
    return talks


@contextmanager
def judged_by(judge: Judge) -> Iterator[None]:
    with override_settings(MEMSITE=replace(settings.MEMSITE, relations=judge)):
        yield


def measure(rows: Iterable[Row], talks: dict[str, Row], unlike: dict[str, Row]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for row in rows:
        play(row, tallies)
    for name, talk in talks.items():
        converse(name, talk, tallies)
    for name, series in unlike.items():
        stand_side_by_side(name, series, tallies)
    return tallies


# --- pairs, apart from all doors


def judge_pairs(examples: Sequence[Example], judge: str) -> tuple[list[str], float]:
    """Return what each pair was taken for (`same`, `at odds`, `both`), and milliseconds a pair."""
    texts = [example.texts for example in examples]
    vectors = [EMBEDDER.embed_documents([pair[index] for pair in texts]) for index in (0, 1)]
    cosines = (vectors[0] * vectors[1]).sum(axis=1)
    bands = Thresholds(EMBEDDER.thresholds.same, EMBEDDER.thresholds.related)
    forget_judgements()
    began = time.process_time()
    if judge == "network":
        judged = judgements([(stored, new, "") for stored, new in texts])
        output = [taken_for(item) for item in judged]
    else:
        pairs = [Pair(pair[0], pair[1], cosine=float(cosine)) for pair, cosine in zip(texts, cosines, strict=True)]
        output = [COARSE[relate_all([pair], bands, judge)[0].relation] for pair in pairs]  # type: ignore[arg-type]
    return output, 1000 * (time.process_time() - began) / len(examples)


def taken_for(judgement: Judgement) -> str:
    shares = {"same": judgement.same, AT_ODDS: judgement.at_odds, "both": judgement.adds + judgement.both}
    return max(shares, key=lambda name: shares[name])


def pair_row(name: str, judge: str, examples: Sequence[Example]) -> list[object]:
    """Of the changes: found, lost as the same; of the restated: known; of what stands side by side: right, lost."""
    output, milliseconds = judge_pairs(examples, judge)
    meant = [MEANT_AS[example.answers["relation"][0]] for example in examples]
    counts = Counter(zip(meant, output, strict=True))
    right = sum(counts[item, item] for item in set(meant))

    def share(text: str, other: str) -> str:
        return f"{counts[text, other]} / {meant.count(text)}"

    return [
        name, judge, len(examples), f"{right / len(examples):.3f}", share(AT_ODDS, AT_ODDS), share(AT_ODDS, "same"),
        share("same", "same"), share("same", AT_ODDS), share("both", "both"), share("both", AT_ODDS),
        share("both", "same"), f"{milliseconds:.1f}",
    ]  # fmt: skip


def pair_table() -> str:
    by_hand = [pair for path in sorted(DATA.glob("pairs-*.jsonl")) for pair in read_pairs(path)]
    sets = {
        "development, not trained on": [pair for pair in by_hand if is_development(pair)],
        "held out": list(read_pairs(HELD_OUT / "pairs.jsonl")),
        "held out, restated and implied": list(read_pairs(HELD_OUT / "pairs-restated-and-implied.jsonl")),
    }
    head = [
        "pairs", "judge", "number", "right of three", "changes found", "changes lost as the same", "restated known",
        "restated at odds", "side by side right", "side by side at odds", "side by side lost", "ms a pair",
    ]  # fmt: skip
    return table(head, [pair_row(name, judge, pairs) for name, pairs in sets.items() for judge in PAIR_JUDGES])


# --- the page


def endpoint_table(values: Mapping[Judge, dict[str, Tally]]) -> str:
    kinds = list(dict.fromkeys(kind for tallies in values.values() for kind in tallies))
    rows = []
    for kind in kinds:
        tallies = [values[judge][kind] for judge in values]
        output = [f"{tally.right}{f' ({tally.lost} lost)' if tally.lost else ''}" for tally in tallies]
        numbers = {tally.number for tally in tallies}
        if len(numbers) > 1:
            output = [f"{tally.right} of {tally.number}" for tally in tallies]
        rows.append([KINDS.get(kind, kind), numbers.pop() if len(numbers) == 1 else "", *output])
    return table(["kind", "number", *values], rows)


def report(endpoints: dict[str, str], pairs: str, note: str) -> str:
    parts = [
        f"Measured {circumstances(note)}",
        "No language model. Labelled by several authors who had not seen the rules (`tests/data/judgement`). The rules "
        "alone (`MEMSITE_RELATIONS=rules`), the network alone, and the network with exact guards, which is the default "
        "(`learned`).",
        pairs,
    ]
    for name, output in endpoints.items():
        parts += [f"Through the endpoints that agents use, {name}:", output]
    return "\n\n".join(parts)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="another folder with pairs.jsonl and conversations.json")
    options.add_argument("--judges", default="rules,learned")
    options.add_argument("--kinds", default="", help="only these kinds of rows, and `talk` for conversations")
    options.add_argument("--held-out", action="store_true", help="measure what is held out too")
    options.add_argument("--misses", action="store_true", help="print what came out wrong, and write no page")
    given = options.parse_args()
    setup_test_environment(debug=False)
    make_database()
    sets: dict[str, tuple[list[Row], dict[str, Row]]] = {}
    if given.data:
        talks = json.loads((given.data / "conversations.json").read_text())
        sets[f"{given.data.name}: examples of the kinds"] = rows_of(given.data / "pairs.jsonl"), talks
    else:
        sets["development"] = labelled(DATA), talks_of(DATA)
    if given.held_out:
        sets["held out"] = labelled(HELD_OUT), talks_of(HELD_OUT)
    unlike = json.loads((DATA / "unlike.json").read_text())
    endpoints = {}
    for name, (rows, talks) in sets.items():
        kinds = given.kinds.split(",") if given.kinds else [row["kind"] for row in rows] + ["talk", "unlike"]
        values: dict[Judge, dict[str, Tally]] = {}
        for judge in (judge for judge in reversed(JUDGES) if judge in given.judges.split(",")):
            with judged_by(judge):
                chosen = [row for row in rows if row["kind"] in kinds]
                values[judge] = measure(chosen, talks if "talk" in kinds else {}, unlike if "unlike" in kinds else {})
        endpoints[name] = endpoint_table(values)
        print(endpoints[name])
        if given.misses:
            for judge, tallies in values.items():
                for kind, tally in tallies.items():
                    print(*(f"{judge} {kind}: {output}" for output in tally.missed), sep="\n")
    if not given.misses:
        write_section("Judgement", report(endpoints, pair_table(), given.note))


if __name__ == "__main__":
    main()
