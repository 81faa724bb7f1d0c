"""What a text names, told in tables: text → entities."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.text.entities import MAX_ENTITIES, entity_key, find_entities, find_mentions


def found(text: str, *subjects: str) -> list[tuple[str, str]]:
    return [(entity.name, entity.kind) for entity in find_entities(text, subjects)]


def names(text: str) -> list[str]:
    return [name for name, kind in found(text) if kind == "name"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where does Anna live?", ["Anna"]),
        ("Who is Caroline's sister?", ["Caroline"]),
        ("I told John Smith that May is fine", ["John Smith"]),
        ("Dr. Smith's office called", ["Dr. Smith"]),
        ("We saw Dr. Smith. He was late.", ["Dr. Smith"]),
        ("Alice and Bob went to the Bank of America", ["Alice", "Bob", "Bank of America"]),
        ("we read Lord of the Rings", ["Lord of the Rings"]),
        ("a piece by Ludwig van Beethoven", ["Ludwig van Beethoven"]),
        ("ask the CEO of Acme", ["CEO", "Acme"]),
        ("Restart Redis", ["Redis"]),
        ("Deploying Kubernetes", ["Kubernetes"]),
        ("Did Anna call?", ["Anna"]),
        ("Melanie said so", ["Melanie"]),
        ("Redis?", ["Redis"]),
        ("Rust compiles slowly. We like Rust", ["Rust"]),
        ("we use C++, C# and AT&T", ["C++", "C#", "AT&T"]),
        ("it runs on my iPhone with Node.js", ["iPhone", "Node.js"]),
        ("JSON is not YAML", ["JSON", "YAML"]),
        ("Anna's Redis is down", ["Anna", "Redis"]),
    ],
)
def test_names_are_found_by_their_capitals(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Der Server im Keller läuft mit Debian.", ["Debian"]),
        ("Meine Frau Anna ist allergisch.", ["Anna"]),
        ("Unser Hund Rex verträgt kein Hühnerfleisch.", ["Rex"]),
        ("Der neue Drucker steht im Büro von Frau Dr. Weber.", ["Dr. Weber"]),
        ("Wir ziehen am Dienstag mit der Kollegin Julia Roth nach München.", ["Julia Roth", "München"]),
        ("Ich habe das NAS neu gestartet, und Ben hat die Sicherung geprüft.", ["NAS", "Ben"]),
        ("Das ist Anna.", ["Anna"]),
        ("Ask Rita von der Leyen about MIT", ["Rita von der Leyen", "MIT"]),
        ("Le chat de Marie dort à Paris.", ["Marie", "Paris"]),
    ],
)
def test_a_german_noun_with_an_article_is_no_name(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_product_behind_a_german_noun_is_named_without_it() -> None:
    assert found("Die Datenbank PostgreSQL 16 braucht eine Minute.") == [
        ("PostgreSQL 16", "product"),
        ("PostgreSQL", "name"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "What is that? The server. However, it works.", "Don't worry. I'm fine. They’re here.", "Great! Awesome.",
        "Restart it", "We met on Monday in May", "THIS IS VERY IMPORTANT STUFF", "Deploying now", "Well-known things",
        "I think so", "", "...", "a b c",
    ],
)  # fmt: skip
def test_a_capital_that_begins_a_sentence_makes_no_name(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "entity", "kind"),
    [
        ("call memory_server now", "memory_server", "identifier"),
        ("the camelCase one", "camelCase", "identifier"),
        ("restart web-01, please", "web-01", "identifier"),
        ("in memories.retrieve.query", "memories.retrieve.query", "identifier"),
        ("edit /etc/nginx/nginx.conf.", "/etc/nginx/nginx.conf", "path"),
        ("in ~/notes", "~/notes", "path"),
        (r"in C:\Users\x", r"C:\Users\x", "path"),
        ("see src/main.py", "src/main.py", "path"),
        ("open settings.py", "settings.py", "file"),
        ("in .bashrc", ".bashrc", "file"),
        ("set MAX_RETRIES=5", "MAX_RETRIES", "env"),
        ("echo $HOME", "$HOME", "env"),
        ("run with --dry-run", "--dry-run", "flag"),
        ("ssh db1.example.com", "db1.example.com", "host"),
        ("on nas.local:5000", "nas.local", "host"),
        ("on nas.local:5000", "port 5000", "port"),
        ("it listens on port 8080", "port 8080", "port"),
        ("ping 192.168.1.10!", "192.168.1.10", "ip"),
        ("the net 10.0.0.0/24", "10.0.0.0/24", "ip"),
        ("ping fe80::1", "fe80::1", "ip"),
        ("see https://example.com/a?b=1.", "https://example.com/a?b=1", "url"),
        ("see https://example.com/a?b=1.", "example.com", "host"),
        ("mail bob@example.com", "bob@example.com", "email"),
        ("upgrade to v1.2.3", "v1.2.3", "version"),
        ("version 3.11 is out", "3.11", "version"),
        ("release 1.2.3rc1", "1.2.3rc1", "version"),
        ("about #infra", "#infra", "tag"),
        ("ask @alice", "@alice", "handle"),
        ('he read "the old man"', "the old man", "quoted"),
        ("run `make lock`", "make lock", "quoted"),
        ("PostgreSQL 16 is slow", "PostgreSQL 16", "product"),
        ("PostgreSQL 16 is slow", "PostgreSQL", "name"),
        ("we run Python 3.11 here", "Python 3.11", "product"),
    ],
)
def test_forms_tell_what_a_word_is(text: str, entity: str, kind: str) -> None:
    assert (entity, kind) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "this and/or that", "e.g. so", "i.e. no", "at 10:30:45", "it is 3.5 long", "on 07.05.2023",
        "a well-known thing", "mid-2023", "done.it", "5 - 3", "1,000", "99.9%", "#123", "@", "--", "::", "it's",
    ],
)  # fmt: skip
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
    @pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Postgres's", "postgres"), ("Postgres’s", "POSTGRES"), ("node_a", "Node A"), ("node-a", "node a"),
        ("v1.2.3", "1.2.3"), ("#infra", "Infra"), ("“quoted”", "quoted"), ("  Dr.  Smith ", "dr smith"),
        ("Straße", "STRASSE"), ("ﬁle", "file"), ("/etc/nginx/", "etc/nginx"),
    ],
)  # fmt: skip
def test_spellings_of_a_name_share_a_key(one: str, other: str) -> None:
    assert entity_key(one) == entity_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [("C++", "C"), ("1.2.3", "12.3"), ("a.example.com", "a example com"), ("a/b", "a b")]
)
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


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "A",
        "A ",
        ".",
        "'",
        '"',
        "`",
        "-",
        "_",
        "a.",
        "a-",
        "1.",
        "::",
        "@",
        "=",
        "/a",
        "Dr. ",
        "A of ",
        "Émile ",
        "a@a.",
        "'s",
    ],
)
def test_hostile_lengths_are_read_through(piece: str) -> None:
    assert len(find_entities(piece * (60_000 // len(piece)), ["a", "a a"])) <= MAX_ENTITIES
