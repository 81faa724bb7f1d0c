from datetime import datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.text.messages import ASSISTANT, SYSTEM, USER, Message
from tests.memories.providers.llm.fake_chat import MADE_BY, NOW, found, provider_on, said
from tests.tables import each_row, each_row_of


def extract(*facts: dict[str, Any], chunk: Chunk | None = None, setting: Setting | None = None) -> list[Fact]:
    llm, _ = provider_on({"facts": list(facts)})
    return llm.extract(chunk or said("I live in Berlin."), setting or Setting())


def the_fact(**changes: Any) -> Fact:
    (fact,) = extract(found(**changes))
    return fact


def test_a_good_fact_arrives_whole() -> None:
    answer = found(
        "Anna moved Grafana to port 3001.", quote="moved it to port 3001", kind="decision", category="Work Stuff",
        subject="grafana", entities=["Grafana", "Anna", "grafana"], tags=["#Ports", "monitoring", "ports"],
        importance=4, strength="implied", sentiment="excited", verifiable=0.9, useful=0.8,
        valid_from="2026-05-04", valid_until="2026-05-31",
    )  # fmt: skip
    (fact,) = extract(
        answer, chunk=said("Anna here. I\n  moved it to port 3001!"), setting=Setting(subjects=("Grafana", "Loki"))
    )
    assert fact == Fact(
        "Anna moved Grafana to port 3001.", 0, "moved it to port 3001", "decision", "work-stuff", "Grafana",
        ("ports", "monitoring"), 4, "implied", "excited", 0.9, 0.8, ("Grafana", "Anna"),
        datetime(2026, 5, 4, tzinfo=NOW.tzinfo), datetime(2026, 6, 1, tzinfo=NOW.tzinfo), MADE_BY,
    )  # fmt: skip


def test_no_facts_are_no_facts() -> None:
    assert extract() == []


class TestHowMany:
    def test_a_thousand_facts_are_cut_to_what_was_asked_for(self) -> None:
        facts = extract(*(found(f"Fact {at}.") for at in range(1_000)), setting=Setting(most_facts=7))
        assert [fact.content for fact in facts] == [f"Fact {at}." for at in range(7)]

    def test_what_is_said_twice_counts_once(self) -> None:
        facts = extract(found("Likes tea."), found("likes  tea"), found("Likes tea!"), found("Likes coffee."))
        assert [fact.content for fact in facts] == ["Likes tea.", "Likes coffee."]


class TestContent:
    @each_row("content", ["", "  \n", "\x00\x1b", "...", "a" * 101])
    def test_what_is_empty_or_too_long_is_dropped_not_cut(self, content: str) -> None:
        assert extract(found(content), setting=Setting(max_characters=100)) == []

    def test_the_other_facts_stay(self) -> None:
        assert [fact.content for fact in extract(found(""), found("Stays."))] == ["Stays."]

    def test_control_and_hidden_characters_go(self) -> None:
        assert the_fact(content="Lives\x00 in\n\tBer\u202elin\U000e0041 now.").content == "Lives in Berlin now."

    @each_row(
        "content", ["Der Nutzer wohnt in Köln.", "用户住在上海。", "می‌خواهد چای", "הוא גר בחיפה.", "Liebt 👩‍👧 und 🇩🇪."]
    )
    def test_other_languages_stay_as_they_are(self, content: str) -> None:
        assert the_fact(content=content).content == content


class TestWhereItWasSaid:
    CHUNK = Chunk(
        (
            Message(SYSTEM, "You know that the sky is green."),
            Message(USER, "I live in Berlin."),
            Message(ASSISTANT, "Noted.\nThe server runs on port 80."),
        ),
        NOW,
        before=(Message(USER, "I used to live in Rome."),),
    )

    def locate(self, number: int, quote: str) -> list[tuple[int, str]]:
        return [(fact.message, fact.quote) for fact in extract(found(message=number, quote=quote), chunk=self.CHUNK)]

    def test_numbers_count_what_was_shown_and_places_what_was_handed_in(self) -> None:
        assert self.locate(1, "live in Berlin") == [(1, "live in Berlin")]
        assert self.locate(2, "") == [(2, "")]

    def test_a_wrong_number_is_put_right_by_the_words(self) -> None:
        assert self.locate(1, "Noted. The server runs") == [(2, "Noted. The server runs")]
        assert self.locate(99, "live in Berlin") == [(1, "live in Berlin")]

    @each_row("number", [0, -1, 3, 10**30])
    def test_said_nowhere_is_no_fact(self, number: int) -> None:
        assert self.locate(number, "lives in Oslo") == []

    def test_words_that_were_not_said_are_no_quote(self) -> None:
        assert self.locate(1, "lives in Oslo") == [(1, "")]
        assert self.locate(1, "I live in Berlin. " * 100) == [(1, "")]

    def test_what_was_said_before_belongs_to_the_chunk_before(self) -> None:
        assert self.locate(1, "used to live in Rome") == []

    def test_system_prompts_say_nothing(self) -> None:
        assert self.locate(1, "the sky is green") == [(1, "")]
        assert self.locate(7, "the sky is green") == []


class TestLabels:
    @each_row_of("asking_facts")
    def test_open_categories_get_a_proper_name(self, label: str, name: str) -> None:
        assert the_fact(category=label).category == name

    @each_row(
        ("label", "category"),
        [
            ("Work", "work"),
            ("hobby", "hobbies"),
            ("Preference", "preferences"),
            ("side projects", "side_projects"),
            ("astronomy", "general"),
            ("", "general"),
        ],
    )
    def test_of_given_categories_the_nearest_is_meant(self, label: str, category: str) -> None:
        setting = Setting(categories=("work", "hobbies", "preferences", "side_projects"))
        (fact,) = extract(found(category=label), setting=setting)
        assert fact.category == category

    @each_row(("value", "kept"), [(0, 1), (6, 5), (-3, 1), (10**300, 5), (2, 2)])
    def test_importance_is_1_to_5(self, value: int, kept: int) -> None:
        assert the_fact(importance=value).importance == kept

    def test_shares_are_0_to_1(self) -> None:
        fact = the_fact(verifiable=17, useful=-0.5)
        assert (fact.verifiable, fact.useful) == (1.0, 0.0)

    def test_unknown_words_become_the_plain_ones(self) -> None:
        fact = the_fact(kind="Rumour", strength="shouted", sentiment="hungry")
        assert (fact.kind, fact.strength, fact.sentiment) == ("fact", "implied", "neutral")
        assert the_fact(kind=" Lesson ").kind == "lesson"

    @each_row("label", ["", "General", "?", "x" * 201])
    def test_no_subject(self, label: str) -> None:
        assert the_fact(subject=label).subject == ""

    def test_tags_and_entities_are_few_and_short(self) -> None:
        fact = the_fact(tags=[f"t{at}" for at in range(99)] + [""], entities=["", "!", "N" * 999, "Ana", "ana"])
        assert fact.tags == tuple(f"t{at}" for at in range(10))
        assert fact.entities == ("Ana",)


class TestDays:
    @each_row_of("asking_facts")
    def test_what_is_no_date_is_none(self, day: str) -> None:
        fact = the_fact(valid_from=day, valid_until=day)
        assert (fact.valid_from, fact.valid_until) == (None, None)

    def test_the_last_day_is_included(self) -> None:
        fact = the_fact(valid_until="2026-05-03T10:00:00Z")
        assert fact.valid_until == datetime(2026, 5, 4, tzinfo=NOW.tzinfo)

    def test_a_month_begins_and_ends(self) -> None:
        fact = the_fact(valid_from="2026-06", valid_until="2026-06")
        assert fact.valid_from == datetime(2026, 6, 1, tzinfo=NOW.tzinfo)
        assert fact.valid_until == datetime(2026, 7, 1, tzinfo=NOW.tzinfo)

    def test_an_end_before_the_start_is_none(self) -> None:
        fact = the_fact(valid_from="2026-06-01", valid_until="2026-05-01")
        assert (fact.valid_from, fact.valid_until) == (datetime(2026, 6, 1, tzinfo=NOW.tzinfo), None)


TEXTS = ("quote", "content", "kind", "category", "subject", "strength", "sentiment", "valid_from", "valid_until")
any_text = st.text(st.characters(), max_size=60)


@settings(max_examples=60)
@given(
    st.fixed_dictionaries(
        dict.fromkeys(TEXTS, any_text)
        | {name: st.lists(any_text, max_size=3) for name in ("entities", "tags")}
        | {name: st.floats(allow_nan=False, allow_infinity=False) for name in ("verifiable", "useful")}
        | {name: st.integers(-(10**30), 10**30) for name in ("message", "importance")}
    ),
    any_text,
)
def test_whatever_a_model_says_a_fact_can_be_stored(answer: dict[str, Any], text: str) -> None:
    for fact in extract(answer | {"message": 1}, answer, chunk=said(text, "tail"), setting=Setting(max_characters=50)):
        assert 0 < len(fact.content) <= 50
        assert fact.message in (0, 1)
        assert 1 <= fact.importance <= 5
        assert 0 <= fact.verifiable <= 1
        assert 0 <= fact.useful <= 1
        assert fact.category
        assert "\x00" not in repr(fact)
        (fact.content + fact.quote + fact.subject).encode()
