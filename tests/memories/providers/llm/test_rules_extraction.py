"""What the rules find in conversations, told in tables: what is said → what is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.extract.clauses import cut_reply, cut_run_on, split_clauses, strip_leads, strip_trail
from memories.language.extract.context import is_mere_reply
from memories.language.extract.labels import read_importance
from memories.language.extract.prose import read_sentences
from memories.language.extract.statements import read_foreign
from memories.language.extract.wording import to_third_person
from memories.language.messages import ASSISTANT, USER, Message
from memories.providers.judgement_model import CATEGORIES, KINDS, Reading
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules import RulesProvider
from memories.providers.llm.rules.extraction import extract, find_passing
from memories.providers.llm.rules.gate import gate
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)
"""A Monday."""


def chunk(*turns: str) -> Chunk:
    """Turns that begin with "A: " are the assistant's."""
    return Chunk(
        tuple(
            Message("assistant", turn.removeprefix("A: ")) if turn.startswith("A: ") else Message("user", turn)
            for turn in turns
        ),
        NOW,
    )


def facts(*turns: str, **limits: object) -> list[Fact]:
    return extract(chunk(*turns), Setting(**limits))  # type: ignore[arg-type]


def contents(*turns: str) -> list[str]:
    return [fact.content for fact in facts(*turns)]


@each_row("lead", ["It turns out", "turns out", "turned out that"])
def test_how_a_finding_is_begun_is_no_part_of_it(lead: str) -> None:
    text = f"{lead} the API gateway uses Kong rather than Nginx."
    assert contents(text) == ["The API gateway uses Kong rather than Nginx"]


@each_row(
    ("text", "retained"),
    [
        ("don't touch the migrations folder unless I ask you to",
         "Do not touch the migrations folder unless User asks you to"),
        ("never deploy on Fridays until I tell you", "Never deploy on Fridays until User tells you"),
        ("I prefer short answers, explanations only if I ask",
         "User prefers short answers, explanations only if they ask"),
    ],
)  # fmt: skip
def test_what_holds_until_somebody_is_asked_is_not_cut_short(text: str, retained: str) -> None:
    assert contents(text) == [retained]


def test_a_plan_without_a_verb_is_no_part_of_the_sentence_before_it() -> None:
    def kept(text: str) -> list[str]:
        return [fact.content for fact in extract(chunk(text), Setting(), "learned")]

    dentist = "Dentist on 5 May 2026 at 3pm"
    assert kept("I like tea. Dentist tomorrow at 3pm.") == ["User likes tea", dentist]
    assert kept("My name is Ana. Dentist tomorrow at 3pm.") == ["User's name is Ana", dentist]


@each_row_of("rules_facts")
def test_what_people_are_and_whom_they_go_to_is_told_in_few_words(said: str, kept: str) -> None:
    assert gate(chunk(said)).keep
    assert kept in contents(said)


@each_row(
    ("text", "retained"),
    [
        ("can you keep lists to ten lines max", "Keep lists to ten lines max"),
        ("could you please keep your mails under a page", "Keep your mails under a page"),
        ("no Brazilian stuff please", "No Brazilian stuff"),
    ],
)
def test_a_standing_order_may_be_asked_for(text: str, retained: str) -> None:
    assert contents(text) == [retained]


@each_row("text", ["can you keep the door open", "so don't put 7", "could you write to Ann"])
def test_what_is_asked_for_once_is_no_standing_order(text: str) -> None:
    assert contents(text) == []


def test_a_person_is_told_of_under_their_name_not_their_title() -> None:
    assert [fact.subject for fact in facts("my professor Dr. van Dijk is strict")] == ["Dr. van Dijk"]


@each_row_of("rules_facts")
def test_a_statement_is_kept_in_words_that_stand_alone(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@each_row(
    ("text", "retained"),
    [
        ("My name is Maria and I live in Lisbon", ["User's name is Maria", "User lives in Lisbon"]),
        ("I live in Oslo and work at Acme", ["User lives in Oslo", "User works at Acme"]),
        ("I live in Graz with my two cats", ["User lives in Graz", "User lives with their two cats"]),
        (
            "I grew up in Ghana but I've lived in Canada since 2010",
            ["User grew up in Ghana", "User has lived in Canada since 2010"],
        ),
        ("I'm allergic to peanuts and shellfish", ["User is allergic to peanuts and shellfish"]),
    ],
)
def test_two_statements_are_kept_apart_only_where_each_has_its_verb(text: str, retained: list[str]) -> None:
    assert contents(text) == retained


@each_row_of("rules_facts")
def test_standing_instructions_are_kept(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@each_row_of("rules_facts")
def test_corrections_become_lessons(turns: list[str], kept: str) -> None:
    result = facts(*turns)
    assert [(fact.content, fact.kind) for fact in result] == [(kept, "lesson")]


@each_row(
    ("text", "retained"),
    [
        ("let's go with FastAPI for the backend", "Decided to go with FastAPI for the backend"),
        ("we'll use Terraform", "Decided to use Terraform"),
        ("We decided to use Redis for the cache.", "The team decided to use Redis for the cache"),
        ("alright, going with zustand for the rewrite", "Decided on zustand for the rewrite"),
    ],
)
def test_decisions_are_kept_as_such(text: str, retained: str) -> None:
    assert [(fact.content, fact.kind) for fact in facts(text)] == [(retained, "decision")]


@each_row(
    ("text", "retained"),
    [
        ("I'm flying to Rome tomorrow", "User is flying to Rome on 5 May 2026"),
        ("I'm flying to Rome on June 3", "User is flying to Rome on 3 June 2026"),
        ("I moved to Lyon last year", "User moved to Lyon in 2025"),
        ("My birthday is March 14", "User's birthday is March 14"),
        ("We had an outage on staging yesterday because redis ran out of memory", None),
    ],
)
def test_relative_dates_are_written_out(text: str, retained: str | None) -> None:
    result = contents(text)
    assert not any("yesterday" in content for content in result)
    assert retained is None or result == [retained]


@each_row(
    ("text", "retained"),
    [
        ("Since I'm vegan, which protein powder should I buy?", "User is vegan"),
        ("I'm vegan, what should I cook tonight?", "User is vegan"),
        ("need a warm-up for tomorrow, I coach the under-12 girls", "User coaches the under-12 girls"),
    ],
)
def test_what_is_told_inside_a_question_is_kept_without_the_question(text: str, retained: str) -> None:
    assert contents(text) == [retained]


@each_row(
    "text",
    [
        "Ich bin Vegetarier und wohne in Berlin",
        "Je suis allergique aux noix",
        "Vivo en Madrid con mi esposa",
    ],
)
def test_other_languages_are_kept_as_they_were_said(text: str) -> None:
    assert contents(f"{text}.") == [text]


def test_a_pronoun_is_named_where_the_sentence_before_tells_whom_it_means() -> None:
    result = contents("My dog Rex is 4 years old. He hates fireworks.")
    assert result == ["User's dog Rex is 4 years old", "User's dog Rex hates fireworks"]


@each_row_of("rules_facts")
def test_what_is_no_statement_of_the_speaker_leaves_nothing(said: str) -> None:
    assert contents(said) == []


@each_row("text", ["I'd rather die than eat liver", "I'd rather do it myself", "I'd rather wait"])
def test_a_saying_or_what_is_rather_done_now_is_no_preference(text: str) -> None:
    assert facts(text) == []


@each_row("answer", ["no need", "No need for that", "don't bother", "maybe later", "another time"])
def test_declining_an_offer_tells_nothing(answer: str) -> None:
    assert contents("A: Shall I book the room for the audit?", answer) == []


def test_what_follows_an_offer_is_not_joined_to_it() -> None:
    text = contents("A: Good morning! What's on the list today?", "Quick intro since we never met: I'm Ruben, hello.")
    assert not [content for content in text if "on the list" in content or "intro" in content.lower()]


def test_who_does_something_to_us_is_not_done_it_to_alone() -> None:
    assert to_third_person("I rebooked us at the Vila Gale", "User", "User") is None
    assert to_third_person("My husband drives us", "User", "User") == "User's husband drives User"
    cracked = to_third_person("my jug cracked and I want another", "User", "User")
    assert cracked == "User's jug cracked and User wants another"


def test_a_street_and_what_is_included_end_no_sentence() -> None:
    assert contents("Our practice is on Lindenstr. 12, closed on Wednesdays.") == [
        "User's practice is on Lindenstr. 12, closed on Wednesdays"
    ]
    assert contents("My manager approved a budget of 1,800 euros incl. travel and hotel.") == [
        "User's manager approved a budget of 1,800 euros incl. travel and hotel"
    ]


def test_not_yet_is_a_no() -> None:
    assert contents("A: Is there a backup of the wiki?", "Not yet.") == ["There is not a backup of the wiki"]


def test_sympathy_is_no_regret() -> None:
    result = facts("My mother broke her hip in March.", "A: Sorry to hear that, I hope she gets well soon!")
    assert [fact.kind for fact in result] == ["fact"]


@each_row(
    ("text", "retained"),
    [
        ("Quick note about money: I only use euros", "User only uses euros"),
        ("hmm the importer needs 4 GB of memory", "The importer needs 4 GB of memory"),
        ("Apart from me: Ana runs the billing service", "Ana runs the billing service"),
        ("The staging API listens on port 8444, in case you need it", "The staging API listens on port 8444"),
        ("Use metric units in all recipes", "Use metric units in all recipes"),
    ],
)
def test_what_leads_to_a_statement_is_left_out(text: str, retained: str) -> None:
    assert contents(text)[0] == retained


@each_row_of("rules_facts")
def test_of_the_assistant_only_results_are_kept(said: str, kept: list[str]) -> None:
    assert contents("what happened?", f"A: {said}") == kept


def test_neither_system_prompts_nor_tool_output_are_read() -> None:
    text = "I live in Paris and my sister Anna lives in Oslo."
    assert extract(Chunk((Message("system", text), Message("tool", text)), NOW), Setting()) == []


@each_row_of("rules_facts")
def test_a_fact_is_filed_where_it_belongs(said: str, field: str, value: object) -> None:
    (fact,) = facts(said)
    assert getattr(fact, field) == value


def test_categories_and_subjects_of_the_asker_are_used() -> None:
    (fact,) = facts("nginx takes 30 s to reload", categories=("speed", "timing"), subjects=("NGINX",))
    assert (fact.category, fact.subject) == ("timing", "NGINX")


@each_row(
    ("text", "other"),
    [
        ("My daughter Anna plays football at the club after school with friends.", ("Anna", "Lena")),
        ("Our server runs on port 8080 behind the proxy in the data center of Berlin.", ("8080", "9090")),
        ("Meine Tochter Anna spielt jeden Montag nach der Schule Fußball im Verein mit Freunden.", ("Anna", "Lena")),
    ],
)
def test_one_other_word_in_a_long_sentence_is_another_fact(text: str, other: tuple[str, str]) -> None:
    result = contents(text, text.replace(*other))
    assert len(result) == 2
    assert result[1] == result[0].replace(*other)


def test_the_same_is_kept_once() -> None:
    assert contents("I'm allergic to peanuts.", "A: Noted.", "As I said, I'm allergic to peanuts!") == [
        "User is allergic to peanuts"
    ]


def test_no_more_facts_than_asked_for() -> None:
    towns = ["Oslo", "Rome", "Paris", "Lima", "Cairo", "Tokyo", "Quito", "Delhi"]
    assert len(facts(*(f"I lived in {town}" for town in towns), most_facts=3)) == 3


TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(
            ["I'm vegan", "my sister Anna", "and I", "never", "it's", "not", ",", ".", "?", "\n", "I",
             "we use", "Redis 7", "tomorrow",
             "because", '"', "`", "(", ")", "call me", "let's go with", "\x00", "\ud800", "😀", "أنا", "no, "]
        ),
        max_size=40,
    ).map(" ".join),
)  # fmt: skip


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool", "Bob"]), TEXTS), max_size=4))
def test_any_text_gives_facts_whose_words_were_said_there(turns: list[tuple[str, str]]) -> None:
    messages = tuple(Message(role, content) for role, content in turns)
    for fact in extract(Chunk(messages, NOW), Setting(max_characters=80)):
        assert fact.quote
        assert fact.quote in messages[fact.message].content
        assert 0 < len(fact.content) <= 80
        assert 1 <= fact.importance <= 5
        assert 0 <= fact.verifiable <= 1
        assert 0 <= fact.useful <= 1


@each_row_of("rules_facts")
def test_a_huge_message_is_answered(piece: str) -> None:
    extract(chunk(piece * (12_000 // len(piece)), "A: " + piece * (12_000 // len(piece))), Setting())


def test_no_message_of_several_sentences_is_kept_whole() -> None:
    text = "I live in Oslo. My sister Anna lives in Rome. We use Postgres 15, and never deploy on Fridays."
    assert len(facts(text)) >= 3
    assert all(content.count(".") == 0 and len(content) < 0.6 * len(text) for content in contents(text))


@each_row(
    ("text", "retained"),
    [
        ("My friend Kim said 'I am vegan'", "User's friend Kim said 'I am vegan'"),
        ("My friend Kim said ‘I'm vegan’.", "User's friend Kim said ‘I'm vegan’."),
        ('My friend Kim said "I am vegan" to me', 'User\'s friend Kim said "I am vegan" to User'),
        ("I like rock 'n' roll", "User likes rock 'n' roll"),
        ("In the '90s I lived at my parents' house", "In the '90s User lived at their parents' house"),
        ("My parents' house is where I live", "User's parents' house is where they live"),
        ("\ue000 is what I like", None),
    ],
)
def test_what_is_quoted_stays_anothers_words_and_apostrophes_quote_nothing(text: str, retained: str | None) -> None:
    assert to_third_person(text) == retained


@each_row_of("rules_facts")
def test_who_has_turned_what_age_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@each_row_of("rules_facts")
def test_what_somebody_began_to_learn_or_do_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@each_row_of("rules_facts")
def test_what_somebody_switched_to_or_gave_up_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@each_row(
    ("text", "retained"),
    [
        (
            "On Wednesdays I can't fetch Tim, then grandma does it",
            "On Wednesdays User cannot fetch Tim, then their grandma does it",
        ),
        ("On Fridays I can't cook, so my husband does it", "On Fridays User cannot cook, so their husband does it"),
        (
            "My wife drives the kids on Mondays, on Tuesdays I do it",
            "User's wife drives the kids on Mondays, on Tuesdays User does it",
        ),
        ("I stopped eating meat, my kids still do", "User stopped eating meat, their kids still do"),
    ],
)
def test_who_does_it_instead_is_told_with_what_is_done(text: str, retained: str) -> None:
    assert contents(text) == [retained]
    assert gate(chunk(text)).keep


@each_row("text", ["I switched to decaf last week", "Emma's turning 8 next week"])
def test_what_is_told_alone_is_worth_keeping(text: str) -> None:
    assert gate(chunk(text)).keep


@each_row_of("rules_facts")
def test_what_became_of_a_figure_or_somebodys_part_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept
    assert gate(chunk(said)).keep == bool(kept)


@each_row_of("rules_facts")
def test_what_somebody_does_with_all_of_a_kind_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept
    assert gate(chunk(said)).keep == bool(kept)


@each_row("text", ["don't ask how", "please don't ask me why"])
def test_what_is_only_said_so_is_no_rule(text: str) -> None:
    assert contents(text) == []


@each_row(
    ("text", "retained"),
    [
        ("she isn't my wife, she's my sister", []),
        ("that's not my brother, he's my cousin and he lives in Rome", ["User's cousin lives in Rome"]),
        ("I lent my drill to Marko. it was my dad's", ["User's drill was their dad's"]),
        ("the kids are with their dad every other weekend", ["The kids are with their dad every other weekend"]),
        ("dad is 80 now", ["User's dad is 80 now"]),
    ],
)
def test_nobody_is_told_of_who_is_not_meant(text: str, retained: list[str]) -> None:
    assert contents(text) == retained


TODAY = datetime(2026, 11, 16, 10, tzinfo=UTC)
WORTHLESS = Reading(0.02, dict.fromkeys(CATEGORIES, 1 / len(CATEGORIES)), dict.fromkeys(KINDS, 1 / len(KINDS)))


PASSABLE = replace(WORTHLESS, keep=0.5)


BESIDE = re.compile(r"(?:.* )?(?:User|Assistant): ", re.DOTALL)
"""How what a statement is read beside begins."""


class Reader:
    """Stands for both networks: `worth` by sentence; others are worth nothing, but as they are worded for keeping."""

    def __init__(self, worth: dict[str, Reading]) -> None:
        self.worth = worth
        self.asked: list[tuple[str, str]] = []

    def read(self, sentences: Sequence[tuple[str, str]]) -> list[Reading]:
        self.asked += [pair for pair in sentences if not BESIDE.match(pair[0])]
        return [
            self.of_statement(before, said) if BESIDE.match(before) else self.worth.get(said, self.usual(said))
            for before, said in sentences
        ]

    def of_statement(self, beside: str, said: str) -> Reading:
        of_sentence = next((reading for text, reading in self.worth.items() if text in beside), PASSABLE)
        return self.worth.get(said, replace(of_sentence, keep=max(of_sentence.keep, PASSABLE.keep)))

    def usual(self, said: str) -> Reading:
        is_worded = said.startswith(("User", "Assistant")) or any(known in said for known in self.worth)
        return PASSABLE if is_worded else WORTHLESS


def find(monkeypatch: pytest.MonkeyPatch, worth: dict[str, Reading], *messages: Message) -> list[Fact]:
    monkeypatch.setattr("memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: Reader(worth))
    return RulesProvider(judge="learned").extract(Chunk(messages, TODAY), Setting())


def keep(worth: float = 0.9, category: str = "general", kind: str = "fact") -> Reading:
    return Reading(worth, WORTHLESS.categories | {category: 0.9}, WORTHLESS.kinds | {kind: 0.9})


WORTH = keep()


def test_a_sentence_that_no_rule_knows_is_kept_where_the_network_finds_it_worth_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worth = {"Dentist appointment, Friday 3pm": keep(category="health", kind="plan")}
    text = Message(USER, "Dentist appointment, Friday 3pm. Hm, let me think.")
    assert [fact.category for fact in find(monkeypatch, worth, text)] == ["health"]


def test_what_the_network_finds_worthless_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find(monkeypatch, {}, Message(USER, "I live in Bergen.")) == []
    (fact,) = find(monkeypatch, {"I live in Turin": keep(0.5)}, Message(USER, "I live in Turin."))
    assert fact.content == "User lives in Turin"


def test_a_language_that_the_network_cannot_read_is_left_to_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    by_rules = RulesProvider().extract(Chunk((Message(USER, "Ich bin allergisch gegen Nüsse."),), TODAY), Setting())
    assert [fact.content for fact in by_rules] == ["Ich bin allergisch gegen Nüsse"]
    assert find(monkeypatch, {}, Message(USER, "Ich bin allergisch gegen Nüsse.")) == by_rules


def test_of_what_was_said_before_only_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader({"yes, peanuts": keep()})
    monkeypatch.setattr("memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: reader)
    requested = Message(ASSISTANT, "word " * 20_000 + ". Any allergies?")
    RulesProvider(judge="learned").extract(Chunk((requested, Message(USER, "yes, peanuts")), TODAY), Setting())
    assert [len(before) <= 200 and before.endswith("Any allergies?") for before, _ in reader.asked] == [True]


def test_a_short_answer_is_kept_with_its_question(monkeypatch: pytest.MonkeyPatch) -> None:
    requested = Message(ASSISTANT, "Noted. Do you have any allergies?")
    (fact,) = find(monkeypatch, {"yes, peanuts": keep(category="health")}, requested, Message(USER, "yes, peanuts"))
    assert fact.content == 'Asked "Do you have any allergies?", User said: yes, peanuts'


@each_row(
    ("said", "kept"),
    [
        (
            ["My blender jug cracked.", "Sorry to hear it. Which model is it?", "the 500, in red"],
            ['About "My blender jug", asked "Which model is it?", User said: the 500, in red'],
        ),
        (
            ["need a catering quote", "Which date, how many guests?", "sat 27 june. guests no idea yet. max 900 euros"],
            [
                'About "need a catering quote", asked "Which date, how many guests?", User said: sat 27 june. '
                "max 900 euros"
            ],
        ),
        (
            ["hi", "Is the wiki on web-1 or web-2?", "the latter"],
            ['Asked "Is the wiki on web-1 or web-2?", User said: web-2'],
        ),
        (
            ["a quote for re-covering my sofa please", "I'll include fabric. Leather or cloth?", "leather"],
            ['About "a quote for re-covering my sofa", asked "Leather or cloth?", User said: leather'],
        ),
        (
            ["My sister lives in Ghent.", "Lovely town.", "sorry typo, Genk"],
            ['User said "My sister lives in Ghent", and then corrected that: Genk'],
        ),
        (
            ["The till is on floor 2.", "Noted.", "no, floor 3 since May"],
            ['User said "The till is on floor 2", and then corrected that: floor 3 since May 2026'],
        ),
        (["I have a dog.", "Lovely.", "Wait, I collect stamps."], ["User collects stamps"]),
        (["hi", "Happy to help. Shall I send directions?", "yes please"], []),
        (["hi", "¿Le puedo ayudar en algo más?", "no, gracias"], []),
        (
            ["hi", "Good!", "The warehouse opens in May, it's in Tilburg"],
            ["The warehouse opens in May 2027, it's in Tilburg"],
        ),
        (
            ["hi", "Go on.", "The teddy lay under the bed. He's called Captain Brown"],
            ["The teddy lay under the bed", "The teddy lay under the bed. He's called Captain Brown"],
        ),
    ],
)
def test_what_leans_on_something_said_before_is_kept_with_it(
    monkeypatch: pytest.MonkeyPatch, said: list[str], kept: list[str]
) -> None:
    everything = SimpleNamespace(read=lambda sentences: [WORTH] * len(sentences))
    monkeypatch.setattr("memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: everything)
    first, asked, answer = said
    messages = (Message(USER, first), Message(ASSISTANT, asked))
    chunk = Chunk((Message(USER, answer),), TODAY, before=messages)
    assert [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())] == kept


@each_row(
    ("said", "alone", "about", "kept"),
    [
        ("The spare has 8 TB.", 0.2, 0.9, ['About "The NAS in the garage beeps", User said: The spare has 8 TB']),
        ("The spare has 9 TB.", 0.2, 0.1, ["The spare has 9 TB"]),
        ("The spare has 6 TB.", 0.05, 0.05, []),
        ("I have a spare.", 0.2, 0.9, ["User has a spare"]),
        ("Always answer in metres.", 0.1, 0.1, ["Always answer in metres"]),
    ],
)
def test_what_is_unclear_alone_is_kept_with_what_it_is_about(
    monkeypatch: pytest.MonkeyPatch, said: str, alone: float, about: float, kept: list[str]
) -> None:
    def read(texts: Sequence[tuple[str, str]]) -> list[Reading]:
        worth = [about if text.startswith("About") else alone for _, text in texts]
        return [keep(one if BESIDE.match(first) else 0.9) for one, (first, _) in zip(worth, texts, strict=True)]

    monkeypatch.setattr(
        "memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: SimpleNamespace(read=read)
    )
    before = (Message(USER, "The NAS in the garage beeps."), Message(ASSISTANT, "Oh."))
    chunk = Chunk((Message(USER, said),), TODAY, before=before)
    assert [fact.content for fact in extract(chunk, Setting(), "learned")] == kept
    assert [fact.content for fact in find_passing(chunk, Setting())] == ([] if kept else ["The spare has 6 TB"])


def test_what_is_clear_without_what_was_said_before_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(texts: Sequence[tuple[str, str]]) -> list[Reading]:
        return [keep(0.05 if first.startswith("Assistant: ") else 0.9) for first, _ in texts]

    monkeypatch.setattr(
        "memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: SimpleNamespace(read=read)
    )
    chunk = Chunk(
        (Message(USER, "I collect old stamps from Peru."),), TODAY, before=(Message(ASSISTANT, "Shall I order it?"),)
    )
    assert [fact.content for fact in extract(chunk, Setting(), "learned")] == ["User collects old stamps from Peru"]


def test_an_instruction_that_is_to_last_is_kept_whatever_its_sentence_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    (fact,) = find(monkeypatch, {}, Message(USER, "From now on answer with the command first."))
    assert fact.content == "From now on answer with the command first"
    assert find(monkeypatch, {}, Message(USER, "Answer with the command first.")) == []


@each_row(
    ("most", "kept"),
    [
        (70, 'Asked "Which model is it?", User said: the 500, in red'),
        (40, "The 500, in red"),
    ],
)
def test_in_an_app_of_short_memories_less_is_kept_with_an_answer(
    monkeypatch: pytest.MonkeyPatch, most: int, kept: str
) -> None:
    everything = SimpleNamespace(read=lambda sentences: [WORTH] * len(sentences))
    monkeypatch.setattr("memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: everything)
    before = (
        Message(USER, "My blender jug cracked and leaks all over the place."),
        Message(ASSISTANT, "Which model is it?"),
    )
    chunk = Chunk((Message(USER, "the 500, in red"),), TODAY, before=before)
    assert [fact.content for fact in extract(chunk, Setting(max_characters=most), "learned")] == [kept]


@each_row(
    ("asked", "said", "kept"),
    [
        (
            "Did the visa centre answer?",
            "They did. Your interview is on 19 October at 9:40.",
            [
                'Asked "Did the visa centre answer?", Assistant said: Your interview is on 19 October 2027 at 9:40',
            ],
        ),
        (
            "Can somebody descale it on 12 May?",
            "Booked for 12 May, 9 to 12.",
            ['Asked "Can somebody descale it on 12 May 2027?", Assistant said: Booked for 12 May 2027, 9 to 12'],
        ),
        (
            "Our machines need descaling.\nBook it for 12 May.",
            "Booked for 12 May, 9 to 12.",
            ['About "Our machines need descaling", Assistant said: Booked for 12 May 2027, 9 to 12'],
        ),
        (
            "Why was the checkout slow?",
            "The coupon lookup did a full scan. Indexes are often the cheapest win.",
            ['Asked "Why was the checkout slow?", Assistant said: The coupon lookup did a full scan'],
        ),
        (
            "does it take decaf?",
            "Our pods all work.",
            ['Asked "does it take decaf?", Assistant said: Our pods all work'],
        ),
    ],
)
def test_what_an_assistant_says_is_kept_with_what_it_was_asked(
    monkeypatch: pytest.MonkeyPatch, asked: str, said: str, kept: list[str]
) -> None:
    everything = SimpleNamespace(read=lambda sentences: [WORTH] * len(sentences))
    monkeypatch.setattr("memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: everything)
    chunk = Chunk((Message(ASSISTANT, said),), TODAY, before=(Message(USER, asked),))
    assert [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())] == kept


@each_row(
    ("question", "answer", "retained"),
    [
        ("Sorry about that! Could you tell me your order number?", "It's 55-1207", "User's order number is 55-1207"),
        ("May I have the serial number?", "SN-99812", "The serial number is SN-99812"),
        (
            "Thank you. Is it the Barista Pro 500?",
            "yes, in red",
            'Asked "Is it the Barista Pro 500?", User said: yes, in red',
        ),
    ],
)
def test_what_an_answer_says_with_its_question_is_weighed(question: str, answer: str, retained: str) -> None:
    chunk = Chunk((Message(ASSISTANT, question), Message(USER, answer)), TODAY)
    assert [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())] == [retained]


def test_what_its_speaker_takes_back_is_not_kept_as_it_was_first_said() -> None:
    said = ["My sister lives in Ghent with her two children.", "Wait, typo: my sister lives in Genk."]
    chunk = Chunk(tuple(Message(USER, text) for text in said), TODAY)
    contents = [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())]
    assert len(contents) == 1
    assert "Genk" in contents[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Autre chose ?", "Non merci, bonne journée"),
        ("Noch etwas?", "Nein danke, schönen Tag noch!"),
        ("¿Algo más?", "No, gracias, hasta mañana"),
        ("Serve altro?", "No grazie, buona serata"),
    ],
)
def test_a_farewell_in_another_language_is_no_answer(question: str, answer: str) -> None:
    chunk = Chunk((Message(ASSISTANT, question), Message(USER, answer)), TODAY)
    assert RulesProvider(judge="learned").extract(chunk, Setting()) == []


def test_what_is_a_farewell_behind_an_offer_is_an_answer_to_when() -> None:
    assert is_mere_reply("Noch etwas?", "bis morgen Abend")
    assert not is_mere_reply("Wann kommt ihr an?", "morgen Abend")


@each_row(
    ("said", "kept"),
    [
        (
            "My Spanish is rusty, I learned it at school",
            ["User's Spanish is rusty", "User learned their Spanish at school"],
        ),
        ("My manager is Karin, I met her in Oslo", ["User's manager is Karin, User met her in Oslo"]),
        ("Our cat Momo is 14, we adopted him in 2015", ["User's cat Momo is 14, User adopted him in 2015"]),
        (
            "My physio is Lena. I see her on Mondays.",
            ["User's physio is Lena", 'About "My physio, Lena", User said: I see her on Mondays'],
        ),
        (
            "I run marathons. Next one's in Valencia on 6 December",
            ["User runs marathons", "User runs marathons. Next one's in Valencia on 6 December 2026"],
        ),
        ("I'm vegan and my sister lends us her tent", ["User is vegan", "User's sister lends User her tent"]),
    ],
)
def test_who_is_meant_is_told_with_what_is_done(said: str, kept: list[str]) -> None:
    chunk = Chunk((Message(USER, said),), TODAY)
    assert [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())] == kept


def asked(question: str, answer: str) -> str:
    return f'Asked "{question}", User said: {answer}'


@each_row(
    ("question", "answer", "kept"),
    [
        ("How should I format the report?", "bullets, no tables, max one page", asked),
        ("How should I write commits?", "Short subject, no emojis, always in English", asked),
        ("Anything I should avoid?", "spoilers for season 3, and please no puns", asked),
        ("What do you want me to call you?", "Sasha is fine", asked),
        ("Are you still learning guitar?", "gave it up, playing bass now", asked),
        ("Who signs off releases?", "Used to be Tom, now it's Aisha", asked),
        ("Do you have pets?", "had a rabbit, she died in may", lambda *_: "User had a rabbit"),
        ("What is your daughter's name?", "Rose", lambda *_: "User's daughter's name is Rose"),
        ("Anything else for the summary?", "Never mention prices please", lambda *_: "Never mention prices"),
        ("What laptop do you use?", "a thinkpad x1", lambda *_: "User's laptop is a thinkpad x1"),
    ],
)
def test_an_answer_that_says_little_alone_is_kept_with_its_question(
    question: str, answer: str, kept: Callable[[str, str], str]
) -> None:
    chunk = Chunk((Message(ASSISTANT, question), Message(USER, answer)), TODAY)
    facts = [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())]
    assert facts == [kept(question, answer)]


@each_row(
    ("answer", "is_mere"),
    [
        ("I collect stamps.", False),
        ("I hate milk", False),
        ("I have two cats", False),
        ("I would love that", True),
        ("I already did", True),
        ("I got it now", True),
        ("yes please", True),
    ],
)
def test_a_short_statement_behind_an_offer_is_no_mere_reply(answer: str, is_mere: bool) -> None:
    assert is_mere_reply("Shall I add anything about you?", answer) is is_mere


def test_what_is_asked_of_the_user_stands_without_what_was_spoken_of() -> None:
    talk = (Message(USER, "My manager is Karin."), Message(ASSISTANT, "Do you have any allergies?"))
    chunk = Chunk((*talk, Message(USER, "yes, peanuts")), TODAY)
    contents = [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())]
    assert contents[-1] == 'Asked "Do you have any allergies?", User said: yes, peanuts'


def test_a_deed_without_who_did_it_is_the_speakers_own() -> None:
    chunk = Chunk((Message(USER, "My new manager is Paul. Sold the motorbike, by the way."),), TODAY)
    contents = [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())]
    assert contents == ["User's new manager is Paul", "User sold the motorbike"]


def test_an_answer_in_another_language_is_kept_with_its_question() -> None:
    chunk = Chunk((Message(ASSISTANT, "¿Qué vas a vender?"), Message(USER, "jabones artesanales, unos 45")), TODAY)
    (fact,) = RulesProvider(judge="learned").extract(chunk, Setting())
    assert fact.content == 'Asked "¿Qué vas a vender?", User said: jabones artesanales, unos 45'


def test_what_was_said_before_counts_only_where_it_asks() -> None:
    text = Message(USER, "if the power goes out the UPS lasts about 20 minutes")
    chunk = Chunk((text,), TODAY, before=(Message(ASSISTANT, "Okay. Caddy renewed it eleven days ago."),))
    (fact,) = RulesProvider(judge="learned").extract(chunk, Setting())
    assert fact.content == "If the power goes out the UPS lasts about 20 minutes"


def test_what_an_assistant_tells_is_weighed_too() -> None:
    answer = "Nextcloud needs about 90 seconds to come back after a reboot. I'll have a look."
    chunk = Chunk((Message(ASSISTANT, answer),), TODAY)
    (fact,) = RulesProvider(judge="learned").extract(chunk, Setting())
    assert fact.content == "Nextcloud needs about 90 seconds to come back after a reboot"
    assert not RulesProvider().extract(chunk, Setting())


def test_what_says_nothing_in_the_words_it_would_be_kept_in_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    worth = {"I will not budge": keep(), "User will not budge": WORTHLESS}
    assert find(monkeypatch, worth, Message(USER, "I will not budge.")) == []


@each_row(
    ("kind", "kept"),
    [("decision", "decision"), ("plan", "project"), ("instruction", "preference"), ("fact", "fact")],
)
def test_the_network_tells_the_kind(monkeypatch: pytest.MonkeyPatch, kind: str, kept: str) -> None:
    text = f"The sign for a {kind} hangs at the boathouse"
    assert [fact.kind for fact in find(monkeypatch, {text: keep(kind=kind)}, Message(USER, text))] == [kept]


@each_row(
    ("text", "retained"),
    [
        ("Save to memory: my locker is number 12", ["User's locker is number 12"]),
        ("K-88213 is my customer number", ["K-88213 is User's customer number"]),
        ("My landlord raised the rent and I told him no", ["User's landlord raised the rent"]),
        ("we're four and we live in Ghent", ["User lives in Ghent"]),
    ],
)
def test_a_statement_is_whole_and_of_who_said_it(text: str, retained: list[str]) -> None:
    assert contents(text) == retained


def test_what_points_back_is_kept_with_what_it_points_to(monkeypatch: pytest.MonkeyPatch) -> None:
    text = Message(USER, "You declared the iLO dead. It needs four minutes after a reset.")
    (fact,) = find(monkeypatch, {"It needs four minutes after a reset": keep(kind="lesson")}, text)
    assert "iLO" in fact.content
    assert fact.kind == "lesson"


@each_row(
    "text",
    [
        "Remember that I take my coffee black.",
        "Save to memory: the gate code is 4471.",
        "Merk dir, dass ich links schreibe.",
    ],
)
def test_what_is_ordered_to_be_remembered_is_kept_whatever_it_is_worth(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        facts = find(patch, {}, Message(USER, text))
    assert len(facts) == 1
    assert not facts[0].content.lower().startswith(("remember", "save", "merk"))


def test_questions_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader({})
    monkeypatch.setattr("memories.providers.llm.rules.weighing.load_judgement_model", lambda *_: reader)
    long = Message(USER, "Is it done? I live in Oslo. " + "word " * 50)
    RulesProvider(judge="learned").extract(Chunk((long,), TODAY), Setting())
    assert ("", "Is it done?") not in reader.asked
    assert "I live in Oslo" in [sentence for _, sentence in reader.asked]


@each_row(
    ("text", "message"),
    [
        ("I moved to the US last year", "User moved to the US last year"),
        ("I work in the US", "User works in the US"),
        ("My repository is git@github.com:me/x.git", "User's repository is git@github.com:me/x.git"),
        ("My address is my.name@example.org", "User's address is my.name@example.org"),
        ("My favourite film is My Neighbor Totoro", "User's favourite film is My Neighbor Totoro"),
    ],
)
def test_names_that_are_spelt_as_pronouns_stay(text: str, message: str) -> None:
    assert to_third_person(text, "User", "the team") == message


@each_row(
    ("text", "answer"),
    [
        ("I'm allergic to\nnuts and penicillin.", ["I'm allergic to nuts and penicillin"]),
        ("i live in oslo\ni like tea", ["i live in oslo", "i like tea"]),
        ("My code: ```x = 1``` I always use black.", ["My code", "I always use black"]),
        ("Here is my code:\n```\nx = 1\n```\nI always use black.", ["Here is my code", "I always use black"]),
        ("Here is the log:\n12:00 error\nsome text", ["Here is the log"]),
    ],
)
def test_a_line_break_is_no_end_and_code_none_either(text: str, answer: list[str]) -> None:
    assert [sentence.text for sentence in read_sentences(text)] == answer


@each_row(
    ("text", "answer"),
    [
        (
            "Bob: I am allergic to peanuts\nAlice: I am not allergic to anything",
            [("Bob", "Bob is allergic to peanuts"), ("Alice", "Alice is not allergic to anything")],
        ),
        ("Update: I moved to Linz", [("", "User moved to Linz")]),
    ],
)
def test_a_line_that_begins_with_a_name_is_that_persons(text: str, answer: list[tuple[str, str]]) -> None:
    facts = RulesProvider().extract(Chunk((Message(USER, text),), TODAY), Setting())
    assert [(fact.subject, fact.content) for fact in facts] == answer


def test_a_category_is_one_of_those_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "memories.providers.llm.rules.weighing.load_judgement_model",
        lambda *_: Reader({"I live in Ghent": replace(keep(), categories={"hobbies": 0.9})}),
    )
    text = Chunk((Message(USER, "I live in Ghent."),), TODAY)
    (free,) = RulesProvider(judge="learned").extract(text, Setting())
    (bound,) = RulesProvider(judge="learned").extract(replace(text), Setting(categories=("work", "general")))
    assert (free.category, bound.category in ("work", "general")) == ("hobbies", True)


SIZE = 16_000
READERS = {
    "cut_reply": lambda text: list(cut_reply(text)),
    "cut_run_on": cut_run_on,
    "strip_leads": strip_leads,
    "strip_trail": strip_trail,
    "read_foreign": read_foreign,
    "split_clauses": lambda text: split_clauses(text, True),
}


@pytest.mark.parametrize("name", READERS)
def test_hostile_lengths_are_read_in_linear_time(name: str) -> None:
    for unit in (" ", "a", ", ", " and ", "that and ", "ich, ", "hab einen ", "so would "):
        assert_linear(READERS[name], lambda size, unit=unit: f"x{repeated(unit)(size)}!", SIZE)


@each_row(
    ("content", "kind", "importance"),
    [
        ("User is allergic to nuts", "fact", 5),
        ("User takes heart medication at 8", "fact", 4),
        ("Restart the worker after the proxy", "lesson", 4),
        ("Always answer in metres", "preference", 4),
        ("User likes tea", "preference", 3),
        ("User's neighbour Lucy picks the kids up on Wednesdays", "fact", 3),
        ("The production database is due for a backup", "fact", 3),
    ],
)
def test_what_matters_more_than_other_things(content: str, kind: str, importance: int) -> None:
    assert read_importance(content, kind) == importance
