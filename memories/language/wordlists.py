"""How word lists are written down, as text for people to read and extend; and the words for people."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path


def words(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


def any_of(names: Iterable[str]) -> str:
    """Return a pattern for whichever of these names, the longer ones first."""
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def numbered(entries: str, start: int = 0) -> dict[str, int]:
    """Return each form of each comma-separated entry with the entry's place in the list."""
    return {form: place for place, forms in enumerate(entries.split(","), start) for form in forms.split()}


def phrases(group: str) -> list[str]:
    """Return the comma-separated entries of one line."""
    return [entry.strip() for entry in group.split(",") if entry.strip()]


def forms_of(entries: str) -> dict[str, str]:
    """Return form → base of entries written "base: form form; base: form"."""
    pairs = (entry.partition(":") for entry in entries.split(";"))
    return {form: base.strip() for base, _, forms in pairs for form in forms.split()}


def read_rows(file: Path) -> Iterator[list[str]]:
    """Yield the columns of each row of a tab-separated file, comments left out."""
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split("\t")


def read_lists(file: Path) -> dict[str, str]:
    """Return the text of each list of a file; its rows of one name go on with each other."""
    lists: defaultdict[str, list[str]] = defaultdict(list)
    for name, text in read_rows(file):
        lists[name].append(text)
    return {name: " ".join(texts) for name, texts in lists.items()}


PERSONS = words("""
    wife husband partner girlfriend boyfriend fiancée fiancé spouse mother mum mom father dad parents parent sister
    brother sibling siblings twin twins daughter son child children kid kids baby aunt uncle cousin niece nephew
    grandmother grandma granny grandfather grandpa granddaughter grandson stepson stepdaughter friend friends colleague
    colleagues coworker coworkers boss manager neighbour neighbours neighbor neighbors roommate roommates flatmate
    flatmates landlord landlady tenant tenants guest guests customer customers student students pupil pupils intern
    interns employee employees visitor visitors man woman boy girl
    """)
GROUPS = words("team family couple school company firm club office")
CARERS = words("doctor dentist teacher therapist lawyer nurse")
ANIMALS = words("dog dogs cat cats horse pet pets animals")


def read_patterns(file: Path) -> dict[str, re.Pattern[str]]:
    """Read a file of rows (language, part, pattern): return a pattern for each part, of all languages."""
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for _, part, pattern in read_rows(file):
        parts[part].append(pattern)
    return {part: re.compile("|".join(patterns)) for part, patterns in parts.items()}
