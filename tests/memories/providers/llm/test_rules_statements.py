"""What is kept in the words it was said in: answers, run-on sentences, pronouns, agreements, findings."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.extract.answers import join_answer, read_agreement
from memories.language.extract.clauses import cut_run_on
from memories.language.extract.coreference import People
from memories.language.extract.prose import read_sentences
from memories.language.messages import Message
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules.extraction import extract
from memories.providers.llm.rules.gate import gate
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)
"""A Monday."""


def chunk(turns: tuple[str, ...], before: tuple[str, ...] = ()) -> Chunk:
    """Turns that begin with "A: " are the assistant's."""
    return Chunk(tuple(map(message, turns)), NOW, tuple(map(message, before)))


def message(turn: str) -> Message:
    text = turn.removeprefix("A: ")
    return Message("user" if text == turn else "assistant", text)


def facts(*turns: str) -> list[Fact]:
    return extract(chunk(turns), Setting())


def contents(*turns: str) -> list[str]:
    return [fact.content for fact in facts(*turns)]


@each_row_of("rules_said")
def test_a_short_answer_is_kept_with_what_was_asked(question: str, answer: str, kept: str) -> None:
    assert contents(f"A: {question}", answer) == [kept]


@each_row(
    ("text", "retained"),
    [
        ("husband's away till Friday", "User's husband's away till Friday 8 May 2026"),
        ("Kids are off school on Thursday", "User's kids are off school on Thursday 7 May 2026"),
        ("landlord says no pets", "User's landlord says no pets"),
    ],
)
def test_whose_they_are_goes_without_saying_for_the_speaker(text: str, retained: str) -> None:
    assert contents(text) == [retained]


def test_who_was_named_without_my_is_meant_afterwards() -> None:
    answer = contents("brb, cat's yelling", "A: Take your time.", "ok back. she's 14 and has kidney trouble")
    assert "User's cat is 14 and has kidney trouble" in answer


@each_row("text", ["boss fights are fun", "cat prints the file", "baby steps are the way to go"])
def test_a_word_that_may_be_somebody_is_nobody_of_the_user(text: str) -> None:
    assert not any("User" in content for content in contents(text))


def test_what_might_follow_from_a_fact_is_no_part_of_it() -> None:
    assert contents("I work in logistics, so words about ships would actually be useful") == ["User works in logistics"]
    assert contents("I moved to Oslo in May, so maybe no more tips for Graz") == ["User moved to Oslo in May 2026"]


@each_row(
    ("text", "retained"),
    [
        ("short one today, I've a flight at six in the morning", "User has a flight at six in the morning"),
        ("we've two cats and a dog at home", "User has two cats and a dog at home"),
        ("I've my driving test on Friday", "User has their driving test on Friday 8 May 2026"),
    ],
)
def test_what_somebody_has_is_known_by_a_contraction_too(text: str, retained: str) -> None:
    assert retained in contents(text)


def test_a_day_behind_a_full_stop_is_not_of_the_past_that_stands_before_it() -> None:
    assert contents("so we finally got the date!! 24th of June") == ["User finally got the date; on 24 June 2026"]


def test_what_is_only_agreed_to_is_no_part_of_what_follows() -> None:
    answer = contents("A: Shall we start with a warm-up?", "yes but go easy, I only started in November")
    assert answer == ["User only started in November 2025"]


def test_whose_parents_come_is_told_by_what_was_said_before() -> None:
    answer = contents("Tom's reading over my shoulder. we're having his parents over on Sunday")
    assert answer == ["User is having Tom's parents over on Sunday 10 May 2026"]
    assert "User told his wife" in " ".join(contents("Tom and Ben are friends. I told his wife on Monday I'm moving"))


def test_until_then_is_until_the_end_of_what_was_named() -> None:
    answer = contents("my registration's up for renewal end of August and I need 35 hours of training by then")
    assert "User needs 35 hours of training by end of August 2026" in answer


def test_cause_is_because() -> None:
    answer = contents("We moved it to the 25th, cause the sellers want the weekend")
    assert answer == ["User moved it to 25 May 2026, because the sellers want the weekend"]


def test_of_several_things_one_is_so_and_another_is_not() -> None:
    assert not any("booked" in content for content in contents("A: Is the trip booked?", "flights yes, hotel no"))


@each_row("text", ["you sound like my mum", "you're so kind", "you're a star", "don't get me started"])
def test_what_is_said_to_the_assistant_about_it_is_nothing_to_keep(text: str) -> None:
    assert contents(text, "A: Noted.") == []


def test_what_was_before_is_a_fact_of_its_own() -> None:
    answer = contents("I've worked on 4B since February, before that I was in the emergency room for six years")
    assert "User was in the emergency room for six years" in answer


def test_who_is_the_answer_is_meant_by_what_follows() -> None:
    text = contents("Astro and Stripe.", "A: Who's the contact?", "Henrik Dahl, he's head of visitor services.")
    assert "Henrik Dahl is head of visitor services" in text


def test_a_question_asked_before_the_chunk_is_answered_too() -> None:
    requested = chunk(("2k max",), ("A: What's your budget?",))
    assert [fact.content for fact in extract(requested, Setting())] == ["User's budget is 2k max"]


@each_row(
    "turns",
    [
        ("A: Shall I book it?", "yes please"),
        ("A: Anything else?", "nope"),
        ("A: Would you like a recipe?", "ok"),
        ("A: How about rice?", "rice it is"),
        ("A: Want me to draft it?", "later"),
    ],
)
def test_answers_to_offers_tell_nothing(turns: tuple[str, ...]) -> None:
    assert contents(*turns) == []


@each_row(
    ("text", "retained"),
    [
        ("stas is coeliac, he can't have normal pasta", ["Stas is coeliac", "Stas can't have normal pasta"]),
        (
            "Mia starts school in September and she's terrified of the bus",
            ["Mia starts school in September 2026", "Mia is terrified of the bus"],
        ),
        (
            "my sister Anna moved to Cork. she works nights at the hospital",
            ["User's sister Anna moved to Cork", "User's sister Anna works nights at the hospital"],
        ),
        ("remind me that Emil can't have hazelnuts", ["Emil can't have hazelnuts"]),
        (
            "can you plan dinner? my husband Tom is coeliac and he hates fish",
            ["User's husband Tom is coeliac", "User's husband Tom hates fish"],
        ),
    ],
)
def test_what_is_told_in_passing_is_kept_one_by_one_and_by_name(text: str, retained: list[str]) -> None:
    assert contents(text) == retained


@each_row(
    ("proposed", "answer", "retained"),
    [
        ("I'd limit their ASN to 50 connections.", "do it", "Agreed to limit their ASN to 50 connections"),
        ("Proposal: buckets are named env-team-purpose.", "agreed", "Agreed: buckets are named env-team-purpose"),
        ("Moving it to 03:00 would clear it.", "ok do that", "Agreed: Moving it to 03:00"),
        ("I'd limit their ASN to 50 connections.", "no, not yet", ""),
        ("I'd limit their ASN to 50 connections.", "thanks", ""),
        ("Your tests pass.", "do it", ""),
    ],
)
def test_what_is_agreed_to_is_a_decision(proposed: str, answer: str, retained: str) -> None:
    assert read_agreement(answer, read_sentences(proposed)) == retained
    decided = [fact.content for fact in facts(f"A: {proposed}", answer) if fact.kind == "decision"]
    assert decided == ([retained] if retained else [])


@each_row(
    ("question", "result", "retained"),
    [
        (
            "why is the import slow?",
            "Found it: `load_rates()` reads the whole table on every call, about 40 s each time.",
            "`load_rates()` reads the whole table on every call, about 40 s each time",
        ),
        (
            "where does the deploy get the key from?",
            "From Vault, path kv/apps/mailer/prod.",
            "The deploy gets the key from Vault, path kv/apps/mailer/prod",
        ),
    ],
)
def test_findings_of_the_assistant_are_kept_with_what_they_answer(question: str, result: str, retained: str) -> None:
    assert contents(question, f"A: {result}") == [retained]


@each_row(
    "turns",
    [
        ("suggest a gift", "A: Here are five options: 1) a scarf, 2) a lamp, 3) tea, 4) socks, 5) a book."),
        ("what does nil by mouth mean?", "A: It usually means nothing to eat or drink from midnight."),
        ("can you write to Mrs Hill that her dog is fine?", "A: Dear Mrs Hill, your dog is fine. Kind regards"),
        ("lol that's mad", "A: It is!"),
        ("ok see you later, back to the grind",),
        ("ALERT pg-02 disk 92% /var/lib/postgresql",),
        ("1788332511: New client connected from 10.20.4.31:50122 as gauge-ingest",),
    ],
)
def test_small_talk_drafts_and_logs_leave_nothing(turns: tuple[str, ...]) -> None:
    assert contents(*turns) == []


def test_a_name_is_written_as_it_was_written_before() -> None:
    result = contents("A: Is Ines coming too?", "ines can't eat nuts, ines is allergic")
    assert result
    assert all("Ines" in content for content in result)


def test_a_plain_statement_among_few_words_passes_the_gate() -> None:
    assert gate(chunk(("A: What time do you usually get up?", "6:30"))).keep
    assert not gate(chunk(("A: Shall I book it?", "yes please"))).keep


def test_a_sentence_that_speaks_of_code_is_no_code() -> None:
    text = "The test uses Local::now() and the two runners have different time zones."
    assert [sentence.text for sentence in read_sentences(text)] == [text.rstrip(".")]
    assert read_sentences("let x = Local::now();") == []


@each_row(
    ("text", "is_question"),
    [
        ("do i need primer over magnolia", True),
        ("so can i still do a blanket chest", True),
        ("whats the difference between a dovetail saw and a tenon saw", True),
        ("how do i check", True),
        ("is the printer back", True),
        ("Do the dishes daily", False),
        ("Have the tests run first", False),
        ("Is the oldest of three", False),
        ("Should you need me, call", False),
        ("What's the matter is that we lost it", False),
    ],
)
def test_a_question_is_one_without_its_mark_too(text: str, is_question: bool) -> None:
    assert [sentence.is_question for sentence in read_sentences(text)] == [is_question]


@each_row(
    ("text", "sentences"),
    [
        ("我住在北京。你呢？", [("我住在北京", False), ("你呢", True)]),
        ("मैं दिल्ली में रहता हूँ। और तुम?", [("मैं दिल्ली में रहता हूँ", False), ("और तुम", True)]),
        ("أعمل طبيبا. هل تعرف ذلك؟", [("أعمل طبيبا", False), ("هل تعرف ذلك", True)]),
    ],
)
def test_sentences_end_with_the_marks_of_their_script(text: str, sentences: list[tuple[str, bool]]) -> None:
    assert [(sentence.text, sentence.is_question) for sentence in read_sentences(text)] == sentences


@each_row(
    ("text", "pieces"),
    [
        ("the kids are fine and the dog is fat", ["the kids are fine", "the dog is fat"]),
        ("I like bread and butter", ["I like bread and butter"]),
        ("he said that we ship and they stay", ["he said that we ship and they stay"]),
        ("she has a key, what should I do", ["she has a key", "what should I do"]),
    ],
)
def test_a_run_on_sentence_is_cut_where_a_new_subject_has_its_verb(text: str, pieces: list[str]) -> None:
    assert cut_run_on(text) == pieces


@each_row(
    ("heard", "text", "meant"),
    [
        ("my wife is away", "he likes tea", "he likes tea"),
        ("my wife is away", "she likes tea", "my wife likes tea"),
        ("my brother's away and the twins are loud", "they sleep late", "the twins sleep late"),
        ("we drove to Turin", "he likes tea", "he likes tea"),
        ("I rang Nuala and she's off", "her van is red", "Nuala's van is red"),
    ],
)
def test_he_and_she_are_only_named_where_it_can_be_them(heard: str, text: str, meant: str) -> None:
    people = People()
    people.note(heard)
    assert people.resolve(text).lower() == meant.lower()


def test_an_answer_of_a_whole_sentence_keeps_its_own_words() -> None:
    assert join_answer("What's your name?", "my cat walked over the keys") == ""


@settings(max_examples=50)
@given(st.text(max_size=200), st.text(max_size=120))
def test_any_words_can_be_cut_joined_and_resolved(said: str, asked: str) -> None:
    assert all(cut_run_on(said))
    assert isinstance(join_answer(asked, said), str)
    people = People()
    people.note(asked)
    assert isinstance(people.resolve(said, asked), str)
    assert isinstance(read_agreement(said, read_sentences(asked)), str)


@each_row(
    ("text", "retained"),
    [
        ("if the queue is over 10k, scale the workers to 8", ["If the queue is over 10k, scale the workers to 8"]),
        ("unless the build is green, block the release", ["Unless the build is green, block the release"]),
        ("once the cert is renewed, restart the gateway", ["Once the cert is renewed, restart the gateway"]),
    ],
)
def test_what_holds_under_a_condition_is_not_kept_without_it(text: str, retained: list[str]) -> None:
    assert contents(text) == retained


def test_her_is_nobody_of_before_where_two_are_named_beside_it() -> None:
    text = contents("Patient Meyer's appointment is on Friday", "Dr Singh is on leave, Dr Alvarez covers for her")
    assert not any("for Meyer" in item for item in text)


@each_row(
    "text",
    ["3 are still missing", "the third is in another datacenter", "It's Priya until Sunday", "He told us on Monday"],
)
def test_what_does_not_say_of_what_it_is_said_leaves_nothing(text: str) -> None:
    assert contents(text) == []


WEDNESDAY = datetime(2026, 10, 14, 9, tzinfo=UTC)
"""A Wednesday."""


def kept_of(*turns: str) -> list[str]:
    """Turns that begin with "A: " are the assistant's."""
    messages = tuple(
        Message("assistant" if turn.startswith("A: ") else "user", turn.removeprefix("A: ")) for turn in turns
    )
    return [fact.content for fact in extract(Chunk(messages, WEDNESDAY), Setting())]


@each_row_of("rules_ordered")
def test_what_a_text_is_to_say_is_no_fact(said: str) -> None:
    assert kept_of(said) == []


@each_row(
    ("text", "retained"),
    [
        ("That we need the VAT return by the 10th, and that we switched to quarterly filing in July.", []),
        ("that the rent is too high. Keep it formal, Sofia hates first names.", ["Sofia hates first names"]),
    ],
)
@each_row("question", ["Sure. What should it say?", "What would you like me to write?"])
def test_nor_is_the_answer_to_what_it_should_say(question: str, text: str, retained: list[str]) -> None:
    assert kept_of("can you draft a mail to our accountant?", f"A: {question}", text) == retained


@each_row(
    ("text", "retained"),
    [
        ("make a note that my wife is vegan", ["User's wife is vegan"]),
        ("I wrote a mail to the school that Emma is sick", ["User wrote a mail to the school that Emma is sick"]),
        ("always write commit messages that explain why", ["Always write commit messages that explain why"]),
        ("Tell Anna that I can't come on Friday", ["User cannot come on Friday 16 October 2026"]),
        ("remind me that the rent is due on the 1st", ["The rent is due on the 1st"]),
        ("make sure the backup job runs every night", ["Make sure the backup job runs every night"]),
        ("create the branch from develop every time", ["Create the branch from develop every time"]),
    ],
)
def test_what_is_noted_told_or_ordered_for_good_is_kept(text: str, retained: list[str]) -> None:
    assert kept_of(text) == retained


@each_row_of("rules_ordered")
def test_an_errand_is_no_fact(said: str) -> None:
    assert kept_of(said) == []


def test_who_was_named_in_an_order_may_be_meant_by_what_follows() -> None:
    assert kept_of("My wife is vegan", "A: ok", "Reply to Anna that I accept. She is my new boss.")[-1] == (
        "Anna is User's new boss"
    )


"""A Monday."""


def message_chunk(text: str) -> Chunk:
    return Chunk((Message("user", text),), NOW)


def kept_habits(text: str) -> list[str]:
    return [fact.content for fact in extract(message_chunk(text), Setting())]


@each_row(
    ("text", "retained"),
    [
        ("From now on, answer in German", "From now on, answer in German"),
        ("From now on, I want you to answer in German", "Answer in German"),
        ("from now on call me Bea", "From now on call User Bea"),
    ],
)
def test_what_the_agent_shall_do_from_now_on_stays_an_instruction(text: str, retained: str) -> None:
    assert kept_habits(text) == [retained]


@each_row(
    ("text", "retained"),
    [
        (
            "Actually, I work at Zaha Hadid now, not at Foster.",
            "User works at Zaha Hadid now, not at Foster",
        ),
        ("no, I'm at Siemens now", "User is at Siemens now"),
        ("no, I'm at Siemens now, not Bosch", "User is at Siemens now, not Bosch"),
        ("wait, I live in Lund now", "User lives in Lund now"),
        ("correction: my sister's name is Ana, not Anna", "User's sister's name is Ana, not Anna"),
        ("No, my birthday is on 5 May, not 4 May.", "User's birthday is on 5 May, not 4 May"),
    ],
)
def test_who_sets_right_where_they_are_now_is_heard(text: str, retained: str) -> None:
    assert kept_habits(text) == [retained]
