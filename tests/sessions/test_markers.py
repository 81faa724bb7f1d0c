import pytest

from sessions.markers import MAX_EVENTS, EventMarker, find_events


@pytest.mark.parametrize("level", ["info", "warning", "error", "critical"])
def test_every_level_is_read(level: str) -> None:
    (event,) = find_events(f"[EVENT:{level}:caddy] Restarted")
    assert (event.level, event.service, event.message) == (level, "caddy", "Restarted")


def test_warn_means_warning() -> None:
    assert find_events("[EVENT:warn] Slow") == [EventMarker("warning", None, "Slow")]


def test_case_and_blanks_around_a_level_and_dots_in_a_service_are_accepted() -> None:
    assert find_events("[EVENT: Warning : host.name ] Slow") == [EventMarker("warning", "host.name", "Slow")]


def test_markers_are_found_within_prose_in_order() -> None:
    text = "Done.\n\n- [EVENT:info:dns] One  \nand **[EVENT:error:a_b-1] Two** [EVENT:info] Three\r\nend"
    assert find_events(text) == [
        EventMarker("info", "dns", "One"),
        EventMarker("error", "a_b-1", "Two"),
        EventMarker("info", None, "Three"),
    ]


def test_a_memory_marker_ends_a_message() -> None:
    assert find_events("[EVENT:info] Up [MEMORY:timing] Takes 60s") == [EventMarker("info", None, "Up")]


@pytest.mark.parametrize(
    "text",
    [
        "[EVENT:fatal] No such level",
        "[EVENT:info:no spaces] x",
        "[EVENT:info:...] x",
        "[EVENT:info]",
        "[EVENT:info]\nnext line",
        "[EVENT:] x",
        "[event:info] x",
        "`[EVENT:info] in code`",
        "```\n[EVENT:info] in code\n```",
    ],
)
def test_what_is_not_a_marker_is_passed_over(text: str) -> None:
    assert find_events(text) == []


def test_a_loop_of_events_is_cut_off() -> None:
    assert len(find_events("[EVENT:info] x\n" * (MAX_EVENTS + 50))) == MAX_EVENTS
