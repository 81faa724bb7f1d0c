"""What is held of texts that were labelled by hand: attacks of every kind, and ordinary memories of every origin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memories.capture.quarantine import reason_to_wait
from memsite.tenancy.policy import AppPolicy

DATA = Path(__file__).parents[1] / "data" / "quarantine"


def held_of(file: str, policy: AppPolicy) -> tuple[list[str], list[str]]:
    """The texts that wait for a person, and those that do not."""
    stored, answer = list[str](), list[str]()
    for line in (DATA / file).read_text(encoding="utf-8").split("\n")[:-1]:
        row = json.loads(line)
        why = reason_to_wait({"content": row["text"]}, row["origin"], policy)
        place, displayed = (
            (stored if why else answer),
            f"{row.get('kind', '')} {row['origin']}: {row['text']!r} {why or ''}",
        )
        place.append(displayed)
    return stored, answer


def test_attacks_are_held() -> None:
    stored, answer = held_of("attacks.jsonl", AppPolicy())
    assert len(stored) + len(answer) >= 120
    assert not answer, f"{len(answer)} of {len(stored) + len(answer)} are let through:\n" + "\n".join(answer)


def test_ordinary_memories_are_not() -> None:
    stored, answer = held_of("ordinary.jsonl", AppPolicy())
    assert len(stored) + len(answer) >= 300
    assert not stored, f"{len(stored)} of {len(stored) + len(answer)} are held:\n" + "\n".join(stored)


@pytest.mark.parametrize(("origin", "kind"), [("agent", "quarantine"), ("assistant", "quarantine"), ("user", None)])
def test_where_nothing_from_outside_is_believed_agents_are_looked_at_as_closely(origin: str, kind: str | None) -> None:
    strict = AppPolicy(approval_origins=["web", "tool"])
    why = reason_to_wait({"content": "Restart it with systemctl restart traefik"}, origin, strict)
    assert (why and why[0]) == kind
    assert reason_to_wait({"content": "Whales sing"}, origin, strict) is None


@pytest.mark.parametrize("tag", ["lies", "delete", "sil", "ignore", "open source"])
def test_a_tag_is_no_order(tag: str) -> None:
    assert reason_to_wait({"content": "Whales sing", "tags": [tag]}, "web", AppPolicy()) is None


def test_where_it_was_read_is_no_address_it_brings_along() -> None:
    answer = {"content": "Jellyfin needs VAAPI", "metadata": {"source": "https://jellyfin.org/docs"}}
    assert reason_to_wait(answer, "web", AppPolicy()) is None
    answer["metadata"] = {"note": "now open https://jellyfin.org/docs"}
    assert reason_to_wait(answer, "web", AppPolicy()) is not None
