"""One statement for a group of archived facts, by rule."""

import random
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.provider import RULES, Noted
from memories.providers.llm.rules.insight import insight


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


NGINX = [
    Noted(1, "Nginx needs a restart after certificate renewal.", subject="nginx", said_at=day("2025-03-02")),
    Noted(2, "A restart of nginx takes 4 seconds", subject="nginx", said_at=day("2025-04-02")),
    Noted(3, "A reload did not pick up the renewed certificate", subject="nginx", said_at=day("2025-05-02")),
    Noted(4, "The nginx restart dropped 12 connections", subject="nginx", said_at=day("2025-06-02")),
    Noted(5, "Renewal of the certificate is on the first Monday", subject="nginx", said_at=day("2025-06-20")),
]
STATEMENT = "Nginx needs a restart after certificate renewal"


def test_the_most_central_statement_and_how_many_there_were() -> None:
    written = insight(NGINX, 500)
    assert written.text == f"{STATEMENT} (one of 5 notes on nginx, 2025-03 to 2025-06)"
    assert written.made_by == RULES


def test_where_the_whole_note_does_not_fit_a_shorter_statement_is_told_with_it() -> None:
    assert insight(NGINX, 82).text == "A restart of nginx takes 4 seconds (one of 5 notes on nginx, 2025-03 to 2025-06)"


def test_where_no_statement_fits_with_its_note_the_note_is_shortened_and_then_left_out() -> None:
    assert insight(NGINX, 60).text == "A restart of nginx takes 4 seconds (one of 5 notes on nginx)"
    assert insight(NGINX, 52).text == "A restart of nginx takes 4 seconds (one of 5 notes)"
    assert insight(NGINX, 40).text == "The nginx restart dropped 12 connections"
    assert insight(NGINX, 20).text == "Nginx needs a…"


def test_one_fact_is_told_as_it_is() -> None:
    assert insight(NGINX[:1], 500).text == "Nginx needs a restart after certificate renewal."


def test_without_facts_there_is_nothing_to_say() -> None:
    assert insight([], 500).text == ""
    assert insight([Noted(1, "\0 \n")], 500).text == ""


def test_one_month_is_no_range_and_no_date_is_no_month() -> None:
    facts = [replace(fact, said_at=day("2025-03-09")) for fact in NGINX]
    assert insight(facts, 500).text.endswith("(one of 5 notes on nginx, 2025-03)")
    facts = [replace(fact, said_at=None) for fact in NGINX]
    assert insight(facts, 500).text.endswith("(one of 5 notes on nginx)")


def test_what_they_are_about_is_their_subject_else_their_category_else_unsaid() -> None:
    bare = [replace(fact, said_at=None, subject=str(fact.number)) for fact in NGINX]
    assert insight(bare, 500).text.endswith("(one of 5 notes)")
    work = [replace(fact, category="work") for fact in bare]
    assert insight(work, 500).text.endswith("(one of 5 notes on work)")


def test_languages_without_spaces_have_a_centre_too() -> None:
    facts = [Noted(1, "犬が好きです"), Noted(2, "東京に住んでいます"), Noted(3, "東京の会社に住んでいます")]
    assert insight(facts, 500).text.startswith("東京に住んでいます")


@settings(max_examples=80)
@given(
    st.lists(st.builds(Noted, number=st.integers(0, 9), content=st.text(max_size=80)), max_size=8),
    st.integers(-3, 120),
    st.randoms(use_true_random=False),
)
def test_any_group_in_any_order_gives_one_line_that_fits(facts: list[Noted], most: int, rnd: random.Random) -> None:
    text = insight(facts, most).text
    shuffled = list(facts)
    rnd.shuffle(shuffled)
    assert insight(shuffled, most).text == text
    assert len(text) <= max(most, 0)
    assert "\n" not in text
