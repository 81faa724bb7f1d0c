"""A day, a time, a number or a limit that is added is kept; said in other words it is no addition."""

from __future__ import annotations

import pytest

from memories.text.relate import Relation, relate
from memories.text.relate.features import lay_side_by_side
from memories.text.relate.values import find_added_values

COSINES = (None, 0.85, 0.95)


@pytest.mark.parametrize("similarity", COSINES)
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        # Another day or month
        ("User goes to the gym on Mondays", "User goes to the gym on Mondays and Wednesdays"),
        ("User works from home on Fridays", "User works from home on Thursdays and Fridays"),
        ("The site was down on Friday", "The site was down on Friday and Saturday"),
        ("The office is closed in July", "The office is closed in July and August"),
        ("Paternity leave runs in April", "Paternity leave runs in April and May"),
        ("The pool is closed in January", "In January and February the pool is closed"),
        ("User visits the parents in December", "User visits the parents in June and December"),
        ("Payroll runs on the 15th", "Payroll runs on the 15th and the 30th"),
        ("Anna works on Mondays", "Anna works on Mondays, Tuesdays and Fridays"),
        # Another time
        ("User takes the pill at 8", "User takes the pill at 8 and 20"),
        ("The cron job runs at 3 am", "The cron job runs at 3 am and 3 pm"),
        ("The nightly export runs at 02:00", "The nightly export runs at 02:00 and 14:00"),
        ("User jogs in the morning", "User jogs in the morning and in the evening"),
        ("The alarm rings at 6", "The alarm rings at 6 and 6:30"),
        # Another number
        ("The meeting is in room 4", "The meeting is in rooms 4 and 5"),
        ("The load balancer listens on port 80", "The load balancer listens on ports 80 and 443"),
        ("Nodes 1 and 2 are in Frankfurt", "Nodes 1, 2 and 3 are in Frankfurt"),
        ("Version 2.1 is supported", "Versions 2.1 and 2.2 are supported"),
        # Which of them, and how often
        ("The job runs every Monday", "The job runs every second Monday"),
        ("The bins are collected on Tuesdays", "The bins are collected every other Tuesday"),
        ("The market takes place on Saturdays", "The market takes place on the first Saturday of every month"),
        ("Retro is held on Thursdays", "Retro is held on the last Thursday of the month"),
        ("User takes ibuprofen 400 mg", "User takes ibuprofen 400 mg twice a day"),
        ("User pays 20 euros for the gym", "User pays 20 euros for the gym every month"),
        # A limit, and when exactly
        ("User is free on Thursdays", "User is free on Thursdays after 4 pm"),
        ("User is available on Mondays", "User is available on Mondays until 11:00"),
        ("User can take calls on weekdays", "User can take calls on weekdays between 9 and 11 am"),
        ("Deploys happen on Tuesdays", "Deploys happen on Tuesdays at 10:00"),
        ("Maintenance is on Sunday night", "Maintenance is on Sunday night at 2 am"),
        ("The bakery is closed on Mondays", "The bakery is closed on Mondays in July"),
        ("User's birthday is in May", "User's birthday is on May 12"),
        ("The backup is kept", "The backup is kept for 30 days"),
        ("Uploads are allowed", "Uploads are allowed up to 20 MB"),
    ],
)
def test_what_is_added_says_more(existing: str, new: str, similarity: float | None) -> None:
    verdict = relate(existing, new, similarity)
    assert (verdict.relation, verdict.reason[:10]) == (Relation.ELABORATES, "says more:"), verdict


@pytest.mark.parametrize("similarity", [None, 0.9])
@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("The service takes 60 s to start", "The service starts in a minute"),
        ("User goes to the gym on Mondays", "User goes to the gym every Monday"),
        ("User goes to the gym on Mondays and Wednesdays", "User goes to the gym on Wednesdays and Mondays"),
        ("The museum is closed on Mondays", "The museum is closed every Monday"),
        ("The shop is open from Monday to Friday", "The shop is open on weekdays"),
        ("The shop is open on weekdays", "The shop is open from Monday to Friday"),
        ("The office is closed on weekends", "The office is closed on Saturday and Sunday"),
        ("User gives lessons on Tuesday evenings", "User gives lessons on Tuesdays in the evening"),
        ("The standup is at 9", "The standup is at 9 am"),
        ("The standup is at 9 am", "The standup is at 9"),
        ("The standup is at 9", "The standup is at 9:00"),
        ("The standup is at 9", "The standup is at 9 in the morning"),
        ("The call is at 3 pm", "The call is at 3 in the afternoon"),
        ("The alarm rings at midnight", "The alarm rings at 00:00"),
        ("User takes the pill at 8 and 20", "User takes the pill at 8:00 and 20:00"),
        ("The exam is on the 5th of May", "The exam is on May 5"),
        ("The trial ends on 1 June", "The trial ends on June 1"),
        ("The bot posts at 9", "The bot posts at 9 o'clock"),
        ("The exam is on 2026-05-05", "The exam is on 5 May 2026"),
        ("The thesis is due by the end of March", "The thesis is due by March 31"),
        ("Blocklists are updated every Sunday", "Blocklists are updated weekly on Sundays"),
        ("Backups run at 2 am", "Backups run nightly at 02:00"),
        ("The retro is on the first Monday of the month", "The retro is on the 1st Monday of every month"),
        ("The sync runs every 12 hours", "The sync runs twice a day"),
        ("The sync runs every two weeks", "The sync runs every second week"),
        ("Logs are kept for 14 days", "Logs are deleted after two weeks"),
        ("User drinks two cups of coffee a day", "User drinks 2 cups of coffee per day"),
        ("The budget is 5,000 euros", "The budget is €5000"),
        ("The heap is limited to 2 GB", "The heap is limited to 2000 MB"),
        ("The server has 64 GB of RAM", "The server has 64 GB RAM"),
        ("User takes 400 mg of ibuprofen", "User takes ibuprofen 400 mg"),
    ],
)
def test_what_is_told_in_other_words_is_the_same(existing: str, new: str, similarity: float | None) -> None:
    assert relate(existing, new, similarity).relation is Relation.SAME


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User goes to the gym on Mondays and Wednesdays", "User goes to the gym on Mondays"),
        ("The office is closed in July and August", "The office is closed in July"),
        ("User is free on Thursdays after 4 pm", "User is free on Thursdays"),
        ("The meeting is in rooms 4 and 5", "The meeting is in room 4"),
    ],
)
def test_who_says_less_adds_nothing(existing: str, new: str) -> None:
    assert relate(existing, new, 0.95).relation is Relation.SAME


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("User goes climbing on Tuesdays", "On Tuesdays the user goes climbing with Jonas"),
        ("The design review is run by the team lead", "Design reviews are led by Priya"),
        ("Backups of the shop are stored offsite", "Offsite storage in Hetzner keeps the backups of the shop"),
        ("Invoices are approved by finance", "Finance (Petra) approves invoices"),
    ],
)
def test_a_name_is_not_lost(existing: str, new: str) -> None:
    for similarity in (None, 0.85, 0.95):
        assert relate(existing, new, similarity).relation is Relation.DIFFERENT
        # Who names nobody adds nothing.
        assert relate(new, existing, similarity).relation is Relation.SAME


@pytest.mark.parametrize(
    ("existing", "new", "added"),
    [
        ("Closed in July", "Closed in July and August", (["august"], True)),
        ("Closed on weekends", "Closed on Saturdays", (["saturdays"], False)),
        ("Closed on Saturdays", "Closed on weekends", (["weekends"], False)),
        ("Closed on Saturdays and Sundays", "Closed on weekends", ([], True)),
        ("Runs at 8", "Runs on Mondays", ([], False)),
        ("Runs at 8", "Runs on Mondays and Tuesdays", (["mondays", "tuesdays"], False)),
        ("Free until 4 pm", "Free until 4", ([], True)),
        ("The office closes before noon", "The office closes before 12", ([], True)),
        ("Renewed by hand every March", "Renewed by hand each year in March", ([], True)),
        ("Has a brother", "Has one brother", ([], True)),
        ("Runs on Friday", "Ran last Friday", ([], True)),
    ],
)
def test_only_what_is_beyond_the_other_is_added(existing: str, new: str, added: tuple[list[str], bool]) -> None:
    assert find_added_values(lay_side_by_side(existing, new, "")) == added
