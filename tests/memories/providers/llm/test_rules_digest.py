"""A conversation told in a few of its own sentences, by rule."""

import re
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.messages import Message, close_fence, open_fence
from memories.providers.llm.provider import RULES
from memories.providers.llm.rules.digest import digest
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

NOW = datetime(2025, 7, 1, 12, tzinfo=UTC)
NONCE = "0123456789abcdef"


def user(text: str, moment: datetime | None = None) -> Message:
    return Message("user", text, moment)


def agent(text: str) -> Message:
    return Message("assistant", text)


def tell(*messages: Message, most: int = 1_000) -> str:
    return digest(messages, NOW, most).text


OUTAGE = [
    user("The checkout service has been returning 502s since about 9:40. Investigate."),
    agent("I'll look at the pods and the recent deploys."),
    Message("tool", "pod checkout-7 CrashLoopBackOff because of the cause that was fixed"),
    agent(
        "Redis was evicted at 09:38 because node-4 ran out of memory. Its limit had been lowered in yesterday's change."
    ),
    user("ok revert it for production only"),
    agent(
        "I reverted the limit to 4 GB in the production overlay and restarted redis-sessions.\n\n"
        "- Opened PR #812 for Priya to review\n\n"
        "[MEMORY:behavior:redis-sessions] Needs at least 4 GB; with less it is evicted and checkout fails\n\n"
        "Anything else you'd like me to check?"
    ),
    user("no that's it. thx"),
]


def test_an_outage_is_told_from_complaint_to_cure() -> None:
    written = digest(OUTAGE, NOW, 1_000)
    assert written.made_by == RULES
    places = [
        written.text.index(part)
        for part in (
            "The checkout service has been returning 502s since about 9:40",
            "Redis was evicted at 09:38 because node-4 ran out of memory.",
            "Assistant reverted the limit to 4 GB in the production overlay and restarted redis-sessions.",
            "with less it is evicted and checkout fails.",
        )
    ]
    assert places == sorted(places)


def test_in_little_capacity_the_cause_and_the_cure_remain() -> None:
    assert tell(*OUTAGE, most=200) == (
        "Redis was evicted at 09:38 because node-4 ran out of memory. "
        "Assistant reverted the limit to 4 GB in the production overlay and restarted redis-sessions."
    )


def test_what_somebody_tells_of_themselves_is_told_in_the_third_person() -> None:
    text = tell(
        user("I'm planning a trip to Lisbon in October with my wife Anna. She's vegetarian and allergic to nuts."),
        agent("That sounds wonderful! Lisbon in October is lovely. Would you like some restaurant suggestions?"),
        user("Yes, but nothing too fancy. We decided to stay in Alfama for 5 nights."),
        agent("Great choice! Here are some ideas:\n\n1. **Ao 26** - vegan food"),
    )
    assert text == (
        "User is planning a trip to Lisbon in October 2025 with their wife Anna. "
        "User's wife Anna is vegetarian and allergic to nuts. User decided to stay in Alfama for 5 nights."
    )


MANY_FACTS = [
    user("My name is Ada and I live in Graz."),
    user("I work as a nurse at the city hospital on weekdays until 14:00."),
    user("I'm allergic to peanuts."),
    user("My sister Mia moved to Porto in May."),
    user("I have two cats, Tom and Kit."),
    user("I take my coffee black and I never eat meat."),
    user("Our landlord raised the rent to 900 euros."),
    user("I play the cello in an orchestra on Thursdays."),
]


def test_two_hundred_characters_are_used() -> None:
    text = tell(*MANY_FACTS, most=200)
    assert 150 <= len(text) <= 200
    assert "allergic to peanuts" in text
    assert not re.search(r"\b(?:I|I'm|my|our|User:)\b", text)


@each_row(
    "answer",
    [
        "Got it, you're allergic to peanuts and you live in Graz.",
        "You are allergic to peanuts.",
        "Noted: the peanut allergy, and that the release is on Thursdays at 14:00.",
        "So the release is on Thursdays at 14:00.",
    ],
)
def test_an_answer_that_restates_what_was_said_is_not_told(answer: str) -> None:
    texts = [user("I'm allergic to peanuts and I live in Graz."), user("The release is on Thursdays at 14:00.")]
    text = tell(*texts, agent(answer))
    assert text == tell(*texts)
    assert "allergic to peanuts" in text
    assert "Thursday" in text


def test_what_an_answer_adds_is_told() -> None:
    text = tell(user("Book me a table at Noma for Friday."), agent("Your table at Noma is booked for 4 July at 19:30."))
    assert "19:30" in text


def test_a_request_loses_its_courtesy() -> None:
    text = tell(user("hey, could you please upgrade the gitlab instance?"), agent("GitLab is now on version 17.2."))
    assert text == "User asked to upgrade the gitlab instance. GitLab is now on version 17.2."


def test_an_answer_that_repeats_the_question_stands_alone() -> None:
    text = tell(
        user("What port does our staging postgres listen on?"),
        agent("The staging Postgres listens on port 5433, because 5432 is taken by the legacy database."),
    )
    assert text == "The staging Postgres listens on port 5433, because 5432 is taken by the legacy database."


@each_row(
    "talk",
    [
        [],
        [user("hi"), agent("Hello! How can I help you today?"), user("nah, have a nice day"), agent("Take care!")],
        [user("do you like pizza?"), agent("I don't eat, but many people love pizza! What's your favourite?")],
        [user("Hallo!"), agent("Hallo, wie geht es dir?"), user("Gut, danke, und dir?"), agent("Auch gut!")],
        [agent("Sure! Let me check."), agent("Let me know if you need anything else.")],
    ],
)
def test_chatter_is_not_worth_a_digest(talk: list[Message]) -> None:
    assert tell(*talk) == ""


@each_row(
    "hidden",
    [
        "```python\nWe decided to use SECRET because it works now\n```",
        "```\nWe decided to use SECRET because it is never closed",
        "    SECRET = fixed_because(root.cause())",
        "> We decided to use SECRET because it works now",
        f"{open_fence(NONCE)}\n- [timing] We decided SECRET because it works now\n{close_fence(NONCE)}",
        "| We decided | SECRET |",
        "2025-07-01 12:00:01 INFO fixed SECRET because the cause was found",
    ],
)
def test_code_output_and_what_we_put_in_are_not_told(hidden: str) -> None:
    text = tell(
        user("Rotate the API keys of the gateway in Vault by Friday."), agent(f"We agreed on Monday 7.\n\n{hidden}")
    )
    assert "Monday" in text
    assert "SECRET" not in text


def test_the_end_of_a_long_block_of_ours_is_not_told_either() -> None:
    block = "We decided to keep SECRET because it works now. \n" * 3_000
    text = tell(agent(f"We agreed on version 7.\n\n{open_fence(NONCE)}\n{block}{close_fence(NONCE)}"))
    assert text == "We agreed on version 7."


def test_of_equal_outcomes_the_last_is_told() -> None:
    steps = [
        agent(f"The {thing} was moved to the attic.") for thing in ("piano", "sofa", "lamp", "mirror", "globe", "harp")
    ]
    assert tell(*steps, most=60) == "The harp was moved to the attic."


@each_row("role", ["system", "tool"])
def test_only_people_and_agents_are_told(role: str) -> None:
    assert tell(Message(role, "We decided to move the database to node-4 because the disk was full.")) == ""


def test_markers_are_told_by_their_text() -> None:
    text = tell(
        user("How are keys rotated?"), agent("[MEMORY:maintenance:vault] API keys must be rotated every 90 days")
    )
    assert text == "API keys must be rotated every 90 days."


def test_other_speakers_are_told_by_name() -> None:
    text = tell(Message("Gina", "I lost my job at Door Dash this month."), Message("Jon", "I moved to Rome in May."))
    assert text == "Gina lost their job at Door Dash this month. Jon moved to Rome in May."


def test_yesterday_is_dated_by_when_it_was_said() -> None:
    index = datetime(2025, 3, 1, 23, 30, tzinfo=UTC)
    talk = [user("I started my new job at Siemens yesterday.", index)]
    assert digest(talk, NOW, 200).text == "User started their new job at Siemens on 28 February 2025."
    vienna = NOW.astimezone(timezone(timedelta(hours=1)))
    assert digest(talk, vienna, 200).text == "User started their new job at Siemens on 1 March 2025."
    assert digest([user(talk[0].content)], NOW, 200).text.endswith("on 30 June 2025.")


def test_a_day_in_a_sentence_that_is_no_fact_is_dated_too() -> None:
    index = datetime(2025, 3, 1, 23, 30, tzinfo=UTC)
    text = Message("Gina", "I lost my job at Door Dash yesterday.", index)
    assert digest([text], NOW, 200).text == "Gina lost their job at Door Dash yesterday (2025-02-28)."


def test_other_languages_are_told_in_their_own_words() -> None:
    assert tell(
        user("Bonjour, j'ai un problème avec mon imprimante, elle n'imprime plus depuis la mise à jour."),
        agent("Bonjour ! Quel modèle utilisez-vous ?"),
        user("Une Brother HL-2350, connectée en wifi."),
        agent("Le pilote 3.2 contient un bug connu. Installez la version 3.1 depuis le site de Brother."),
        user("Ça marche, merci !"),
    ) == (
        "User: j'ai un problème avec mon imprimante, elle n'imprime plus depuis la mise à jour. "
        "Une Brother HL-2350, connectée en wifi. "
        "Assistant: Le pilote 3.2 contient un bug connu. Installez la version 3.1 depuis le site de Brother."
    )
    assert tell(
        user("来週の月曜日に東京へ出張します。"), agent("のぞみ12号、8時6分発の窓側の席を予約しました。")
    ).endswith("のぞみ12号、8時6分発の窓側の席を予約しました。")


def test_what_is_longer_than_a_digest_is_cut_behind_a_word() -> None:
    text = tell(
        user("We decided to move the customer database from node-3 to node-4 because its disk was full."), most=60
    )
    assert text == "The team decided to move the customer database from node-3…"


def test_nothing_is_told_twice() -> None:
    text = tell(*[user("We decided to move the backups to node-4 because of the disk.")] * 5)
    assert text.count("node-4") == 1


words = st.sampled_from(
    [
        "We decided",
        "because",
        "fixed",
        "```",
        "[MEMORY:a:b]",
        "yesterday",
        "\n",
        "Hi,",
        ". ",
        "? ",
        "node-4",
        "漢字",
        "\ud800",
    ]
)
texts = st.text(max_size=80) | st.lists(words, max_size=30).map(" ".join)
message = st.builds(Message, st.sampled_from(["user", "assistant", "tool", "Jon\n#"]), texts)


@settings(max_examples=150)
@given(st.lists(message, max_size=6), st.integers(-3, 300))
def test_any_conversation_gives_one_line_that_fits(messages: list[Message], most: int) -> None:
    text = digest(messages, NOW, most).text
    assert text == digest(messages, NOW, most).text
    assert len(text) <= max(most, 0)
    assert "\n" not in text
    assert "[MEMORY:a:b]" not in text
    text.encode()


def test_two_thousand_messages_are_told_in_linear_time_and_the_end_is_heard() -> None:
    filler = [user(f"Let me think about topic {n} for a moment, please, and then about {n + 1}.") for n in range(1_999)]
    end = agent("The root cause was the full disk of node-4, now fixed.")
    assert "full disk of node-4" in tell(*filler, end, most=200)
    assert_linear(lambda some: tell(*some, most=200), lambda count: [*filler[: count - 1], end], 2_000)


@each_row_of("rules_digest")
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert_linear(lambda text: tell(user(f"{text}a")), repeated(unit), 40_000)
