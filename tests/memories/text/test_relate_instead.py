"""What says itself that something is in the place of another is at odds with what tells of the other."""

from __future__ import annotations

import pytest

from memories.text.relate import Relation, relate
from memories.text.relate.instead import find_other_role, find_replaced
from tests.growth import assert_linear, repeated

FOSTER = "User works as an architect at Foster in London, remotely"
NOW = "User works at Zaha Hadid now, not at Foster"


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        (FOSTER, NOW),
        (FOSTER, "User now works for Zaha Hadid instead of Foster"),
        (FOSTER, "User no longer works at Foster but at Zaha Hadid"),
        (FOSTER, "User does not work at Foster but at Zaha Hadid"),
        (FOSTER, "User works at Zaha Hadid in Rome now, no longer at Foster"),
        ("User is an architect at Foster", "User is an architect at Arup, not at Foster"),
        ("User's sister's name is Anna", "User's sister's name is Ana, not Anna"),
        ("User's sister is called Anna", "User's sister's name is Ana, not Anna"),
        ("User has a sister called Anna, who is a nurse", "User's sister's name is Ana, not Anna"),
        ("User's dog is called Max", "User's dog is not called Max but Rex"),
        ("The meeting is on Wednesday at 3pm", "The meeting is on Thursday, not on Wednesday"),
        (
            "The meeting is on Wednesday 7 October 2026 at 3pm",
            "The meeting is on Thursday 8 October 2026, not Wednesday 7 October 2026",
        ),
        ("The meeting is on Wednesday", "The meeting is not on Wednesday but on Thursday"),
        ("The meeting is on Wednesday 7 October", "The meeting is on Thursday, not Wednesday"),
        ("User uses npm for the frontend", "User uses pnpm, not npm"),
        ("The team uses npm", "The team uses pnpm instead of npm"),
        ("User lives in Graz with Anna", "User lives in Linz now, not in Graz"),
        ("User studies at TU Wien", "User studies at ETH Zurich, no longer at TU Wien"),
        ("User drives a Volvo", "User drives a Tesla now, not the Volvo"),
        ("User's favourite colour is red", "User's favourite colour is blue, not red"),
        ("User has a cat", "User has a dog, not a cat"),
        ("User's brother works for Acme", "User's brother works for Initech, not Acme"),
        ("User reports to Anna", "User reports to Ben now, not to Anna"),
        ("The deadline is Thursday", "The deadline is Friday, not Thursday"),
        ("The service runs on port 8080", "The service runs on port 9090, not on port 8080"),
        ("User works for Acme", "User works for Initech since May, not for Acme any more"),
        ("User works at Acme", "User works at Initech these days, not at Acme"),
        ("User is employed at Foster as an architect", NOW),
        ("User works at Foster, remotely", "User no longer works at Foster, but at Arup"),
        ("User's school is TU Wien", "User's school is ETH, not TU Wien"),
        ("User's home is in Graz", "User's home is in Linz, not in Graz"),
        ("The stand-up is at 9:30", "The stand-up is at 10:00, not at 9:30"),
        ("The stand-up is at 9:30 every day", "The stand-up is at 10:00, not 9:30"),
        ("User's manager is Anna", "User's manager is Ben, not Anna"),
        ("User's manager is Anna Berg", "User's manager is Ben Kurz, not Anna Berg"),
        ("User's daughter is named Mia", "User's daughter is called Mila, not Mia"),
        ("The office is in Room 3", "The office is in Room 5, not in Room 3"),
        ("The project uses PostgreSQL 16", "The project uses SQLite, not PostgreSQL 16"),
        ("User takes the bus to work", "User takes the train instead of the bus"),
        ("User plays the violin", "User plays the cello now, not the violin"),
        ("User pays with PayPal", "User pays with Wise now, not with PayPal"),
        ("The deadline is 3 May 2027", "The deadline is 5 May 2027, not 3 May 2027"),
    ],
)
def test_what_is_said_to_be_replaced_is_so_no_more(existing: str, new: str) -> None:
    assert find_replaced(existing, new)
    for similarity in (None, 0.3, 0.8):
        told = relate(existing, new, similarity)
        assert (told.relation, told.is_certain) == (Relation.CONTRADICTS, True)


@pytest.mark.parametrize(
    ("existing", "new"),
    [
        ("Foster is User's landlord", NOW),
        ("User's brother works at Foster", NOW),
        ("User lives near Foster", NOW),
        ("User works at Foster Wheeler", NOW),
        ("User used to work at Foster", NOW),
        ("User works with Foster on a bridge", NOW),
        ("User may work at Foster", NOW),
        ("User wants to work at Foster", NOW),
        ("User does not work at Foster", NOW),
        ("User lives in Foster", NOW),
        ("User's daughter's name is Anna", "User's sister's name is Ana, not Anna"),
        ("Anna is User's boss", "User's sister's name is Ana, not Anna"),
        ("User's sister Anna lives in Graz", "User's sister's name is Ana, not Anna"),
        ("The party is on Wednesday", "The meeting is on Thursday, not on Wednesday"),
        ("User swims on Wednesday", "The meeting is on Thursday, not on Wednesday"),
        ("User uses npm scripts", "User uses pnpm, not npm"),
        ("User likes npm", "User uses pnpm, not npm"),
        ("User uses npm", "User uses pnpm for the backend, not npm"),
        ("User uses npm", "User uses not only npm but pnpm"),
        ("User uses npm", "User uses pnpm, not only npm"),
        ("User uses npm", "User sometimes uses pnpm instead of npm"),
        ("User uses npm", "User would use pnpm instead of npm"),
        ("It is red", "It is blue, not red"),
        ("User has a cat", "User has a cat but not a dog"),
        ("User uses npm and yarn", "User uses pnpm, not yarn"),
        ("User works at Foster until May", NOW),
        ("User works at Zaha Hadid", NOW),
        ("User uses npm", "User uses pnpm, not npm, if the build is slow"),
        ("The meeting is on Wednesday", "The meeting is in Room 5, not on Wednesday"),
        ("User works at Foster", "User works at Foster now, not at home"),
        ("User works at home", "User works at Foster, not only at home"),
        ("User likes tea", "User likes coffee, not tea in the evening"),
        ("User's manager is Anna", "User's manager is on holiday, not Anna"),
        ("The meeting with Anna is on Wednesday", "The meeting with Ben is on Thursday, not on Wednesday"),
        ("User has a dog", "User has two dogs, not a dog and a cat"),
        ("User works at Google", "User works with Google Cloud, not with Google Ads"),
        ("User has a meeting with Foster", NOW),
        ("User works at Foster and at Arup", "User works at Zaha Hadid, not at Foster"),
        ("User drinks coffee", "User drinks coffee instead of lunch"),
        ("User is in Rome", "User is in Milan, not in Rome until Friday"),
        ("User has a big house", "User does not mind a big house, but even small ones have a big garden"),
        ("User has personal preferences", "User has no time and not a lot of personal preferences"),
        ("The ride is too long", "The ride was short and not too long"),
    ],
)
def test_what_is_not_said_to_be_replaced_is_another_matter(existing: str, new: str) -> None:
    assert find_replaced(existing, new) is None


@pytest.mark.parametrize("existing", ["Foster is User's landlord", "Foster was founded in 1967"])
def test_who_is_denied_may_be_something_else(existing: str) -> None:
    assert find_other_role(existing, NOW) == find_other_role(NOW, existing) == "Foster in another role"
    for similarity in (None, 0.3, 0.8):
        assert relate(existing, NOW, similarity).relation is Relation.DIFFERENT
        assert relate(NOW, existing, similarity).relation is Relation.DIFFERENT


def test_the_reason_names_both() -> None:
    assert relate(FOSTER, NOW).reason == "now otherwise: foster / zaha hadid"


@pytest.mark.parametrize("begins", ["", "User works at A", "User is not "])
@pytest.mark.parametrize(
    "padding", ["a", " a", ", not ", " instead of ", " is not a but ", " works at A", " is a a at A"]
)
def test_what_is_replaced_is_looked_for_in_linear_time(padding: str, begins: str) -> None:
    assert_linear(lambda text: find_replaced(f"{begins}{text}", f"{begins}{text}"), repeated(padding), 16_000)
