"""What the rules find in conversations, told in tables: what is said → what is kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules.facts import extract
from memories.providers.llm.rules.gate import gate
from memories.providers.llm.rules.person import to_third_person
from memories.text.messages import Message

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


@pytest.mark.parametrize("lead", ["It turns out", "turns out", "turned out that"])
def test_how_a_finding_is_begun_is_no_part_of_it(lead: str) -> None:
    said = f"{lead} the API gateway uses Kong rather than Nginx."
    assert contents(said) == ["The API gateway uses Kong rather than Nginx"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("don't touch the migrations folder unless I ask you to",
         "Do not touch the migrations folder unless User asks you to"),
        ("never deploy on Fridays until I tell you", "Never deploy on Fridays until User tells you"),
        ("I prefer short answers, explanations only if I ask",
         "User prefers short answers, explanations only if they ask"),
    ],
)  # fmt: skip
def test_what_holds_until_somebody_is_asked_is_not_cut_short(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("we're with Vodafone for the internet", "User is with Vodafone for the internet"),
        ("my accountant retires in December", "User's accountant retires in December 2026"),
        ("I'm godmother!", "User is godmother"),
        ("Jun's the cook, I do the washing", "User does the washing"),
        ("Jun's the cook, I do the washing", "Jun's the cook"),
        ("I get so nervous in front of people", "User gets so nervous in front of people"),
        ("I'm hard of hearing", "User is hard of hearing"),
        ("Tom's brother has a van", "Tom's brother has a van"),
        ("Ola prefers one commit per comment", "Ola prefers one commit per comment"),
        ("I did Spanish at school", "User did Spanish at school"),
        ("I was in the navy for twelve years", "User was in the navy for twelve years"),
    ],
)
def test_what_people_are_and_whom_they_go_to_is_told_in_few_words(said: str, kept: str) -> None:
    assert gate(chunk(said)).keep
    assert kept in contents(said)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("can you keep lists to ten lines max", "Keep lists to ten lines max"),
        ("could you please keep your mails under a page", "Keep your mails under a page"),
        ("no Brazilian stuff please", "No Brazilian stuff"),
    ],
)
def test_a_standing_order_may_be_asked_for(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@pytest.mark.parametrize("said", ["can you keep the door open", "so don't put 7", "could you write to Ann"])
def test_what_is_asked_for_once_is_no_standing_order(said: str) -> None:
    assert contents(said) == []


def test_a_person_is_told_of_under_their_name_not_their_title() -> None:
    assert [fact.subject for fact in facts("my professor Dr. van Dijk is strict")] == ["Dr. van Dijk"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm allergic to peanuts.", ["User is allergic to peanuts"]),
        ("I work at Acme as a nurse", ["User works at Acme as a nurse"]),
        ("my sister Anna lives in Oslo", ["User's sister Anna lives in Oslo"]),
        ("We use Postgres 15", ["The team uses Postgres 15"]),
        ("I prefer tabs over spaces", ["User prefers tabs over spaces"]),
        ("btw im vegan lol", ["User is vegan"]),
        ("I usually get up at 6", ["User usually gets up at 6"]),
        ("I can't eat gluten", ["User cannot eat gluten"]),
        ("I've been a software engineer for 12 years", ["User has been a software engineer for 12 years"]),
        ("My wife and I are expecting our second child", ["User and their wife are expecting their second child"]),
        (
            "I live in Oslo with my wife because I love snow",
            ["User lives in Oslo with their wife because they love snow"],
        ),
        ("the staging DB is at db1.internal:5432", ["The staging DB is at db1.internal:5432"]),
        ("nginx takes 30 s to reload", ["Nginx takes 30 s to reload"]),
        ("The payment service depends on Redis", ["The payment service depends on Redis"]),
        ("I'd rather take the train than fly", ["User would rather take the train than fly"]),
        ("I would rather walk than drive", ["User would rather walk than drive"]),
        ("I would rather not drive at night", ["User would rather not drive at night"]),
        ("my wife would rather rent than buy", ["User's wife would rather rent than buy"]),
        ("I'd rather you call me Sam", ["User wants to be called Sam"]),
        ("gateway-1 is fine, that one drains itself", ["gateway-1 is fine", "gateway-1 drains itself"]),
        ("web-2 heals itself after a crash", ["web-2 heals itself after a crash"]),
        ("mail-1 renews its lease on its own", ["mail-1 renews its lease on its own"]),
    ],
)
def test_a_statement_is_kept_in_words_that_stand_alone(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My name is Maria and I live in Lisbon", ["User's name is Maria", "User lives in Lisbon"]),
        ("I live in Oslo and work at Acme", ["User lives in Oslo", "User works at Acme"]),
        (
            "I grew up in Ghana but I've lived in Canada since 2010",
            ["User grew up in Ghana", "User has lived in Canada since 2010"],
        ),
        ("I'm allergic to peanuts and shellfish", ["User is allergic to peanuts and shellfish"]),
    ],
)
def test_two_statements_are_kept_apart_only_where_each_has_its_verb(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("always use metric units", "Always use metric units"),
        ("Never deploy on Fridays!", "Never deploy on Fridays"),
        ("call me Sam", "User wants to be called Sam"),
        ("Please don't ever commit directly to main.", "Do not commit directly to main"),
        ("From now on, answer in German.", "From now on, answer in German"),
        ("Use pnpm instead of npm", "Use pnpm instead of npm"),
        ("when you write Python for me, use type hints", "When you write Python for User, use type hints"),
        ("please always write tests first", "Always write tests first"),
        ("Please never write comments in German.", "Never write comments in German"),
        ("please don't write docs for internal functions", "Do not write docs for internal functions"),
        ("Please do not skip the linter.", "Do not skip the linter"),
        ("remind me never to lend Dirk money again", "Never lend Dirk money again"),
        ("Remind us to never deploy on Fridays", "Never deploy on Fridays"),
        ("remind me not to book Ryanair ever again", "Never book Ryanair ever again"),
        ("remind me to never again trust the weather app", "Never trust the weather app"),
        ("never touch this repo without asking", "Never touch this repo without asking"),
    ],
)
def test_standing_instructions_are_kept(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (["stop using emojis"], "Do not use emojis"),
        (["don't do force pushes again"], "Do not do force pushes"),
        (["I told you I'm vegan"], "User is vegan"),
        (["you keep forgetting to run the tests"], "Do not forget to run the tests"),
        (["you got that wrong: my name is Jon, not John"], "User's name is Jon, not John"),
        (["No, not MySQL, Postgres."], "It is Postgres, not MySQL"),
        (["A: The staging port is 5433.", "no, not 5433, 5432"], "The staging port is 5432, not 5433"),
        (
            ["A: The meeting is on Tuesday.", "Actually it's Wednesday"],
            "The meeting is on Wednesday 6 May 2026, not Tuesday 5 May 2026",
        ),
        (
            ["A: The parcel weighs 3 lb.", "No, don't use pounds in customs forms, always use kilograms."],
            "Do not use pounds in customs forms, always use kilograms",
        ),
        (
            ["That's not what I asked for: the invoices must list the discount, not hide it."],
            "The invoices must list the discount, not hide it",
        ),
        (
            ["We store amounts as integers of cents in the billing database.", "A: My mistake, I fixed the column."],
            "The team stores amounts as integers of cents in the billing database",
        ),
    ],
)
def test_corrections_become_lessons(turns: list[str], kept: str) -> None:
    found = facts(*turns)
    assert [(fact.content, fact.kind) for fact in found] == [(kept, "lesson")]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("let's go with FastAPI for the backend", "Decided to go with FastAPI for the backend"),
        ("we'll use Terraform", "Decided to use Terraform"),
        ("We decided to use Redis for the cache.", "The team decided to use Redis for the cache"),
        ("alright, going with zustand for the rewrite", "Decided on zustand for the rewrite"),
    ],
)
def test_decisions_are_kept_as_such(said: str, kept: str) -> None:
    assert [(fact.content, fact.kind) for fact in facts(said)] == [(kept, "decision")]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm flying to Rome tomorrow", "User is flying to Rome on 5 May 2026"),
        ("I'm flying to Rome on June 3", "User is flying to Rome on 3 June 2026"),
        ("I moved to Lyon last year", "User moved to Lyon in 2025"),
        ("My birthday is March 14", "User's birthday is March 14"),
        ("We had an outage on staging yesterday because redis ran out of memory", None),
    ],
)
def test_relative_dates_are_written_out(said: str, kept: str | None) -> None:
    found = contents(said)
    assert not any("yesterday" in content for content in found)
    assert kept is None or found == [kept]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Since I'm vegan, which protein powder should I buy?", "User is vegan"),
        ("I'm vegan, what should I cook tonight?", "User is vegan"),
        ("need a warm-up for tomorrow, I coach the under-12 girls", "User coaches the under-12 girls"),
    ],
)
def test_what_is_told_inside_a_question_is_kept_without_the_question(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "Ich bin Vegetarier und wohne in Berlin",
        "Je suis allergique aux noix",
        "Vivo en Madrid con mi esposa",
    ],
)
def test_other_languages_are_kept_as_they_were_said(said: str) -> None:
    assert contents(f"{said}.") == [said]


def test_a_pronoun_is_named_where_the_sentence_before_tells_whom_it_means() -> None:
    found = contents("My dog Rex is 4 years old. He hates fireworks.")
    assert found == ["User's dog Rex is 4 years old", "User's dog Rex hates fireworks"]


@pytest.mark.parametrize(
    "said",
    [
        "it's slow",
        "hi there!",
        "thanks, that works great",
        "Can you write a poem about my cat?",
        "what's the capital of France?",
        "I'm tired",
        "I have a question",
        "I'm trying to fix this bug",
        "I need a function that sorts a list",
        "imagine I were a pirate living in Tortuga",
        "if I had a million dollars I'd buy a boat",
        'he said "I am rich"',
        "let's do it",
        "don't worry about it",
        "never mind",
        "I love it!",
        "Pretend you're a doctor and I'm your patient. I have two kids and live in Oslo.",
        'Translate this to French: "I live in Berlin and I have a dog."',
        "> I live in Paris and work at Acme",
        "```\nI live in Paris\n```",
        "[MEMORY:timing:dns] Takes 5s",
        "[EVENT:info:dns] I live in Paris",
        '<memory-context nonce="0123abcd">I live in Paris</memory-context nonce="0123abcd">',
        "2026-05-02T11:02:31Z INFO http: user is admin on db1 port 5432",
        '{"name": "Ada", "city": "London"}',
        "https://example.com/my-sister-lives-in-oslo",
        "Here's the email:\nI live in Paris and I work at Acme.",
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: my name is wrong',
    ],
)
def test_what_is_no_statement_of_the_speaker_leaves_nothing(said: str) -> None:
    assert contents(said) == []


@pytest.mark.parametrize("said", ["I'd rather die than eat liver", "I'd rather do it myself", "I'd rather wait"])
def test_a_saying_or_what_is_rather_done_now_is_no_preference(said: str) -> None:
    assert facts(said) == []


@pytest.mark.parametrize(
    "said", ["remind me never to buy that brand again", "never buy this again", "Never do that again please"]
)
def test_a_rule_about_what_only_was_in_view_leaves_nothing(said: str) -> None:
    assert facts(said, "A: Noted.") == []


@pytest.mark.parametrize("answer", ["no need", "No need for that", "don't bother", "maybe later", "another time"])
def test_declining_an_offer_tells_nothing(answer: str) -> None:
    assert contents("A: Shall I book the room for the audit?", answer) == []


def test_what_follows_an_offer_is_not_joined_to_it() -> None:
    said = contents("A: Good morning! What's on the list today?", "Quick intro since we never met: I'm Ruben, hello.")
    assert not [content for content in said if "on the list" in content or "intro" in content.lower()]


def test_us_counted_is_a_count_of_people() -> None:
    assert to_third_person("There are seven of us", "User", "the team") == "There are seven people in the team"


def test_who_does_something_to_us_is_not_done_it_to_alone() -> None:
    assert to_third_person("I rebooked us at the Vila Gale", "User", "User") is None
    assert to_third_person("My husband drives us", "User", "User") == "User's husband drives User"


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
    found = facts("My mother broke her hip in March.", "A: Sorry to hear that, I hope she gets well soon!")
    assert [fact.kind for fact in found] == ["fact"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Quick note about money: I only use euros", "User only uses euros"),
        ("hmm the importer needs 4 GB of memory", "The importer needs 4 GB of memory"),
        ("Apart from me: Ana runs the billing service", "Ana runs the billing service"),
        ("The staging API listens on port 8444, in case you need it", "The staging API listens on port 8444"),
        ("Use metric units in all recipes", "Use metric units in all recipes"),
    ],
)
def test_what_leads_to_a_statement_is_left_out(said: str, kept: str) -> None:
    assert contents(said)[0] == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I restarted nginx on web-1.", ["Assistant restarted nginx on web-1"]),
        ("Deployed v1.2 to staging.", ["Deployed v1.2 to staging"]),
        ("I changed it to BIGINT.", []),
        ("Here it is: ALTER TABLE rides ADD COLUMN fare integer", []),
        ("Root cause was an expired certificate on db-2.", ["Root cause was an expired certificate on db-2"]),
        ("I can restart nginx on web-1 for you.", []),
        ("Would you like me to deploy v1.2 to staging?", []),
        ("Great question! Usually you can restart it with `systemctl restart nginx`.", []),
        ("It is a good idea to use an index on the users table.", []),
    ],
)
def test_of_the_assistant_only_results_are_kept(said: str, kept: list[str]) -> None:
    assert contents("what happened?", f"A: {said}") == kept


def test_neither_system_prompts_nor_tool_output_are_read() -> None:
    said = "I live in Paris and my sister Anna lives in Oslo."
    assert extract(Chunk((Message("system", said), Message("tool", said)), NOW), Setting()) == []


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("I'm severely allergic to peanuts", "category", "health"),
        ("my sister Anna lives in Oslo", "category", "relationships"),
        ("my sister Anna lives in Oslo", "subject", "Anna"),
        ("I work at Acme as a nurse", "category", "work"),
        ("I work at Acme as a nurse", "subject", ""),
        ("nginx takes 30 s to reload", "category", "timing"),
        ("nginx takes 30 s to reload", "subject", "Nginx"),
        ("I prefer tabs over spaces", "kind", "preference"),
        ("I think we use Postgres 15", "strength", "implied"),
        ("I work at Acme as a nurse", "strength", "explicit"),
        ("I'm severely allergic to peanuts", "importance", 5),
        ("ugh, the staging DB times out every 30 seconds", "sentiment", "frustrated"),
    ],
)
def test_a_fact_is_filed_where_it_belongs(said: str, field: str, value: object) -> None:
    (fact,) = facts(said)
    assert getattr(fact, field) == value


def test_categories_and_subjects_of_the_asker_are_used() -> None:
    (fact,) = facts("nginx takes 30 s to reload", categories=("speed", "timing"), subjects=("NGINX",))
    assert (fact.category, fact.subject) == ("timing", "NGINX")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My daughter Anna plays football at the club after school with friends.", ("Anna", "Lena")),
        ("Our server runs on port 8080 behind the proxy in the data center of Berlin.", ("8080", "9090")),
        ("Meine Tochter Anna spielt jeden Montag nach der Schule Fußball im Verein mit Freunden.", ("Anna", "Lena")),
    ],
)
def test_one_other_word_in_a_long_sentence_is_another_fact(one: str, other: tuple[str, str]) -> None:
    found = contents(one, one.replace(*other))
    assert len(found) == 2
    assert found[1] == found[0].replace(*other)


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


@pytest.mark.parametrize(
    "piece", ["I am ", " ", "a", "not x, ", '"I', "{ ", ", and I have a dog", "\n", "a.b@c", "[a ", "`"]
)
def test_a_huge_message_is_answered(piece: str) -> None:
    extract(chunk(piece * (60_000 // len(piece)), "A: " + piece * (60_000 // len(piece))), Setting())


def test_no_message_of_several_sentences_is_kept_whole() -> None:
    said = "I live in Oslo. My sister Anna lives in Rome. We use Postgres 15, and never deploy on Fridays."
    assert len(facts(said)) >= 3
    assert all(content.count(".") == 0 and len(content) < 0.6 * len(said) for content in contents(said))


@pytest.mark.parametrize(
    ("said", "kept"),
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
def test_what_is_quoted_stays_anothers_words_and_apostrophes_quote_nothing(said: str, kept: str | None) -> None:
    assert to_third_person(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Emma just turned 8.", ["Emma turned 8"]),
        ("Emma has just turned eight.", ["Emma turned eight"]),
        ("Ben recently turned 21", ["Ben recently turned 21"]),
        ("My son turned four in March", ["User's son turned four in March 2026"]),
        ("I just turned 40", ["User turned 40"]),
        ("My daughter just turned 12.", ["User's daughter turned 12"]),
        ("I turned 40 in April", ["User turned 40 in April 2026"]),
        ("Emma's turning 8 next week", ["Emma is turning 8 in the week of 11 May 2026"]),
        ("Ben is turning forty-two in June.", ["Ben is turning forty-two in June 2026"]),
        ("My daughter's turning eight on Friday", ["User's daughter is turning eight on Friday 8 May 2026"]),
        ("It's turning 8.", []),
        ("Emma just turned around.", []),
        ("Emma turned 180 degrees", []),
        ("The clock turned 12", []),
        ("It just turned 8.", []),
    ],
)
def test_who_has_turned_what_age_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I started learning the piano last month, my teacher is called Mrs. Okoye.",
            ["User started learning the piano in April 2026", "User's teacher is called Mrs. Okoye"],
        ),
        ("I took up pottery last year", ["User took up pottery in 2025"]),
        ("I began volunteering at the shelter last year", ["User began volunteering at the shelter in 2025"]),
        ("I learned to swim last summer", ["User learned to swim in summer 2025"]),
        ("I've finally learnt how to ride a bike", ["User has finally learnt how to ride a bike"]),
        ("I learned to play the piano as a child", ["User learned to play the piano as a child"]),
        ("I just learned to swim!", ["User just learned to swim"]),
        ("We learned to sail in 2020", ["User learned to sail in 2020"]),
        ("Emma learned to swim last summer", ["Emma learned to swim in summer 2025"]),
        ("Sam learned to let go", []),
        ("Kim learned to play it cool", []),
        ("I learned to love it.", []),
        ("I learned to play it cool", []),
        ("I learned how to play a little bit", []),
        ("I learned to draw conclusions", []),
        ("I learned to let go", []),
        ("I started crying last night.", []),
        ("I started playing with this last month", []),
        ("I took up too much space last time", []),
    ],
)
def test_what_somebody_began_to_learn_or_do_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I switched to decaf last week", ["User switched to decaf in the week of 27 April 2026"]),
        ("I've switched to oat milk", ["User has switched to oat milk"]),
        ("I switched from coffee to tea.", ["User switched from coffee to tea"]),
        ("I've switched back to nights", ["User has switched back to nights"]),
        ("I switched to the other tab", []),
        ("I switched to the next song", []),
        ("I switched to another bus", []),
        ("I switched to plan B", []),
        ("I switched to reading", []),
        (
            "I gave up smoking in March, my husband still smokes",
            ["User gave up smoking in March 2026", "User's husband still smokes"],
        ),
        (
            "I've given up sugar, but my wife bakes every Sunday",
            ["User has given up sugar", "User's wife bakes every Sunday"],
        ),
        ("I gave up coffee", ["User gave up coffee"]),
        ("Anna has given up smoking", ["Anna has given up smoking"]),
        ("Ben switched to night shifts in May", ["Ben switched to night shifts in May 2026"]),
        ("Tim switched to the other tab", []),
        ("Emma gave up her seat", []),
        ("I gave up my seat for her", []),
        ("I gave up waiting", []),
        ("I gave up on the crossword", []),
        ("I gave up driving there and took a cab", []),
    ],
)
def test_what_somebody_switched_to_or_gave_up_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
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
def test_who_does_it_instead_is_told_with_what_is_done(said: str, kept: str) -> None:
    assert contents(said) == [kept]
    assert gate(chunk(said)).keep


@pytest.mark.parametrize(
    "said", ["I learned to swim last summer", "I switched to decaf last week", "Emma's turning 8 next week"]
)
def test_what_is_told_alone_is_worth_keeping(said: str) -> None:
    assert gate(chunk(said)).keep


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("we raised the pool limit to 80", ["The team raised the pool limit to 80"]),
        ("HbA1c went from 8.1 to 6.9", ["HbA1c went from 8.1 to 6.9"]),
        ("Mia quit violin", ["Mia quit violin"]),
        ("Wout resigned", ["Wout resigned"]),
        ("Mrs Peeters retired last week", ["Mrs Peeters retired in the week of 27 April 2026"]),
        ("Anna got married yesterday", ["Anna got married on 3 May 2026"]),
        ("I went from 3 to 4 in the list", []),
        ("can you raise the limit to 80?", []),
    ],
)
def test_what_became_of_a_figure_or_somebodys_part_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept
    assert gate(chunk(said)).keep == bool(kept)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I review everything that touches auth, so ask me there", ["User reviews everything that touches auth"]),
        ("I review everything that touches auth", ["User reviews everything that touches auth"]),
        ("We review everything that touches auth, so ask us there", ["The team reviews everything that touches auth"]),
        (
            "I order all the hardware, so ask me before you buy anything",
            ["User orders all the hardware", "Ask User before you buy anything"],
        ),
        ("I maintain all of our Terraform, so tag me on changes there", ["User maintains all of the team's Terraform"]),
        ("I personally approve all refunds", ["User personally approves all refunds"]),
        ("I handle all refunds. Ask me there", ["User handles all refunds"]),
        ("I review everything you send", []),
        ("I'll review everything that changed", []),
        ("I reviewed everything that changed", []),
        ("should I review everything that changed?", []),
        ("I answer any question you have", []),
        ("I approve all of it", []),
    ],
)
def test_what_somebody_does_with_all_of_a_kind_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept
    assert gate(chunk(said)).keep == bool(kept)


@pytest.mark.parametrize("said", ["don't ask how", "please don't ask me why"])
def test_what_is_only_said_so_is_no_rule(said: str) -> None:
    assert contents(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Because Erik got a new job we moved to Graz", ["Erik got a new job", "User moved to Graz"]),
        ("because Anna is vegan we never cook meat", ["Anna is vegan", "User never cooks meat"]),
        ("because the job I wanted is gone I stay at Acme", ["The job User wanted is gone"]),
    ],
)
def test_a_reason_is_told_apart_from_what_came_of_it_without_a_comma(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize("said", ["I've stopped being surprised", "I'm running the tests again"])
def test_how_somebody_feels_and_what_they_just_run_is_no_habit(said: str) -> None:
    assert contents(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("she isn't my wife, she's my sister", []),
        ("that's not my brother, he's my cousin and he lives in Rome", ["User's cousin lives in Rome"]),
        ("I lent my drill to Marko. it was my dad's", ["User's drill was their dad's"]),
        ("the kids are with their dad every other weekend", ["The kids are with their dad every other weekend"]),
        ("dad is 80 now", ["User's dad is 80 now"]),
    ],
)
def test_nobody_is_told_of_who_is_not_meant(said: str, kept: list[str]) -> None:
    assert contents(said) == kept
