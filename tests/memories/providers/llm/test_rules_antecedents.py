"""What a pronoun means, told by what was said before it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.rules.antecedents import Antecedents
from memories.providers.llm.rules.mentions import read_mentions
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


@each_row("said", ["I spoke to Anna", "I met Anna", "I wrote to Anna", "I talked with Anna"])
def test_whom_somebody_spoke_to_is_meant_before_who_was_named_earlier(said: str) -> None:
    assert resolve("my wife is vegan", said, "she is my new boss") == "Anna is my new boss"


@each_row(
    "said",
    [
        "vlan 20 is for cameras only, don't put phones in it",
        "the door code is redacted, please don't store it",
        "the attic is wet, never put boxes into it",
    ],
)
def test_what_is_ordered_behind_a_statement_is_of_nothing_said_before(said: str) -> None:
    assert resolve("the serial of the switch is on the lid", said) == said


@each_row(
    ("clauses", "meant"),
    [
        (("My daughter Emma is 7", "Emma has swimming", "I pick her up at 3"), "I pick Emma up at 3"),
        (("My daughter Emma is 7", "I drop her off at 8"), "I drop my daughter Emma off at 8"),
        (("My mum lives in Graz", "I visit her every Sunday"), "I visit my mum every Sunday"),
        (("My daughter Emma is 7", "My son Tom is 4", "Tom has football", "I pick her up at 3"),
         "I pick my daughter Emma up at 3"),
    ],
)  # fmt: skip
def test_whom_somebody_fetches_or_visits_is_named(clauses: tuple[str, ...], meant: str) -> None:
    assert resolve(*clauses) == meant


@each_row(
    "clauses",
    [
        ("I pick her up at 3",),
        ("My son Tom is 4", "I pick her up at 3"),
        ("My daughter Emma is 7", "My wife Anna works nights", "I pick her up at 3"),
        ("My daughter Emma is 7", "I take her bike to the shop"),
        ("My daughter Emma is 7", "I bought her a bike"),
        ("My daughter Emma is 7", "I take Emma to school and pick her up at 3"),
    ],
)
def test_who_is_fetched_stays_open_where_nobody_or_more_than_one_fits(clauses: tuple[str, ...]) -> None:
    assert resolve("the weather is fine", *clauses) == clauses[-1]


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
    said = "the runbook says restart checkout-api first, but never restart it at night"
    assert resolve("fixed by adding the index", said) == said


def test_a_title_is_no_name_and_belongs_to_one() -> None:
    said = "my professor Dr. van Dijk is strict"
    assert resolve(said, "she wants IEEE style") == "my professor Dr. van Dijk wants IEEE style"
    assert resolve("Mia's teacher, Mr. Brandt, called", "Karim is against it") == "Karim is against it"
