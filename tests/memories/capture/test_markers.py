import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.capture.markers import (
    MAX_MARKERS,
    OPERATIONAL_CATEGORIES,
    SPEC_MARKER_RE,
    MemoryMarker,
    RefusedMarker,
    find_memories,
)
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
        assert (scan.memories, scan.refused) == ([], [RefusedMarker("misc", "unknown category")])

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


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "category", "reason"),
        [
            ("[MEMORY] text", "", "malformed marker"),
            ("[MEMORY:timing no end", "", "malformed marker"),
            ("[MEMORY:] text", "", "no category"),
            ("[MEMORY:Timing] text", "Timing", "unknown category"),
            ("[MEMORY: timing] text", " timing", "unknown category"),
            ("[MEMORY:...] text", "...", "unknown category"),
            ("[MEMORY:timing:] text", "timing", "service is not a name"),
            ("[MEMORY:timing:my service] text", "timing", "service is not a name"),
            ("[MEMORY:timing:jellyfin:x] text", "timing", "service is not a name"),
            ("[MEMORY:timing:jellyfïn] text", "timing", "service is not a name"),
            ("[MEMORY:timing]", "timing", "no text"),
            ("[MEMORY:timing]   \t", "timing", "no text"),
            ("[MEMORY:timing]\ntext of the next line", "timing", "no text"),
            ("[MEMORY:timing] **", "timing", "no text"),
            ("**[MEMORY:timing]**", "timing", "no text"),
            ("[MEMORY:timing] <observation>", "timing", "placeholder instead of text"),
            ("[MEMORY:timing] ...", "timing", "placeholder instead of text"),
        ],
    )
    def test_a_refused_marker_says_why(self, text: str, category: str, reason: str) -> None:
        scan = find_memories(text)
        assert scan.memories == []
        assert scan.refused == [RefusedMarker(category, reason)]

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
        assert scan.refused == [RefusedMarker("timing", "unknown category")]

    def test_a_category_is_a_word_and_not_a_pattern(self) -> None:
        assert find_memories("[MEMORY:axb] text", ["a.b"]).memories == []

    def test_an_app_that_allows_none_refuses_all(self) -> None:
        assert find_memories("[MEMORY:timing] a [MEMORY:] b", []).memories == []


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
        "`[MEMORY:timing]",
        "***[",
        "` `` ",
        "```\n",
    ],
)
def test_a_long_text_of_anything_takes_linear_time(unit: str) -> None:
    assert_linear(find_memories, repeated(unit), 200_000)


TOKENS = st.sampled_from([*"[]:`*|~<>-\n ", "[MEMORY", "[EVENT:", "timing", "info", "x"])


@given(st.lists(TOKENS, max_size=40).map("".join))
def test_no_text_raises_and_no_memory_is_empty(text: str) -> None:
    for marker in find_memories(text).memories:
        assert marker.text == marker.text.strip() != ""
        assert marker.category in OPERATIONAL_CATEGORIES
