import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.capture.ingest_messages import (
    MAX_MARKERS,
    OPERATIONAL_CATEGORIES,
    MemoryMarker,
    RefusedMarker,
    find_memories,
)
from tests.api.test_spec_0015 import SPEC_MARKER_RE
from tests.growth import assert_linear, repeated


def texts(text: str) -> list[str]:
    return [marker.text for marker in find_memories(text).memories]


class TestSpec:
    def test_general_memory_marker_has_no_service(self) -> None:
        scan = find_memories("[MEMORY:remediation] DNS fails during reconnects -- retry once")
        assert scan.memories == [MemoryMarker("remediation", None, "DNS fails during reconnects -- retry once")]
        assert scan.refused == []

    def test_service_specific_memory_marker(self) -> None:
        scan = find_memories("[MEMORY:timing:jellyfin] Takes 60s to start after restart")
        assert scan.memories == [MemoryMarker("timing", "jellyfin", "Takes 60s to start after restart")]

    def test_invalid_category_is_refused(self) -> None:
        scan = find_memories("[MEMORY:misc] Some observation")
        reason = "unknown category; nearest: behavior"
        assert scan.memories == []
        assert scan.refused == [RefusedMarker("misc", reason, "Some observation", None, "behavior")]

    def test_regex_groups_are_category_service_and_text(self) -> None:
        match = SPEC_MARKER_RE.search("[MEMORY:dependency:postgres] Dependents should wait 10s")
        assert match is not None
        assert match.groups() == ("dependency", "postgres", "Dependents should wait 10s")

    def test_regex_rejects_an_unknown_category(self) -> None:
        assert SPEC_MARKER_RE.search("[MEMORY:unknown] Some observation") is None

    @given(
        st.sampled_from(OPERATIONAL_CATEGORIES),
        st.none() | st.from_regex(r"[a-zA-Z0-9_-]{1,12}", fullmatch=True),
        st.from_regex(r"[A-Za-z0-9äß.,:;()/'%=-]([A-Za-z0-9äß .,:;()/'%=-]{0,40}[A-Za-z0-9äß.])?", fullmatch=True),
        st.sampled_from(["", "Noted: ", "- ", "1. ", "> ", "first line\n"]),
    )
    def test_well_formed_markers_are_read_as_the_regex_of_the_spec_reads_them(
        self, category: str, service: str | None, text: str, before: str
    ) -> None:
        line = f"{before}[MEMORY:{category}{':' + service if service else ''}] {text}"
        match = SPEC_MARKER_RE.search(line)
        assert match is not None
        (marker,) = find_memories(line).memories
        assert (marker.category, marker.subject, marker.text) == match.groups()


class TestLeniency:
    @pytest.mark.parametrize("header", ["Timing", "TIMING", " timing", "timing ", "  Timing  "])
    def test_case_and_blanks_around_a_category_do_not_matter(self, header: str) -> None:
        scan = find_memories(f"[MEMORY:{header}] Takes 60s [MEMORY:{header}:dns] Takes 5s")
        assert scan.memories == [MemoryMarker("timing", None, "Takes 60s"), MemoryMarker("timing", "dns", "Takes 5s")]
        assert scan.refused == []

    @pytest.mark.parametrize("service", ["host.name", "db-1.example.org", "v1.2", "a.b_c.D-4"])
    def test_a_service_may_have_dots(self, service: str) -> None:
        assert find_memories(f"[MEMORY:timing:{service}] x").memories == [MemoryMarker("timing", service, "x")]

    def test_blanks_around_a_service_do_not_matter(self) -> None:
        assert find_memories("[MEMORY:timing: dns ] x").memories == [MemoryMarker("timing", "dns", "x")]

    def test_a_service_of_any_length_is_read_as_the_spec_reads_it(self) -> None:
        assert find_memories(f"[MEMORY:timing:{'x' * 300}] y").memories == [MemoryMarker("timing", "x" * 300, "y")]


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "category", "reason", "remaining"),
        [
            ("[MEMORY] text", "", "malformed marker", "text"),
            ("[MEMORY:timing no end", "", "malformed marker", "timing no end"),
            ("[MEMORY:] Takes 60s to start", "", "no category; nearest: timing", "Takes 60s to start"),
            ("[MEMORY:...] text", "...", "unknown category; nearest: behavior", "text"),
            ("[MEMORY:timing:] text", "timing", "service is not a name", "text"),
            ("[MEMORY:timing:my service] text", "timing", "service is not a name", "text"),
            ("[MEMORY:timing:jellyfin:x] text", "timing", "service is not a name", "text"),
            ("[MEMORY:timing:jellyfïn] text", "timing", "service is not a name", "text"),
            ("[MEMORY:timing:...] text", "timing", "service is not a name", "text"),
            ("[MEMORY:timing:.x] text", "timing", "service is not a name", "text"),
            ("[MEMORY:timing]", "timing", "no text", ""),
            ("[MEMORY:timing]   \t", "timing", "no text", ""),
            ("[MEMORY:timing]\ntext of the next line", "timing", "no text", ""),
            ("[MEMORY:timing] **", "timing", "no text", ""),
            ("**[MEMORY:timing]**", "timing", "no text", ""),
            ("[MEMORY:timing] <observation>", "timing", "placeholder instead of text", "<observation>"),
            ("[MEMORY:timing] ...", "timing", "placeholder instead of text", "..."),
        ],
    )
    def test_a_refused_marker_says_why_and_keeps_its_text(
        self, text: str, category: str, reason: str, remaining: str
    ) -> None:
        scan = find_memories(text)
        assert scan.memories == []
        assert [(marker.category, marker.reason, marker.text) for marker in scan.refused] == [
            (category, reason, remaining)
        ]

    @pytest.mark.parametrize(
        ("marker", "nearest"),
        [
            ("[MEMORY:behaviour] Fails twice a day", "behavior"),
            ("[MEMORY:Dependencies] Needs redis", "dependency"),
            ("[MEMORY:time] Fails", "timing"),
            ("[MEMORY:perf] Takes 60 seconds to start", "timing"),
            ("[MEMORY:config] Depends on postgres", "dependency"),
            ("[MEMORY:fix] Restarted twice", "remediation"),
            ("[MEMORY:misc] Some observation", "behavior"),
        ],
    )
    def test_an_unknown_category_is_answered_with_the_nearest(self, marker: str, nearest: str) -> None:
        (refused,) = find_memories(marker).refused
        assert (refused.reason, refused.nearest) == (f"unknown category; nearest: {nearest}", nearest)

    def test_the_service_of_a_refused_marker_is_kept(self) -> None:
        refused = find_memories("[MEMORY:misc:host.name] x [MEMORY:timing:my service] y").refused
        assert [marker.subject for marker in refused] == ["host.name", "my service"]

    def test_the_text_of_a_refused_marker_is_free_of_markdown(self) -> None:
        assert find_memories("**[MEMORY:misc] Takes 60s**").refused[0].text == "Takes 60s"

    def test_a_long_category_is_shown_shortened(self) -> None:
        assert find_memories(f"[MEMORY:{'x' * 90}] text").refused[0].category == "x" * 40

    @pytest.mark.parametrize("text", ["[MEMORYLEAK] x", "[memory:timing] x", "MEMORY:timing x", "[]", ""])
    def test_other_brackets_are_no_markers(self, text: str) -> None:
        scan = find_memories(text)
        assert (scan.memories, scan.refused) == ([], [])

    def test_a_loop_of_markers_is_cut_off_and_counted(self) -> None:
        scan = find_memories("[MEMORY:timing] x\n[MEMORY:misc] y\n" * MAX_MARKERS)
        assert len(scan.memories) + len(scan.refused) == MAX_MARKERS
        assert scan.unread_count == MAX_MARKERS


class TestCategoriesOfAnApp:
    def test_an_app_may_allow_other_categories(self) -> None:
        scan = find_memories("[MEMORY:health] Allergic [MEMORY:timing] 60s", {"health", "a.b"})
        assert scan.memories == [MemoryMarker("health", None, "Allergic")]
        assert scan.refused == [RefusedMarker("timing", "unknown category", "60s")]

    def test_a_category_is_a_word_and_not_a_pattern(self) -> None:
        assert find_memories("[MEMORY:axb] text", ["a.b"]).memories == []

    def test_an_app_that_allows_none_refuses_all(self) -> None:
        scan = find_memories("[MEMORY:timing] a [MEMORY:] b", [])
        assert scan.memories == []
        assert [marker.reason for marker in scan.refused] == ["unknown category", "no category"]

    def test_the_nearest_category_is_one_of_the_app(self) -> None:
        (refused,) = find_memories("[MEMORY:misc] Takes 60 seconds", ["hobbies", "general"]).refused
        assert refused.nearest == "general"


class TestEndOfText:
    def test_two_markers_on_a_line_are_two_memories(self) -> None:
        assert texts("[MEMORY:timing] x [MEMORY:behavior] y") == ["x", "y"]

    @pytest.mark.parametrize("separator", [" ", ", ", "; ", " - ", " — ", " | "])
    def test_what_separates_two_markers_belongs_to_neither(self, separator: str) -> None:
        assert texts(f"[MEMORY:timing] x{separator}[MEMORY:behavior] y") == ["x", "y"]

    def test_an_event_marker_ends_the_text(self) -> None:
        assert texts("[MEMORY:timing] Takes 60s [EVENT:info] Restarted") == ["Takes 60s"]

    def test_a_refused_marker_ends_the_text(self) -> None:
        assert texts("[MEMORY:timing] Takes 60s [MEMORY:misc] y") == ["Takes 60s"]

    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\u2028"])
    def test_the_line_ends_the_text(self, line_end: str) -> None:
        assert texts(f"[MEMORY:timing] Takes 60s {line_end}and more") == ["Takes 60s"]

    def test_other_brackets_do_not_end_the_text(self) -> None:
        assert texts("[MEMORY:timing] Reads [main] first, then [x]") == ["Reads [main] first, then [x]"]


class TestMarkdown:
    @pytest.mark.parametrize(
        "line",
        [
            "**[MEMORY:timing] Takes 60s**",
            "**[MEMORY:timing]** Takes 60s",
            "***[MEMORY:timing] Takes 60s***",
            "*[MEMORY:timing] Takes 60s*",
            "_[MEMORY:timing] Takes 60s_",
            "~~[MEMORY:timing] Takes 60s~~",
            "- **[MEMORY:timing]** Takes 60s",
            "3. [MEMORY:timing] Takes 60s",
            "> [MEMORY:timing] Takes 60s",
            "| note | [MEMORY:timing] Takes 60s |",
            "[MEMORY:timing] Takes 60s**",
            "[MEMORY:timing] Takes 60s`",
        ],
    )
    def test_marks_around_a_marker_are_not_part_of_it(self, line: str) -> None:
        assert texts(line) == ["Takes 60s"]

    @pytest.mark.parametrize(
        "statement",
        [
            "Run `restic unlock`",
            "Is **slow**",
            "Empty /tmp/*",
            "Skips src/**",
            "cron is * * * * *",
            "Uses __init__",
        ],
    )
    def test_marks_within_the_text_stay(self, statement: str) -> None:
        assert texts(f"[MEMORY:timing] {statement}") == [statement]

    @pytest.mark.parametrize(
        "text",
        [
            "Write `[MEMORY:timing:service] text` for this.",
            "Write ``a ` [MEMORY:timing] text`` for this.",
            "```\n[MEMORY:timing] text\n```",
            "~~~ text\n[MEMORY:timing] text\n```\n[MEMORY:misc] text\n~~~",
            "  - ```sh\n    [MEMORY:timing] text\n    ```",
            "````\n```\n[MEMORY:timing] text\n```\n````",
            "```\n[MEMORY:timing] text, the fence is never closed",
        ],
    )
    def test_markers_in_code_are_explained_and_not_remembered(self, text: str) -> None:
        scan = find_memories(text)
        assert (scan.memories, scan.refused) == ([], [])

    def test_markers_after_code_count_again(self) -> None:
        assert texts("```\n[MEMORY:timing] no\n```\n[MEMORY:timing] yes") == ["yes"]
        assert texts("`code` [MEMORY:timing] yes, like `[MEMORY:timing] no`") == ["yes, like `[MEMORY:timing] no`"]

    def test_a_lone_backtick_opens_no_code(self) -> None:
        assert texts("It`s [MEMORY:timing] yes") == ["yes"]


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[MEMORY:",
        "[MEMORY]",
        "[MEMORY:timing]",
        "[MEMORY:timing] x ",
        "[MEMORY:misc] x",
        "[MEMORY:timing:",
        "`[MEMORY:timing]",
        "***[",
        "` `` ",
        "```\n",
    ],
)
def test_a_long_text_of_anything_takes_linear_time(unit: str) -> None:
    assert_linear(find_memories, repeated(unit), 200_000)


TOKENS = st.sampled_from([*"[]:`*|~<>-\n ", "[MEMORY", "[EVENT:", "timing", "info", "x"])


@pytest.mark.parametrize("head", ["[MEMORY:", "[MEMORY:timing:", "[MEMORY:misc] "])
@pytest.mark.parametrize("unit", ["x", " ", "a.", "restart "])
def test_one_long_marker_takes_linear_time(head: str, unit: str) -> None:
    assert_linear(lambda text: find_memories(head + text), repeated(unit), 200_000)


@given(st.lists(TOKENS, max_size=40).map("".join))
def test_no_text_raises_and_no_memory_is_empty(text: str) -> None:
    for marker in find_memories(text).memories:
        assert marker.text == marker.text.strip() != ""
        assert marker.category in OPERATIONAL_CATEGORIES
