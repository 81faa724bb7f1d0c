"""A category's written summary by rule: what an operator reads and what the agent is given."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.provider import RULES, Noted
from memories.providers.llm.rules.plain import escape_markdown, one_line
from memories.providers.llm.rules.restate import says_no_more
from memories.providers.llm.rules.summaries import summarise
from memories.text.wordlist import words
from tests.growth import assert_linear
from tests.tables import each_row

DATA = Path(__file__).parents[3] / "data"


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


JELLYFIN = [
    Noted(1, "Takes 60s to start after restart -- wait before checking health", subject="jellyfin", confidence=0.9),
    Noted(2, "Takes about 60 seconds to start after a restart", subject="jellyfin"),
    Noted(3, "Never restart it during a library scan", subject="jellyfin", kind="lesson", importance=5),
    Noted(
        4,
        "The library scan runs at 03:00",
        subject="jellyfin",
        confidence=0.4,
        confirmed_at=day("2025-01-01"),
    ),
]
OTHERS = [
    Noted(5, "Backups run nightly at 02:00", confidence=1.0, importance=4),
    Noted(6, "We moved the backups from 01:00 to 02:00", kind="decision", said_at=day("2025-02-02")),
    Noted(7, "TLS certificates renew 30 days before they expire", subject="Caddy"),
]
FACTS = JELLYFIN + OTHERS

texts = st.text(max_size=60) | st.sampled_from(
    ["Takes 60s", "takes 60s.", "# no\n\nheading", "<b>x</b>", "- [x] `rm -rf`", "\ud800\0", "漢字の事実です。", "1. x"]
)
noted = st.builds(
    Noted,
    number=st.integers(0, 99),
    content=texts,
    subject=st.sampled_from(["", "general", "nginx", "Nginx", "evil\n# x", "\0"]),
    kind=st.sampled_from(["fact", "lesson", "decision", "preference"]),
    importance=st.integers(1, 5),
    confidence=st.floats(0, 1),
    said_at=st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    access_count=st.integers(0, 50),
)


def test_the_file_as_a_person_reads_it() -> None:
    written = summarise("timing", FACTS, "", 4_000)
    assert written.made_by == RULES
    assert written.text == (
        "# Timing\n"
        "\n"
        "## Caddy\n"
        "- TLS certificates renew 30 days before they expire\n"
        "\n"
        "## jellyfin\n"
        "- **Lesson:** Never restart it during a library scan\n"
        "- Takes 60s to start after restart -- wait before checking health\n"
        "- The library scan runs at 03:00 (uncertain, 2025-01-01)\n"
        "\n"
        "## general\n"
        "- Backups run nightly at 02:00\n"
        "- **Decision:** We moved the backups from 01:00 to 02:00 (2025-02-02)"
    )


def test_no_facts_no_text() -> None:
    assert summarise("timing", [], "# Timing\n\nold", 4_000).text == ""
    assert summarise("timing", [Noted(1, " \n\0 ")], "", 4_000).text == ""


@each_row(
    ("first", "second"),
    [
        ("The importer is idempotent", "The importer is not idempotent"),
        ("The library scan blocks playback", "The library scan does not block playback"),
        ("User drinks coffee", "User no longer drinks coffee"),
    ],
)
def test_of_a_statement_and_its_denial_the_newer_is_told(first: str, second: str) -> None:
    for old, new in ((first, second), (second, first)):
        facts = [Noted(1, old, said_at=day("2025-01-01")), Noted(2, new, said_at=day("2025-03-01"))]
        for order in (facts, facts[::-1]):
            assert summarise("work", order, "", 400).text == f"# Work\n\n- {new}"


def test_or_the_older_one_that_is_much_surer() -> None:
    facts = [
        Noted(1, "The importer is idempotent", confidence=1.0, said_at=day("2025-01-01")),
        Noted(2, "The importer is not idempotent", confidence=0.5, said_at=day("2025-03-01")),
    ]
    assert summarise("work", facts, "", 400).text == "# Work\n\n- The importer is idempotent"


def test_what_is_denied_of_another_thing_stays() -> None:
    facts = [
        Noted(1, "User likes tea"),
        Noted(2, "User does not like coffee"),
        Noted(3, "The team uses Postgres"),
        Noted(4, "The team no longer uses MySQL"),
        Noted(5, "Redis is used for sessions"),
        Noted(6, "Redis is not used for queues"),
        Noted(7, "The job is safe", subject="a"),
        Noted(8, "The job is not safe", subject="b"),
    ]
    assert summarise("work", facts, "", 800).text.count("\n- ") == 8


def test_a_lone_general_group_needs_no_heading() -> None:
    assert summarise("work", [Noted(1, "Standup is at 9")], "", 400).text == "# Work\n\n- Standup is at 9"


def test_the_mark_is_not_repeated_in_a_category_of_its_kind() -> None:
    text = summarise("preferences", [Noted(1, "Likes tea", kind="preference")], "", 400).text
    assert text == "# Preferences\n\n- Likes tea"


def test_general_by_name_and_by_silence_are_one_group_and_come_last() -> None:
    facts = [Noted(1, "A one", subject="General"), Noted(2, "B two"), Noted(3, "C three", subject="zulu")]
    assert summarise("work", facts, "", 400).text == "# Work\n\n## zulu\n- C three\n\n## general\n- A one\n- B two"


def test_worthier_facts_come_first_then_newer_then_more_used() -> None:
    facts = [
        Noted(1, "Used", access_count=9, said_at=day("2025-01-01")),
        Noted(2, "Unused", said_at=day("2025-01-01")),
        Noted(3, "Newer", said_at=day("2025-01-02")),
        Noted(4, "Important", importance=5),
        Noted(5, "Doubted", importance=5, confidence=0.1),
    ]
    lines = summarise("work", facts, "", 400).text.splitlines()[2:]
    assert lines == ["- Important", "- Newer", "- Used", "- Unused", "- Doubted (uncertain)"]


def test_a_hair_of_confidence_does_not_outweigh_a_day() -> None:
    facts = [
        Noted(1, "Older", confidence=0.71, said_at=day("2025-01-01")),
        Noted(2, "Newer", confidence=0.7, said_at=day("2025-01-02")),
    ]
    assert summarise("work", facts, "", 400).text.endswith("- Newer\n- Older")


def test_equal_statements_are_one_line_whatever_their_case_and_stop() -> None:
    facts = [Noted(1, "Takes 60s."), Noted(2, "takes  60S", kind="lesson", importance=5)]
    assert summarise("timing", facts, "", 400).text == "# Timing\n\n- **Lesson:** Takes 60s."


@each_row(
    ("one", "other"),
    [
        ("nginx depends on postgres", "postgres depends on nginx"),
        ("Alice's laptop has 16 GB of RAM", "Bob's laptop has 16 GB of RAM"),
        ("The build takes 12 minutes", "The docs build takes 12 minutes"),
        ("Alice likes tea", "Alice's sister likes tea"),
        ("The backup runs before the deploy", "The backup runs after the deploy"),
        ("The disk of node a is full", "The disk of node b is full"),
        ("The staging server needs 5 minutes to boot", "The production server needs 5 minutes to boot"),
    ],
)
def test_what_only_looks_alike_stays_two_lines(one: str, other: str) -> None:
    text = summarise("work", [Noted(1, one), Noted(2, other)], "", 400).text
    assert one in text
    assert other in text


def test_restatements_are_told_from_all_else_in_the_labelled_pairs() -> None:
    found = {"same": 0, "contradicts": 0, "different": 0}
    for name in ("relation-pairs.jsonl", "relation-pairs-extra.jsonl"):
        for line in (DATA / name).read_text().splitlines():
            pair = json.loads(line)
            found[pair["relation"]] += says_no_more(pair["new"], pair["existing"], pair["subject"])
    assert found["same"] > 40
    assert found["contradicts"] == found["different"] == 0


def test_hostile_text_stays_one_item_of_plain_text() -> None:
    nasty = (
        "# hacked\n\n- [x](http://e) `rm`\r\n<script>alert(1)</script> *b* __init__ snake_case &lt; 1 < 2 \\* a\u202eb"
    )
    text = summarise("work", [Noted(1, nasty, subject="evil\n# sub <b>")], "", 4_000).text
    assert text == (
        "# Work\n\n## evil # sub \\<b>\n"
        "- \\# hacked - \\[x](http://e) \\`rm\\` \\<script>alert(1)\\</script> \\*b\\* \\_\\_init\\_\\_ snake_case "
        "\\&lt; 1 < 2 \\\\\\* ab"
    )


@each_row(
    ("line", "shown"),
    [("1. x", "1\\. x"), ("- x", "\\- x"), ("-1 is an error", "-1 is an error"), ("> x", "\\> x"), ("--- ", "\\--- ")],
)
def test_marks_at_the_start_of_a_line_are_escaped(line: str, shown: str) -> None:
    assert escape_markdown(line) == shown


def test_what_does_not_fit_is_left_out_whole_and_counted() -> None:
    text = summarise("timing", FACTS, "", 180).text
    assert text == (
        "# Timing\n\n## jellyfin\n- **Lesson:** Never restart it during a library scan\n\n"
        "## general\n- Backups run nightly at 02:00\n\n*Left out for want of room: 5 of 7 facts.*"
    )


def test_with_very_little_room_it_still_says_how_much_is_missing() -> None:
    assert summarise("timing", FACTS, "", 60).text == "# Timing\n\n*Left out for want of room: 7 of 7 facts.*"
    assert summarise("timing", FACTS, "", 50).text == "*Left out for want of room: 7 of 7 facts.*"
    assert summarise("timing", FACTS, "", 10).text == ""


def test_one_subject_does_not_crowd_out_the_others() -> None:
    busy = [Noted(n, f"Endpoint {n} answers slowly on day {n * 7}", subject="api") for n in range(30)]
    quiet = [Noted(99, "Rack door code is with Kim", subject="rack")]
    assert "Rack door code" in summarise("work", busy + quiet, "", 300).text


def test_a_fact_more_is_a_line_more() -> None:
    before = summarise("timing", FACTS, "", 4_000).text
    after = summarise("timing", [*FACTS, Noted(8, "Scrubs take 9 hours", subject="jellyfin")], before, 4_000).text
    changed = list(unified_diff(before.splitlines(), after.splitlines(), n=0))[3:]
    assert changed == ["+- Scrubs take 9 hours"]


def test_slow_decay_does_not_change_the_order() -> None:
    faded = [replace(fact, confidence=fact.confidence - 0.01) for fact in FACTS]
    assert summarise("timing", faded, "", 4_000) == summarise("timing", FACTS, "", 4_000)


@settings(max_examples=60)
@given(st.lists(noted, max_size=12), st.integers(-5, 600), st.randoms(use_true_random=False))
def test_any_facts_in_any_order_give_one_text_that_fits(facts: list[Noted], most: int, rnd: random.Random) -> None:
    text = summarise("work", facts, "", most).text
    shuffled = list(facts)
    rnd.shuffle(shuffled)
    assert summarise("work", shuffled, "other", most).text == text
    assert len(text) <= max(most, 0)
    allowed = ("# ", "## ", "- ", "*Left out")
    assert all(not line or line.startswith(allowed) for line in text.split("\n"))
    text.encode()


@settings(max_examples=60)
@given(st.lists(noted, max_size=8))
def test_with_room_every_statement_is_told(facts: list[Noted]) -> None:
    text = summarise("work", facts, "", 100_000).text.casefold()
    for fact in facts:
        assert escape_markdown(one_line(fact.content).rstrip(".")).casefold().rstrip("\\.") in text


def test_two_thousand_facts_are_written_in_linear_time() -> None:
    rnd = random.Random(7)
    nouns = sorted(words("backup disk cache proxy token node queue worker build release cert port host volume alert"))
    facts = [
        Noted(n, f"The {rnd.choice(nouns)} of {rnd.choice(nouns)} {rnd.randint(1, 400)} takes {rnd.randint(1, 90)} s")
        for n in range(2_000)
    ]
    assert len(summarise("timing", facts, "", 8_000).text) <= 8_000
    assert_linear(lambda some: summarise("timing", some, "", 8_000), lambda count: facts[:count], 2_000)
