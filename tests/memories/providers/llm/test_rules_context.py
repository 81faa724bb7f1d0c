"""What a pronoun means, told by what was said before it."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.language.extract.answers import join_answer, read_question
from memories.language.extract.clauses import strip_leads
from memories.language.extract.conversation import weigh_ours
from memories.language.extract.coreference import Antecedents
from memories.language.extract.mentions import name_then, name_there, read_mentions, stands_alone
from memories.language.extract.prose import is_empty, is_offer, mend_slip
from memories.language.messages import ASSISTANT, USER, Message
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules import RulesProvider
from memories.providers.llm.rules.extraction import extract
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of


def resolve(*clauses: str) -> str:
    """The last clause after all before it were heard; those that begin with "A: " are the assistant's."""
    heard = Antecedents()
    for clause in clauses[:-1]:
        heard.note(clause.removeprefix("A: "), by_user=not clause.startswith("A: "))
    return heard.resolve(clauses[-1], clauses[-2]).text


@each_row(
    ("clauses", "meant"),
    [
        (("our nightly backup took long", "it starts at 1"), "our nightly backup starts at 1"),
        (("billing's cert is issued by our CA", "A: When does it expire", "it expires in May"),
         "billing's cert expires in May"),
        (("the cert on the broker runs out", "it isn't in ACME"), "the cert on the broker isn't in ACME"),
        (("we use Postgres", "it runs on db-1"), "Postgres runs on db-1"),
        (("I bought a van", "it's red"), "the van is red"),
        (("please drain worker-12", "its fan is broken"), "worker-12's fan is broken"),
        (("the end-to-end tests take 4 minutes", "they share one database"),
         "the end-to-end tests share one database"),
        (("the twins are six", "they start school in May"), "the twins start school in May"),
        (("the next board meeting is on Monday", "they want to see numbers"), "the board want to see numbers"),
        (("push it to reg.int:5050", "that's our registry"), "reg.int:5050 is our registry"),
        (("what's a churn rate", "ours was 4 percent"), "our churn rate was 4 percent"),
        (("arm builds are on GitHub's runners", "ours are x86 only"), "our runners are x86 only"),
        (("a nice change", "the builds are slow", "ours are slower"), "our builds are slower"),
        (("we deploy with Argo except for the shop", "that one is still on Jenkins"), "the shop is still on Jenkins"),
        (("my wife is away", "two weeks today she has surgery"), "two weeks today my wife has surgery"),
        (("can you write to our accountant", "her name is Sofia"), "our accountant's name is Sofia"),
        (("our cleaner Rosa comes on Tuesdays", "she can't have bleach"), "our cleaner Rosa can't have bleach"),
        (("turns out it's Henrik", "he approves on Mondays"), "Henrik approves on Mondays"),
        (("our server is slow", "she knows Ann"), "she knows Ann"),
        (("A: Is your car insured", "it is a Skoda"), "my car is a Skoda"),
        (("A: Will she need a vet in Dunbar", "her name's Biscuit"), "her name's Biscuit"),
        (("her name's Rita", "she's from Braga", "she's strict"), "Rita is strict"),
        (("I have lessons on Wednesdays", "she's strict"), "she's strict"),
        (("our parser is slow", "thanks Claude", "it's fixed"), "our parser is fixed"),
        (("thanks so much, Gina", "it has been tough"), "it has been tough"),
        (("our parser is slow", "A: No rush", "it's for Acme"), "our parser is for Acme"),
        (("start by reading services/billing", "that's the mess"), "services/billing is the mess"),
        (("last time my voice died", "it was hoarse"), "my voice was hoarse"),
        (("one moment, the export's being slow", "it needs an index"), "the export needs an index"),
        (("I know a good accountant in Bristol", "mine's retiring"), "my accountant is retiring"),
        (("we take my dad's car", "A: Good plan", "it's a diesel"), "my dad's car is a diesel"),
        (("we paid for the flat", "the landlord is a pain", "it is on the third floor"),
         "the flat is on the third floor"),
        (("we sold the car", "Ema is four", "it was rusty"), "the car was rusty"),
        (("the party is at the Gasthof Adler in Lindau", "it is booked"), "the party is booked"),
        (("they eat at the Gasthof Adler in Lindau", "it is booked"), "the Gasthof Adler is booked"),
        (("we move to BigQuery in Q3", "it costs less"), "BigQuery costs less"),
        (("we feed her Royal Canin", "it is expensive"), "Royal Canin is expensive"),
        (("our broker is old", "IT is run by Rob"), "IT is run by Rob"),
    ],
)  # fmt: skip
def test_a_pronoun_that_opens_a_clause_is_named(clauses: tuple[str, ...], meant: str) -> None:
    assert resolve(*clauses).lower() == meant.lower()


@each_row(
    ("clauses", "meant"),
    [
        (("billing's cert expires in May", "Ann renews it by hand"), "Ann renews billing's cert by hand"),
        (("the old box is loud", "we switched that off"), "we switched the old box off"),
        (("mom comes home", "my brother Tom stays with her for a week"), "my brother Tom stays with mom for a week"),
        (("my wife left", "I bought a bike for her birthday"), "I bought a bike for her birthday"),
        (("Ben lives in Rome", "Tom lives in Graz", "I work with him"), "I work with him"),
        (
            ("the wires hang in the hall", "A: You could use powerline adapters", "tried that, no luck"),
            "tried the powerline adapters, no luck",
        ),
        (("the old box is loud", "I bought a fan and like it"), "I bought a fan and like it"),
        (("the old box is loud", "keep it short"), "keep it short"),
        (("fct_orders", "Tomasz wrote it"), "Tomasz wrote fct_orders"),
    ],
)
def test_a_thing_behind_the_verb_is_named_where_the_clause_names_no_other(clauses: tuple[str, ...], meant: str) -> None:
    assert resolve(*clauses) == meant


@each_row_of("rules_antecedents")
def test_what_points_to_nothing_stays(said: str) -> None:
    heard = Antecedents()
    heard.note("the backup failed")
    resolved = heard.resolve(said)
    assert resolved.text == said
    assert not resolved.is_whole


def test_two_pronouns_of_one_clause_are_two_things() -> None:
    heard = Antecedents()
    heard.note("the machine is old")
    resolved = heard.resolve("it needs it every month")
    assert (resolved.text, resolved.is_whole) == ("the machine needs it every month", False)


def test_what_was_said_long_ago_is_not_meant_any_more() -> None:
    assert resolve("the backup failed", "I ate", "I slept", "I ran", "I sang", "it hurts") == "it hurts"


@each_row(
    ("clause", "things"),
    [
        ("the form asks for a tax number", ["the form", "the tax number"]),
        ("farmers wait 14 days for their money", ["the farmers", "their money"]),
        ("cracked filling", ["the cracked filling"]),
        ("I got up at six on Monday", []),
        ("nobody came", []),
    ],
)
def test_the_things_of_a_clause(clause: str, things: list[str]) -> None:
    assert [mention.text.lower() for mention in read_mentions(clause)] == [thing.lower() for thing in things]


@settings(max_examples=200)
@given(
    st.lists(
        st.text(max_size=60) | st.sampled_from(["it is", "they", "the cat's", "ours is", "that's the"]), min_size=2
    )
)
def test_any_clauses_can_be_heard(clauses: list[str]) -> None:
    assert isinstance(resolve(*clauses), str)


@each_row("text", ["I spoke to Anna", "I met Anna", "I wrote to Anna", "I talked with Anna"])
def test_whom_somebody_spoke_to_is_meant_before_who_was_named_earlier(text: str) -> None:
    assert resolve("my wife is vegan", text, "she is my new boss") == "Anna is my new boss"


@each_row(
    "text",
    [
        "vlan 20 is for cameras only, don't put phones in it",
        "the door code is redacted, please don't store it",
        "the attic is wet, never put boxes into it",
    ],
)
def test_what_is_ordered_behind_a_statement_is_of_nothing_said_before(text: str) -> None:
    assert resolve("the serial of the switch is on the lid", text) == text


@each_row(
    ("clauses", "meant"),
    [
        (("stop adding emojis to the commit messages", "we run it with xdist"), "we run it with xdist"),
        (("maybe we'll get a boat next year", "Karim is against it"), "Karim is against the boat"),
        (("the kids love swimming", "Karim is against it"), "Karim is against it"),
        (("fixed by adding the index concurrently", "we tested it twice"), "we tested the index twice"),
        (("we restart nginx every night", "it takes 3 minutes"), "it takes 3 minutes"),
        (("my daughter isn't lactose intolerant", "Jonas isn't vegan", "it was a bug"), "it was a bug"),
    ],
)
def test_what_is_called_something_is_no_verb_time_or_manner(clauses: tuple[str, ...], meant: str) -> None:
    assert resolve(*clauses) == meant


@each_row(
    "clauses",
    [
        ("we're not using kubernetes for checkout", "it's plain nomad"),
        ("I'm not taking metformin anymore", "I got stomach problems", "it's sitagliptin now"),
    ],
)
def test_what_is_named_in_one_plain_word_since_leaves_in_doubt_what_is_meant(clauses: tuple[str, ...]) -> None:
    assert resolve("the eye exam is on Monday", *clauses) == clauses[-1]


def test_what_is_named_in_the_sentence_itself_is_meant_before_what_was_said_earlier() -> None:
    text = "the runbook says restart checkout-api first, but never restart it at night"
    assert resolve("fixed by adding the index", text) == text


def test_a_title_is_no_name_and_belongs_to_one() -> None:
    text = "my professor Dr. van Dijk is strict"
    assert resolve(text, "she wants IEEE style") == "my professor Dr. van Dijk wants IEEE style"
    assert resolve("Mia's teacher, Mr. Brandt, called", "Karim is against it") == "Karim is against it"


WEDNESDAY = datetime(2026, 10, 14, 9, tzinfo=UTC)
AT_WORK = (
    "our deploy pipeline is on Jenkins, my team wants to move",
    "I had a meeting with my manager about the server budget for the API cluster",
)
AT_HOME = ("my wife and I have two kids and a cat", "the landlord raised the rent for the flat")


def said_after(before: tuple[str, ...], text: str) -> list[str]:
    messages = tuple(Message("user", item) for item in before)
    return [fact.content for fact in extract(Chunk((Message("user", text),), WEDNESDAY, messages), Setting())]


@each_row_of("rules_ours")
def test_what_is_of_a_home_is_the_users_where_work_is_talked_about(said: str, kept: str) -> None:
    assert said_after(AT_WORK, said) == [kept]


@each_row(
    ("text", "retained"),
    [
        ("our standup is at 9:45", "The team's standup is at 9:45"),
        ("our CTO is Marta", "The team's CTO is Marta"),
        ("our rent collection service is written in Go", "The team's rent collection service is written in Go"),
        ("our cat is called Miso", "User's cat is called Miso"),
        ("our NAS runs TrueNAS 24", "User's NAS runs TrueNAS 24"),
    ],
)
def test_what_is_of_work_is_the_teams_where_home_is_talked_about(text: str, retained: str) -> None:
    assert said_after(AT_HOME, text) == [retained]


def test_who_hopes_for_a_job_speaks_of_no_team() -> None:
    before = ("I have an interview at Zalando on Wednesday",)
    assert said_after(before, "we have time after 8") == ["User has time after 8"]


@each_row("text", ["", "our", "our 's", "our of", "it is our", "we", "our - our"])
def test_what_says_nothing_is_answered(text: str) -> None:
    assert weigh_ours(text) == 0


MOVED = "User moved to Malmö"


@each_row("before", [(), AT_WORK])
@each_row_of("rules_ours")
def test_what_a_household_does_is_the_users_whyever_it_does_so(before: tuple[str, ...], said: str, kept: str) -> None:
    assert said_after(before, said) == [kept]


@each_row(
    ("text", "retained"),
    [
        (
            "We left Berlin because Erik got a new job.",
            "User left Berlin because Erik got a new job",
        ),
        (
            "We had to move to Malmö because Erik got a new job there",
            "User had to move to Malmö because Erik got a new job there",
        ),
        ("We just moved to Seattle for Sam's new job", "User just moved to Seattle for Sam's new job"),
        ("We're moving again because of my job", "User is moving again because of their job"),
        (
            "We bought a second car because Erik's job is in Lund.",
            "User bought a second car because Erik's job is in Lund",
        ),
    ],
)
def test_what_ones_own_job_leads_to_is_no_teams_doing(text: str, retained: str) -> None:
    assert said_after((), text) == [retained]


def test_a_job_that_a_server_runs_is_a_teams() -> None:
    text = "We moved the backup job to Mondays because the nightly job was slow"
    assert said_after((), text) == ["The team moved the backup job to Mondays because the nightly job was slow"]


def test_somebodys_job_in_the_next_sentence_makes_no_team() -> None:
    assert said_after((), "We moved to Malmö. Erik got a new job there.")[:1] == [MOVED]
    assert said_after((), "Erik got a new job, so we moved to Malmö.")[-1:] == [MOVED]


@each_row_of("rules_ours")
def test_what_a_team_moves_stays_the_teams(said: str, kept: str) -> None:
    assert said_after((), said) == [kept]


def test_a_team_that_talks_of_its_servers_moves_with_them() -> None:
    text = "Our servers were in Ireland. We moved to Frankfurt last year."
    assert said_after((), text)[-1] == "The team moved to Frankfurt in 2025"


@each_row("piece", ["we moved to ", "we just ", "we bought a new ", "our "])
def test_who_we_are_takes_as_long_to_know_as_the_text_is_long(piece: str) -> None:
    assert_linear(weigh_ours, repeated(piece), 20_000)


NOW = datetime(2026, 10, 12, 9, tzinfo=UTC)


def contents(*turns: str) -> list[str]:
    """Facts of a talk; what begins with "A: " is the assistant's."""
    messages = tuple(
        Message(ASSISTANT if turn.startswith("A: ") else USER, turn.removeprefix("A: "), NOW) for turn in turns
    )
    return [fact.content for fact in RulesProvider().extract(Chunk(messages, NOW), Setting())]


@each_row("text", ["I'm at work", "I'm at home with a cold", "I was at lunch with Tom"])
def test_where_somebody_just_is_is_no_fact(text: str) -> None:
    assert contents(text) == []


def test_at_whose_somebody_works_is_one() -> None:
    assert contents("I'm at Siemens") == ["User is at Siemens"]


@each_row_of("rules_standing")
def test_what_lacks_its_matter_does_not_stand_alone(text: str) -> None:
    assert not stands_alone(text)


@each_row_of("rules_standing")
def test_what_has_matter_stands_alone(text: str) -> None:
    assert stands_alone(text)


@each_row(
    ("clause", "previous", "named"),
    [
        ("never put appointments there", "We ship on the first Monday", "never put appointments on the first Monday"),
        ("we go there every summer", "We have a cabin in Norway", "we go to Norway every summer"),
        ("it runs there", "The box hangs near the door", "it runs near the door"),
        ("there is a spare", "The key is in the drawer", "there is a spare"),
        ("I met Ann in Oslo and stayed there", "We live in Graz", "I met Ann in Oslo and stayed there"),
        ("we keep logs there", "Alerts start at 90 %", "we keep logs there"),
        ("Emil starts there", "My son needs a lunch", "Emil starts there"),
    ],
)
def test_there_is_what_the_clause_before_ends_with(clause: str, previous: str, named: str) -> None:
    assert name_there(clause, previous) == named


@each_row(
    ("clause", "previous", "named"),
    [
        ("Priya stands in until then", "I move on the 1st of December", "Priya stands in until the 1st of December"),
        ("I pick up the kids then", "no calls on Wednesday afternoons", "I pick up the kids on Wednesday afternoons"),
        ("it must be done by then", "we ship on Friday", "it must be done by Friday"),
        ("we stay home then", "it rains in Graz", "we stay home then"),
        ("if it rains then we stay", "we meet on Friday", "if it rains then we stay"),
    ],
)
def test_then_is_the_day_that_the_clause_before_ends_with(clause: str, previous: str, named: str) -> None:
    assert name_then(clause, previous) == named


def test_until_then_is_no_day_where_none_was_named() -> None:
    assert contents("We move to the new storage soon. Don't touch the retention until then.") == []
    assert "Priya covers User's shift until 1 December 2026" in contents(
        "I start at the bank on the 1st of December. Priya covers my shift until then."
    )


def test_who_was_not_named_does_nothing() -> None:
    tutored = "I'm learning Portuguese with a tutor, Ines, Thursdays at 18:30 on Zoom."
    assert len(contents(f"{tutored} She told me in September that B1 is realistic by summer")) == 1
    assert contents("Our cleaner Rosa can't have bleach, it gives her headaches.") == [
        "User's cleaner Rosa can't have bleach"
    ]


def test_that_one_begins_a_clause() -> None:
    text = contents("Deploys go through ArgoCD except for the billing service, that one is still on Jenkins.")
    assert "The billing service is still on Jenkins" in text


def test_an_instruction_says_where() -> None:
    text = "We ship the invoice service on the first Monday of every month, so never put appointments there."
    assert "Never put appointments on the first Monday of every month" in contents(text)
    assert contents("Never put appointments there.") == []


def test_fragments_of_talk_are_no_facts() -> None:
    talk = ("A: Three runs a week to begin with?", "Three is good. Mornings only, never after work.")
    assert contents("I signed up for the half marathon in April.", *talk) == [
        "User signed up for the half marathon in April 2027"
    ]
    assert contents("Can we move the choir to Tuesday?", "A: Moved to Tuesdays at 19:00.") == []
    assert contents("I don't eat pork. My husband does though.") == ["User does not eat pork"]


def test_a_guess_or_a_farewell_is_no_more_of_the_clause_before() -> None:
    text = "My wife hates surprises. Maybe a weekend in Vienna. Good night!"
    assert contents(text) == ["User's wife hates surprises"]


@each_row(
    ("text", "bare"),
    [
        ("Before we start: keep your answers short", "keep your answers short"),
        ("quick one before I forget: my landlord is Pavel", "my landlord is Pavel"),
        ("after 9, 8 is ok", "after 9, 8 is ok"),
        ("we ship on Mondays, ok", "we ship on Mondays"),
    ],
)
def test_only_what_wraps_a_statement_is_taken_off(text: str, bare: str) -> None:
    assert strip_leads(text).text == bare


@each_row(
    ("talk", "retained"),
    [
        # Who asks which one names nothing.
        (
            ("The ingress needs annotations.", "A: Which ones?", "ingress.kubernetes.io/proxy-body-size, at 50m."),
            "ingress.kubernetes.io/proxy-body-size, at 50m",
        ),
        (
            ("It is set to 30 in staging.", "A: What is?", "The connection pool size."),
            "",
        ),
        # What a joke asks, it asks nobody.
        (("Tell me a joke.", "A: Why did the owl win? It was outstanding.", "Haha, three out of ten."), ""),
        (
            ("My passport expires in May, so I need to renew it before the trip to Japan.",),
            "User needs to renew their passport before the trip to Japan",
        ),
        (("The blue folder has the tax papers, the red one is insurance.", "A: Noted."), "The red folder is insurance"),
        (
            ("I'm color blind, so charts in red and green don't work for me.",),
            "User is color blind, so charts in red and green don't work for User",
        ),
        (("I became head of billing last month.",), "User became head of billing in September 2026"),
        (("prod-db-2 is the replica, never write to it.",), "prod-db-2 is the replica, never write to it"),
    ],
)  # fmt: skip
def test_what_is_kept_says_what_was_meant(talk: tuple[str, ...], retained: str) -> None:
    result = contents(*talk)
    assert retained in result if retained else not [item for item in result if item.startswith(("The owl", "The is"))]


def test_a_courtesy_is_nothing_that_could_be_meant() -> None:
    assert "Sorry" not in [mention.text for mention in read_mentions("Sorry, oat milk")]


@each_row_of("rules_answers")
def test_answers_of_time_place_and_manner(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@each_row_of("rules_answers")
def test_answers_of_amount_and_choice(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@each_row(
    ("question", "answer", "statement"),
    [
        ("Who owns billing?", "Fatima", "Fatima owns billing"),
        ("Who's on the board?", "Rui and Mrs Castro", "Rui and Mrs Castro are on the board"),
        ("Who has that role?", "the 40 people on the waitlist", "the 40 people on the waitlist has that role"),
        ("Which team owns it?", "payments", "The team that owns it is payments"),
        ("What drives it, do you know?", "Late payouts", "Late payouts drive it"),
    ],
)
def test_answers_that_are_the_subject(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@each_row_of("rules_answers")
def test_answers_to_yes_or_no(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@each_row(
    ("question", "answer"),
    [
        ("What's your name?", "my cat walked over the keys"),
        ("Why is the import slow?", "it reads the whole table every time"),
        ("For how many people, and is there anything you don't eat?", "four of us"),
        ("Did they play the hits?", "all of them"),
        ("Is there anything left?", "two"),
        ("Electric or petrol?", ""),
    ],
)
def test_where_the_grammar_is_not_certain_there_is_no_statement(question: str, answer: str) -> None:
    assert join_answer(question, answer) == ""


@each_row(
    ("question", "answer", "statement"),
    [
        ("how long does CI take now", "6 minutes 40 seconds", "CI takes 6 minutes 40 seconds"),
        ("where does our deploy run?", "on box-3", "our deploy runs on box-3"),
        ("what's the capital of France?", "Paris", ""),
        ("how long do eggs take?", "8 minutes", ""),
    ],
)
def test_of_what_a_user_asks_only_what_is_theirs_makes_a_statement(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer, by_user=True) == statement


@each_row("question", ["Shall I book it?", "Anything else?", "What happened?", "What should I do next?"])
def test_some_questions_only_ask_what_to_do(question: str) -> None:
    assert is_offer(question)


@each_row("question", ["What should I call you?", "How many kids do you have?", "Is Sam your son?"])
def test_others_ask_for_something_to_keep(question: str) -> None:
    assert not is_offer(question)


def test_an_empty_answer_says_nothing_alone() -> None:
    assert is_empty("yes please")
    assert not is_empty("at night")


def test_the_parts_of_a_question_are_in_the_words_of_who_answers() -> None:
    requested = read_question("Which of your servers do you back up at night?")
    assert requested is None or "your" not in f"{requested.noun} {requested.subject} {requested.rest}"
    requested = read_question("Which editor do you use at home?")
    assert requested
    assert (requested.wh, requested.noun, requested.subject, requested.verb, requested.rest) == (
        "which",
        "editor",
        "I",
        "use",
        "at home",
    )


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            [
                "what",
                "who",
                "is",
                "are",
                "do",
                "you",
                "your",
                "the",
                "my",
                "team",
                "use",
                "when",
                "how",
                "many",
                "kids",
                ",",
                "or",
                "and",
                "n't",
                "5",
                "?",
            ]
        )
    ),
    st.text(max_size=60),
)
def test_any_question_and_answer_can_be_joined(question: list[str], answer: str) -> None:
    assert isinstance(join_answer(" ".join(question), answer), str)
    assert isinstance(join_answer(answer, " ".join(question), by_user=True), str)


def facts(*turns: str) -> list[Fact]:
    """Of a talk; what begins with "A: " is the assistant's."""
    messages = tuple(
        Message(ASSISTANT if turn.startswith("A: ") else USER, turn.removeprefix("A: "), NOW) for turn in turns
    )
    return RulesProvider().extract(Chunk(messages, NOW), Setting())


def kept_of(*turns: str) -> list[str]:
    return [fact.content for fact in facts(*turns)]


@each_row(
    ("turns", "retained"),
    [
        (["when does my contract run out btw", "A: On 31 August 2027."], "User's contract runs out on 31 August 2027"),
        (["When is my rent due?", "A: On the 3rd of each month."], "User's rent is due on the 3rd of each month"),
        (["Put my wife on it too, Selma Brandt.", "A: She'll need a customer password."],
         "User's wife will need a customer password"),
    ],
)  # fmt: skip
def test_what_an_assistant_answers_is_of_the_user_who_asked(turns: list[str], retained: str) -> None:
    assert retained in kept_of(*turns)


@each_row_of("rules_slips")
def test_a_slip_is_mended_where_it_is_made(said: str, meant: str) -> None:
    assert mend_slip(said) == meant


@each_row(
    "text",
    [
        "We use Postgres, no Redis",
        "It runs on port 8080, wait for the healthcheck",
        "I like tea, I mean really like it",
        "I was late, sorry about that",
        "Ask Anna, or rather ask the team",
        "The cake is for Anna, sorry 8",
    ],
)
def test_what_is_no_slip_stays(text: str) -> None:
    assert mend_slip(text) == text


@each_row(
    ("turns", "retained"),
    [
        (["The staging server listens on port 8080. Scratch that, it's 8081."],
         "The staging server listens on port 8081, not 8080"),
        (["My sister is called Anna. I mean Hanna."], "User's sister is called Hanna, not Anna"),
        (["My flight is on Tuesday. No wait, it's on Wednesday."],
         "User's flight is on Wednesday 14 October 2026, not Tuesday 13 October 2026"),
        (["Our standup is on Mondays.", "A: Noted.", "sorry, Tuesdays"],
         "The team's standup is on Tuesdays, not Mondays"),
    ],
)  # fmt: skip
def test_who_takes_back_their_own_words_leaves_one_statement_and_no_lesson(turns: list[str], retained: str) -> None:
    assert [(fact.content, fact.kind == "lesson") for fact in facts(*turns)][-1] == (retained, False)
    assert len(facts(turns[0])) <= 1


@each_row(
    ("turns", "retained"),
    [
        (["A: Your flight is on Tuesday at 8.", "no wait, Wednesday"],
         "User's flight is on Wednesday 14 October 2026 at 8, not Tuesday 13 October 2026"),
        (["A: Noted, the offsite is in Graz.", "no, I meant Linz"], "The offsite is in Linz, not Graz"),
        (["A: The release is on Friday.", "not Friday, Thursday"],
         "The release is on Thursday 15 October 2026, not Friday 16 October 2026"),
        (["A: I painted it red.", "Not the red one. The blue one, please."], "The blue one, not the red one"),
        (["A: I sent it to his office.", "no, not the office, they read everything. the flat, always"],
         "Always the flat, not the office"),
    ],
)  # fmt: skip
def test_who_sets_the_assistant_right_teaches_a_lesson(turns: list[str], retained: str) -> None:
    assert [(fact.content, fact.kind) for fact in facts(*turns)][-1:] == [(retained, "lesson")]


def test_a_no_to_a_question_is_no_correction() -> None:
    (fact,) = facts("A: Do you eat meat?", "no, I'm vegetarian since 2019")
    assert (fact.content, fact.kind == "lesson") == ("User is vegetarian since 2019", False)


@each_row_of("rules_slips")
def test_an_answer_stands_alone_with_what_follows_it(question: str, answer: str, kept: list[str]) -> None:
    assert kept_of(f"A: {question}", answer)[: len(kept) or None] == kept


def test_nobody_answers_themselves() -> None:
    assert kept_of("the column is quality, 0 good 4 missing", "A: ```UPDATE 11822```", "11k ouch")[1:] == []


@each_row(
    ("text", "retained"),
    [
        ("my brother, he lives in Graz", "User's brother lives in Graz"),
        ("mind timescale, the extension has to be on 2.15 before", "Timescale: the extension has to be on 2.15 before"),
        ("the cert on the broker runs out on the 19th, don't let me forget",
         "The cert on the broker runs out on 19 October 2026"),
        ("would turmeric fight with the eltroxin? I'm on 75 mg of it", "User is on 75 mg of the eltroxin"),
    ],
)  # fmt: skip
def test_what_a_statement_is_about_stands_in_it(text: str, retained: str) -> None:
    assert kept_of(text) == [retained]


@each_row(
    ("text", "retained"),
    [
        ("Found it: the test uses the local clock and ci-b has another time zone.",
         "The test uses the local clock and ci-b has another time zone"),
        ("Written: the app fetches /config.json before mount.", "The app fetches /config.json before mount"),
        ("Restore drill finished: 52 minutes, not under 40.", "Restore drill finished: 52 minutes, not under 40"),
        ("Turns out the default features of reqwest were the only thing dragging in openssl-sys.",
         "The default features of reqwest were the only thing dragging in openssl-sys"),
    ],
)  # fmt: skip
def test_what_an_assistant_announces_is_told_without_the_announcement(text: str, retained: str) -> None:
    assert retained in kept_of("why?", f"A: {text}")


@each_row(
    ("turns", "retained"),
    [
        (("deploys are Mondays and Wednesdays now", "wait no, Mondays and Thursdays. sorry"),
         "Deploys are Mondays and Thursdays now, not Mondays and Wednesdays"),
        (("Karim works late on Tuesdays", "I mean Thursdays"), "Karim works late on Thursdays, not Tuesdays"),
        (("the bins go out on Mondays, Wednesdays and Fridays", "no wait, Tuesdays and Fridays"),
         "The bins go out on Tuesdays and Fridays, not Mondays, Wednesdays and Fridays"),
        (("Emma swims on Mondays", "sorry, Mondays and Fridays"), "Emma swims on Mondays and Fridays"),
    ],
)  # fmt: skip
def test_days_that_come_round_are_taken_back_together(turns: tuple[str, ...], retained: str) -> None:
    assert kept_of(*turns) == [retained]
