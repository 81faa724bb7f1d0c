"""Memories as people read them on a terminal. Their text is anybody's: no character of it may move the cursor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from memsite_client.shapes import ExplainedHit, Memory

INDENT = "      "
# C0, DEL and C1 but for tab and newline; marks that turn the direction of writing.
MOVES_THE_CURSOR = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
EMPTY: tuple[Any, ...] = (None, "", [], {})
CONFIDENT, DOUBTFUL = 0.7, 0.3


def plain(text: str) -> str:
    return MOVES_THE_CURSOR.sub("\ufffd", text)


def one_line(text: str) -> str:
    return " ".join(plain(text).split())


def about(memory: Mapping[str, Any]) -> str:
    """Return the category and the subject, as in a marker."""
    return one_line(f"{memory['category']}:{memory['subject']}" if memory["subject"] else memory["category"])


def confidence(value: float) -> str:
    colour = "green" if value >= CONFIDENT else "yellow" if value >= DOUBTFUL else "red"
    return click.style(f"{value:.2f}", fg=colour)


def dim(text: str) -> str:
    return click.style(text, dim=True)


def memory_line(memory: Memory, before: str = "") -> str:
    """Return its content, and below it what it is."""
    marks = ["pinned"] if memory["pinned"] else []
    if memory["status"] != "active":
        marks.append(memory["status"])
    details = [about(memory), f"confidence {confidence(memory['confidence'])}", memory["updated_at"][:10], *marks]
    return f"{before}{one_line(memory['content'])}\n{INDENT}{dim(memory['id'])}  {'  '.join(details)}"


def quote(place: Mapping[str, Any], content: str) -> str:
    """Return a passage of a document, and below it where it stands."""
    return f"{one_line(content)}\n{INDENT}{dim(place['id'])}  from {one_line(place['citation'])}"


def hit_line(hit: ExplainedHit, combined: str = "sum") -> str:
    """Return a hit with the parts of its formula, where it has them: they add up to its result, or multiply."""
    score = click.style(f"{hit['score']:.2f}", bold=True) + "  "
    citation = hit.get("document")
    line = f"{score}{quote(citation, hit['content'])}" if citation else memory_line(hit, score)
    if hit["trust"]:
        line += "  " + click.style(", ".join(hit["trust"]), fg="yellow")
    # An older server does not say it.
    if validity := hit.get("validity"):
        line += f"  {validity}"
    parts = hit.get("scores")
    if parts:
        sign = " + " if combined == "sum" else " × "
        formula = sign.join(f"{name} {value:.2f}" for name, value in parts.items())
        line += f"\n{INDENT}{hit.get('formula_score', hit['score']):.2f} = {formula}"
    return line


def as_text(value: Any) -> str:
    if value in EMPTY:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def many(number: int, noun: str) -> str:
    """Return "1 line", "2 lines": of a noun that takes an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
