"""What a text names, told in tables: text → entities."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memories.language.entities import MAX_ENTITIES, entity_key, find_entities, find_mentions
from tests.tables import each_row, each_row_of


def found(text: str, *subjects: str) -> list[tuple[str, str]]:
    return [(entity.name, entity.kind) for entity in find_entities(text, subjects)]


def names(text: str) -> list[str]:
    return [name for name, kind in found(text) if kind == "name"]


@each_row_of("entities")
def test_names_are_found_by_their_capitals(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@each_row_of("entities")
def test_a_german_noun_with_an_article_is_no_name(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_product_behind_a_german_noun_is_named_without_it() -> None:
    assert found("Die Datenbank PostgreSQL 16 braucht eine Minute.") == [
        ("PostgreSQL 16", "product"),
        ("PostgreSQL", "name"),
    ]


@each_row_of("entities")
def test_a_capital_that_begins_a_sentence_makes_no_name(text: str) -> None:
    assert names(text) == []


@each_row_of("entities")
def test_forms_tell_what_a_word_is(text: str, entity: str, kind: str) -> None:
    assert (entity, kind) in found(text)


@each_row_of("entities")
def test_ordinary_writing_names_nothing(text: str) -> None:
    assert found(text) == []


def test_a_year_or_an_amount_behind_a_name_makes_no_product() -> None:
    assert {kind for _, kind in found("we saw Berlin 2023 and Anna 3 times")} == {"name"}


def test_the_password_in_an_address_is_left_out() -> None:
    assert found("use postgres://anna:secret@db.example.com:5432/x") == [
        ("postgres://db.example.com:5432/x", "url"),
        ("db.example.com", "host"),
        ("port 5432", "port"),
    ]


class TestSubjects:
    @each_row(
        ("text", "subject"),
        [
            ("postgres's wal is full", "Postgres"),
            ("our wifi router here", "wifi-router"),
            ("restart NODE A!", "node_a"),
            ("redis/postgres", "Postgres"),
        ],
    )
    def test_they_are_found_in_any_spelling_and_named_as_the_app_does(self, text: str, subject: str) -> None:
        assert found(text, "Postgres", "wifi-router", "node_a") == [(subject, "subject")]

    def test_only_whole_words_are_found(self) -> None:
        assert found("postgresql and a wifi", "postgres", "wifi router") == []

    def test_the_longest_is_found_first(self) -> None:
        assert found("the web server", "web", "web server") == [("web server", "subject")]

    def test_a_name_that_is_one_becomes_one(self) -> None:
        assert found("ask Anna and anna", "anna") == [("anna", "subject")]


@each_row_of("entities")
def test_spellings_of_a_name_share_a_key(one: str, other: str) -> None:
    assert entity_key(one) == entity_key(other) != ""


@each_row(("one", "other"), [("C++", "C"), ("1.2.3", "12.3"), ("a.example.com", "a example com"), ("a/b", "a b")])
def test_names_that_differ_have_keys_that_differ(one: str, other: str) -> None:
    assert entity_key(one) != entity_key(other)


def test_punctuation_has_no_key() -> None:
    assert entity_key("!?…") == ""


@given(st.text(max_size=100))
def test_a_key_is_stable(text: str) -> None:
    assert entity_key(entity_key(text)) == entity_key(text)


TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                "Anna",
                "of",
                "the",
                "Dr.",
                "Smith's",
                "node_a",
                "10.0.0.1",
                "http://a:b@c.de",
                "'",
                '"',
                "`",
                "16",
                "-",
                "=",
                "#x",
                "É",
            ]
        ),
        max_size=40,
    ).map(" ".join),
)


@given(TEXTS, st.lists(st.text(max_size=20), max_size=5))
def test_any_text_gives_distinct_entities_inside_of_it(text: str, subjects: list[str]) -> None:
    mentions = find_mentions(text, subjects)
    keys = [entity_key(mention.entity.name) for mention in mentions]
    assert len(keys) == len(set(keys)) <= MAX_ENTITIES
    assert all(keys)
    assert all(0 <= mention.start < mention.end <= len(text) for mention in mentions)
    assert [mention.start for mention in mentions] == sorted(mention.start for mention in mentions)
    assert mentions == find_mentions(text, subjects)


def test_at_most_64_are_kept() -> None:
    assert len(find_entities(" ".join(f"item_{number}" for number in range(200)))) == MAX_ENTITIES


@each_row_of("entities")
def test_hostile_lengths_are_read_through(piece: str) -> None:
    assert len(find_entities(piece * (12_000 // len(piece)), ["a", "a a"])) <= MAX_ENTITIES
