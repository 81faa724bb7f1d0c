"""Where nobody says what a statement is about, it is the same only if it is near in meaning and in words."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memories.capture.known import Stated, judge
from memories.models import Memory, Source
from memories.providers.embeddings import MiniLMEmbedder
from memories.store import Candidate
from memories.text.relate import Relation, relate
from tests.conftest import Caller

# With the cosines that all-MiniLM-L6-v2 has of them.
OTHER_FACTS = [
    (0.616, "User finds it hard to eat well on night shifts", "User works night shifts at the hospital"),
    (
        0.664, "A baking show asked User for a dairy-free recipe",
        "User's first dairy-free cake fell apart, but tasted great",
    ),
    (
        0.713, "A producer liked User's second screenplay, but wants another ending",
        "Finishing the screenplay made User realise how much they like writing",
    ),
    (
        0.673, "User designed a limited edition of hoodies for the clothing store",
        "A fashion editor wrote about User's clothing store",
    ),
    (
        0.698, "User has also started learning how to play the piano",
        "User loves playing all kinds of songs on the piano",
    ),
    (
        0.74, "User's family is the reason why they never give up",
        "User's family motivates them to keep up the fight for change",
    ),
    (
        0.691, "User loves going on road trips with friends, exploring and hiking or playing board games",
        "User loves travelling, too",
    ),
]  # fmt: skip
PARAPHRASES = [
    (0.929, "User is learning German, and it is tough", "Learning German is tough for User"),
    (0.954, "User picks up the kids at three", "At three User picks up the kids"),
    (0.929, "User is nervous about the exam", "The exam makes User nervous"),
    (0.915, "User goes running before work", "Before work, User goes for a run"),
    (0.82, "The thesis has to be handed in by the end of March", "Thesis submission is due no later than March 31"),
]


class Near(MiniLMEmbedder):
    """Its bounds, without loading the model."""

    def __init__(self) -> None:
        self.name, self.dim = "near", 384


def verdict(existing: str, new: str, cosine: float | None, *, subject: str | None = None, source: str = "") -> Relation:
    known = Stated(1, existing, subject, None, None, timezone.now())
    candidate = Candidate(content=new, subject=subject, source=source or Source.API)
    return judge(known, candidate, cosine, Near()).relation


@pytest.mark.parametrize("source", [Source.API, Source.FACT])
@pytest.mark.parametrize(("cosine", "existing", "new"), OTHER_FACTS)
def test_another_fact_of_one_matter_is_kept(cosine: float, existing: str, new: str, source: str) -> None:
    assert relate(existing, new, cosine).relation == Relation.SAME, "of one subject and category it would be"
    assert verdict(existing, new, cosine, source=source) == Relation.DIFFERENT


@pytest.mark.parametrize("source", [Source.API, Source.FACT])
@pytest.mark.parametrize(("cosine", "existing", "new"), PARAPHRASES)
def test_the_same_in_other_words_is_the_same(cosine: float, existing: str, new: str, source: str) -> None:
    assert verdict(existing, new, cosine, source=source) == Relation.SAME


@pytest.mark.parametrize(("cosine", "existing", "new"), OTHER_FACTS)
def test_who_names_the_subject_knows_what_is_about_one_thing(cosine: float, existing: str, new: str) -> None:
    assert verdict(existing, new, cosine, subject="user") == relate(existing, new, cosine, "user").relation


@pytest.mark.parametrize(
    ("existing", "new", "relation"),
    [
        ("Takes 60s to start after restart", "Takes about 60 seconds to start after a restart", Relation.SAME),
        (
            "User finds it hard to eat well on night shifts",
            "User works night shifts at the hospital",
            Relation.DIFFERENT,
        ),
    ],
)
def test_without_a_vector_words_alone_tell(existing: str, new: str, relation: Relation) -> None:
    assert verdict(existing, new, None) == relation


def test_what_an_agent_stores_about_nothing_in_particular_is_not_lost(alice: Caller) -> None:
    alice.remember("The roof of the neighbourhood's school leaks, and User reports on it")
    stored = alice.remember("User wants to improve the schools of the neighbourhood")
    assert stored["outcome"] == "created"
    assert Memory.objects.count() == 2
