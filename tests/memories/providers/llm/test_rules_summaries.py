"""A category's written summary by rule: what an operator reads and what the agent is given."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.similarity import escape_markdown, gist_of, one_line, says_no_more
from memories.language.wordlists import words
from memories.providers.llm.provider import RULES, LLMUnusable, Noted
from memories.providers.llm.rules.eviction import make_room, value
from memories.providers.llm.rules.summaries import insight, summarise
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


def test_or_the_older_one_that_is_much_more_certain() -> None:
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
    ("first", "other"),
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
def test_what_only_looks_alike_stays_two_lines(first: str, other: str) -> None:
    text = summarise("work", [Noted(1, first), Noted(2, other)], "", 400).text
    assert first in text
    assert other in text


def test_restatements_are_told_from_all_else_in_the_labelled_pairs() -> None:
    results = {"same": 0, "contradicts": 0, "different": 0}
    for name in ("relation-pairs.jsonl", "relation-pairs-extra.jsonl"):
        for line in (DATA / name).read_text().splitlines():
            pair = json.loads(line)
            results[pair["relation"]] += says_no_more(pair["new"], pair["existing"], pair["subject"])
    assert results["same"] > 40
    assert results["contradicts"] == results["different"] == 0


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
    ("line", "displayed"),
    [("1. x", "1\\. x"), ("- x", "\\- x"), ("-1 is an error", "-1 is an error"), ("> x", "\\> x"), ("--- ", "\\--- ")],
)
def test_marks_at_the_start_of_a_line_are_escaped(line: str, displayed: str) -> None:
    assert escape_markdown(line) == displayed


def test_what_does_not_fit_is_left_out_whole_and_counted() -> None:
    text = summarise("timing", FACTS, "", 180).text
    assert text == (
        "# Timing\n\n## jellyfin\n- **Lesson:** Never restart it during a library scan\n\n"
        "## general\n- Backups run nightly at 02:00\n\n*Left out for want of room: 5 of 7 facts.*"
    )


def test_with_very_little_capacity_it_still_says_how_much_is_missing() -> None:
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
def test_with_capacity_every_statement_is_told(facts: list[Noted]) -> None:
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


NGINX = [
    Noted(1, "Nginx needs a restart after certificate renewal.", subject="nginx", said_at=day("2025-03-02")),
    Noted(2, "A restart of nginx takes 4 seconds", subject="nginx", said_at=day("2025-04-02")),
    Noted(3, "A reload did not pick up the renewed certificate", subject="nginx", said_at=day("2025-05-02")),
    Noted(4, "The nginx restart dropped 12 connections", subject="nginx", said_at=day("2025-06-02")),
    Noted(5, "Renewal of the certificate is on the first Monday", subject="nginx", said_at=day("2025-06-20")),
]
STATEMENT = "Nginx needs a restart after certificate renewal"


def test_the_most_central_statement_and_how_many_there_were() -> None:
    written = insight(NGINX, 500)
    assert written.text == f"{STATEMENT} (one of 5 notes on nginx, 2025-03 to 2025-06)"
    assert written.made_by == RULES


def test_where_the_whole_note_does_not_fit_a_shorter_statement_is_told_with_it() -> None:
    assert insight(NGINX, 82).text == "A restart of nginx takes 4 seconds (one of 5 notes on nginx, 2025-03 to 2025-06)"


def test_where_no_statement_fits_with_its_note_the_note_is_shortened_and_then_left_out() -> None:
    assert insight(NGINX, 60).text == "A restart of nginx takes 4 seconds (one of 5 notes on nginx)"
    assert insight(NGINX, 52).text == "A restart of nginx takes 4 seconds (one of 5 notes)"
    assert insight(NGINX, 40).text == "The nginx restart dropped 12 connections"
    assert insight(NGINX, 20).text == "Nginx needs a…"


def test_one_fact_is_told_as_it_is() -> None:
    assert insight(NGINX[:1], 500).text == "Nginx needs a restart after certificate renewal."


def test_without_facts_there_is_nothing_to_say() -> None:
    assert insight([], 500).text == ""
    assert insight([Noted(1, "\0 \n")], 500).text == ""


def test_one_month_is_no_range_and_no_date_is_no_month() -> None:
    facts = [replace(fact, said_at=day("2025-03-09")) for fact in NGINX]
    assert insight(facts, 500).text.endswith("(one of 5 notes on nginx, 2025-03)")
    facts = [replace(fact, said_at=None) for fact in NGINX]
    assert insight(facts, 500).text.endswith("(one of 5 notes on nginx)")


def test_what_they_are_about_is_their_subject_else_their_category_else_unsaid() -> None:
    bare = [replace(fact, said_at=None, subject=str(fact.number)) for fact in NGINX]
    assert insight(bare, 500).text.endswith("(one of 5 notes)")
    work = [replace(fact, category="work") for fact in bare]
    assert insight(work, 500).text.endswith("(one of 5 notes on work)")


def test_languages_without_spaces_have_a_centre_too() -> None:
    facts = [Noted(1, "犬が好きです"), Noted(2, "東京に住んでいます"), Noted(3, "東京の会社に住んでいます")]
    assert insight(facts, 500).text.startswith("東京に住んでいます")


@settings(max_examples=80)
@given(
    st.lists(st.builds(Noted, number=st.integers(0, 9), content=st.text(max_size=80)), max_size=8),
    st.integers(-3, 120),
    st.randoms(use_true_random=False),
)
def test_any_group_in_any_order_gives_one_line_that_fits(facts: list[Noted], most: int, rnd: random.Random) -> None:
    text = insight(facts, most).text
    shuffled = list(facts)
    rnd.shuffle(shuffled)
    assert insight(shuffled, most).text == text
    assert len(text) <= max(most, 0)
    assert "\n" not in text


NOW = datetime(2025, 7, 1, 12, tzinfo=UTC)


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@each_row(
    ("memory", "worth"),
    [
        # 0.4 · 2/4 + 0.3 · 0.7 + 0.2 · 1 + 0.1 · 0
        (Noted(1, "new", said_at=NOW), 0.61),
        # 0.4 · 4/4 + 0.3 · 0.9 + 0.2 · 1/4 + 0.1 · 15/20
        (Noted(1, "old but dear", importance=5, confidence=0.9, said_at=days_ago(180), access_count=15), 0.795),
        # 0.4 · 0 + 0.3 · 0.5 + 0.2 · 1/2 + 0.1 · 5/10
        (Noted(1, "trivial", importance=1, confidence=0.5, said_at=days_ago(90), access_count=5), 0.3),
        # the later of the two times counts: 0.2 + 0.21 + 0.2 · 1/2
        (Noted(1, "confirmed", said_at=days_ago(900), confirmed_at=days_ago(90)), 0.51),
        # a time to come is now; no time is long ago
        (Noted(1, "from tomorrow", said_at=days_ago(-1)), 0.61),
        (Noted(1, "timeless"), 0.41),
    ],
)
def test_the_value_of_a_memory(memory: Noted, worth: float) -> None:
    assert value(memory, NOW) == pytest.approx(worth)


def test_the_least_worthy_goes_and_the_reason_says_why() -> None:
    memories = [
        Noted(1, "User is allergic to nuts", importance=5, confidence=0.9, said_at=days_ago(700)),
        Noted(2, "User had soup for lunch", importance=1, confidence=0.7, said_at=days_ago(45)),
        Noted(3, "User works at Siemens", said_at=days_ago(10)),
    ]
    choice = make_room(memories, NOW, 200)
    assert (choice.number, choice.into, choice.content, choice.made_by) == (2, None, "", RULES)
    assert choice.reason == (
        "worth least (0.35): importance 1, confidence 0.70, last said or confirmed 45 days ago, accesses 0"
    )


def test_of_equals_the_oldest_goes() -> None:
    ages = {1: 800.0, 2: 900.0, 3: 700.0}
    memories = [Noted(n, f"Note {n}", confirmed_at=NOW, said_at=days_ago(age)) for n, age in ages.items()]
    assert make_room(memories, NOW, 200).number == 2


def test_pinned_memories_stay() -> None:
    memories = [Noted(1, "Trivial", importance=1, pinned=True), Noted(2, "Vital", importance=5)]
    assert make_room(memories, NOW, 200).number == 2


@each_row("memories", [[], [Noted(1, "a", pinned=True), Noted(2, "b", pinned=True)]])
def test_when_all_are_pinned_there_is_no_answer(memories: list[Noted]) -> None:
    with pytest.raises(LLMUnusable, match="every memory is pinned"):
        make_room(memories, NOW, 200)


SHORT = Noted(1, "Takes about 60 seconds to start after a restart", subject="jellyfin", importance=4)
LONG = Noted(2, "Takes 60s to start after restart -- wait before checking health", subject="jellyfin")
OTHER = Noted(3, "User had soup for lunch", importance=1)


def test_two_that_say_the_same_become_one_before_anything_is_lost() -> None:
    choice = make_room([OTHER, SHORT, LONG], NOW, 200)
    assert (choice.number, choice.into, choice.content) == (2, 1, LONG.content)
    assert choice.reason == "says the same as another, which stays"


def test_the_pinned_one_of_two_lives_on_unchanged() -> None:
    choice = make_room([OTHER, SHORT, replace(LONG, pinned=True)], NOW, 200)
    assert (choice.number, choice.into, choice.content) == (1, 2, LONG.content)
    assert make_room([OTHER, replace(SHORT, pinned=True), LONG], NOW, 200).number == OTHER.number


def test_nothing_is_merged_into_more_than_fits() -> None:
    assert make_room([OTHER, SHORT, LONG], NOW, 60).into is None


def test_what_is_filed_elsewhere_is_not_merged() -> None:
    assert make_room([OTHER, SHORT, replace(LONG, category="timing")], NOW, 200).into is None
    assert make_room([OTHER, SHORT, replace(LONG, subject="plex")], NOW, 200).into is None


@each_row(
    ("text", "other"),
    [
        (
            "The nightly backup failed because the disk was full",
            "The nightly backup failed because the password had expired",
        ),
        ("Alice's laptop has 16 GB of RAM", "Bob's laptop has 16 GB of RAM"),
        ("Port 8080 is for the API", "Port 9090 is for the API"),
        ("Backups are encrypted", "Backups are not encrypted"),
    ],
)
def test_what_only_looks_alike_is_not_merged(text: str, other: str) -> None:
    assert make_room([Noted(1, text), Noted(2, other)], NOW, 200).into is None


memory = st.builds(
    Noted,
    number=st.integers(0, 10**6),
    content=st.sampled_from(["Takes 60s", "takes 60 seconds.", "Is slow", "Is slow after a restart"])
    | st.text(max_size=40),
    subject=st.sampled_from(["", "nginx"]),
    importance=st.integers(1, 5),
    confidence=st.floats(0, 1),
    said_at=st.none() | st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    access_count=st.integers(0, 50),
    pinned=st.booleans(),
)


@settings(max_examples=100)
@given(
    st.lists(memory, min_size=1, max_size=10, unique_by=lambda item: item.number),
    st.integers(0, 60),
    st.randoms(use_true_random=False),
)
def test_any_memories_in_any_order_give_one_choice(memories: list[Noted], most: int, rnd: random.Random) -> None:
    by_number = {memory.number: memory for memory in memories}
    shuffled = list(memories)
    rnd.shuffle(shuffled)
    if all(memory.pinned for memory in memories):
        with pytest.raises(LLMUnusable):
            make_room(memories, NOW, most)
        return
    choice = make_room(memories, NOW, most)
    assert make_room(shuffled, NOW, most) == choice
    assert not by_number[choice.number].pinned
    if choice.into is not None:
        stays = by_number[choice.into]
        assert choice.into != choice.number
        assert len(choice.content) <= most
        assert choice.content in (stays.content, by_number[choice.number].content)
        assert not stays.pinned or choice.content == stays.content
    else:
        loose = [memory for memory in memories if not memory.pinned]
        assert value(by_number[choice.number], NOW) <= min(value(item, NOW) for item in loose) + 1e-6


def test_words_of_hindi_are_compared_whole_and_not_letter_by_letter() -> None:
    assert gist_of("दिल्ली में").words.isdisjoint(gist_of("लाल दीवार").words)


def test_a_thousand_memories_are_weighed_in_linear_time() -> None:
    rnd = random.Random(5)
    things = ["backup", "disk", "cache", "proxy", "token", "node", "queue", "worker", "build", "release"]
    memories = [
        Noted(n, f"The {rnd.choice(things)} of {rnd.choice(things)} {n % 300} takes {rnd.randint(1, 90)} s")
        for n in range(1_000)
    ]
    assert_linear(lambda some: make_room(some, NOW, 200), lambda count: memories[:count], 1_000)
