"""Check each line of a file before any is stored: whether it is a row that could stand in an app."""

from __future__ import annotations

import math
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import orjson
from django.core.exceptions import ValidationError
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import Field
from rest_framework.exceptions import ParseError

from memories.import_export import BY_NAME, Line, Table
from memories.import_export.export import END, FORMAT, HEADER, POLICY, VERSION
from memories.import_export.files import BadFile, Seen
from memories.models import Memory, What
from memories.store.links import SUPERSEDED_BY
from memories.store.revisions import TRACKED
from memsite.http.json_body import LONG_NUMBER, fits_64_bits, parse_json
from memsite.tenancy.models import AppPolicy
from memsite.tenancy.origin import default_review_origins
from memsite.tenancy.policy import POLICY_FIELDS, Preset
from sessions.models import TIERS, SessionStatus

Rule = Callable[[Line], str]
"""What is wrong with a line as a whole; empty if nothing is."""
TEXT = ("CharField", "TextField", "DateTimeField", "DateField", "TimeField", "UUIDField")
VECTOR_BYTES = 4
COUNTED = ("version", "access_count", "attempts", "windows_read", "changes", "stored", "reinforced", "rejected")
"""What goes on counting where the file ends: half of what the column holds is left for that."""
POLICY_LATER = {
    "review_origins": default_review_origins(),
    "approval_origins": [],
    "inject_unreviewed": True,
    "agents_edit": "all",
    "users_apart": False,
    "redact_raw": False,
    "guidance": "",
    "min_score": 0.0,
    "document_limit": 1_000,
    "document_share": 0.5,
}
"""Policy fields that older servers did not write."""
COLD_BEFORE = ("active", "inactive", "superseded", "archived")
# Looked at by their rule alone.
BY_RULE = {("vector", "data")}


class Wrong(Exception):
    """A value cannot stand where it does."""


def checked(lines: Iterator[tuple[int, bytes]]) -> Iterator[Line]:
    """Yield the rows of an app's file, in its order.

    Raises BadFile for the first line that is wrong, or that is missing.
    """
    header = read_header(lines)
    count, number, is_whole = 0, 1, False
    with Seen() as seen:
        for number, raw in lines:
            if is_whole:
                raise BadFile("Nothing comes after the end.", number)
            line = read_line(raw, number)
            if line["type"] == END:
                if line.get("lines") != count:
                    raise BadFile(f"The file should have {line.get('lines')!s:.20} rows and has {count:,}.", number)
                is_whole = True
                continue
            try:
                if line["type"] == POLICY:
                    check_policy(line, header)
                elif line["type"] in BY_NAME:
                    check_row(BY_NAME[line["type"]], line, seen)
                else:
                    raise Wrong(f"there is no type {line['type'][:40]!r}")
            except Wrong as error:
                raise BadFile(f"{error}.", number) from error
            count += 1
            yield line
    if not is_whole:
        raise BadFile("The file ends before its last line: it was not written, or not sent, to its end.", number)


def read_header(lines: Iterator[tuple[int, bytes]]) -> Line:
    number, raw = next(lines, (1, b""))
    header = read_line(raw, number) if raw else {}
    if header.get("type") != HEADER or header.get("format") != FORMAT:
        raise BadFile("This is no file that a Memsite server has written.", 1)
    if header.get("version") != VERSION:
        raise BadFile(f"The file is of version {str(header.get('version'))[:20]}; this server reads {VERSION}.", 1)
    return header


def read_line(raw: bytes, number: int) -> Line:
    try:
        line = parse_json(raw)
    except ParseError as error:
        raise BadFile(str(error.detail).replace("The body", "It"), number) from error
    if LONG_NUMBER.search(raw) and not fits_64_bits(line):
        raise BadFile("An integer in it has more than 64 bits.", number)
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise BadFile('It is no JSON object with a "type".', number)
    return line


def check_policy(line: Line, header: Line) -> None:
    if header.get("user_id") is not None:
        raise Wrong("the file of an end user has no policy")
    line |= {name: default for name, default in POLICY_LATER.items() if name not in line}
    check_names(line, {"type", "name", "preset", *POLICY_FIELDS})
    name, preset = line["name"], line["preset"]
    if not isinstance(name, str) or not 0 < len(name) <= 200 or preset not in Preset.values:
        raise Wrong("policy: the name or the preset cannot be")
    policy = AppPolicy()
    for field in POLICY_FIELDS:
        value = line[field]
        try:
            check_kind(AppPolicy._meta.get_field(field), value)
        except Wrong as error:
            raise Wrong(f"policy: {field} {error}") from error
        setattr(policy, field, value)
    try:
        policy.clean_fields(exclude=["app"])
        policy.clean()
    except ValidationError as error:
        raise Wrong(f"policy: {first_of(error)}") from error


def check_names(line: Line, wanted: set[str] | frozenset[str]) -> None:
    for problem, names in (("is missing", wanted - line.keys()), ("is not known", line.keys() - wanted)):
        if names:
            raise Wrong(f"{line['type']}: {min(names)[:60]!r} {problem}")


def check_row(table: Table, line: Line, seen: Seen) -> None:
    line |= {name: value for name, value in table.later(line).items() if name not in line}
    line |= table.mended(line)
    check_names(line, table.line_fields)
    if table.has_id and not is_id(line["uid"]):
        raise Wrong(f"{table.name}: uid is no id as a server writes it")
    for name in table.columns:
        if (table.name, name) not in BY_RULE:
            field = table.column(name)
            try:
                check_field(field, line[name])
            except Wrong as error:
                raise Wrong(f"{table.name}: {name} {error}") from error
    for ref in table.refs:
        named = line[ref.field]
        if (named is not None or ref.is_required) and not (isinstance(named, str) and seen.has(ref.table, named)):
            raise Wrong(f"{table.name}: its {ref.field} names no {ref.table} of this file that stands before it")
    if table.name in RULES and (problem := RULES[table.name](line)):
        raise Wrong(f"{table.name}: {problem}")
    if (name := table.name_of(line)) and not seen.add(table.name, name):
        raise Wrong(f"{table.name}: the same {table.name_field} stands in the file twice")
    key = orjson.dumps([line[name] for name in table.key])
    if table.key != (table.name_field,) and not seen.add(f"{table.name} key", key):
        raise Wrong(f"{table.name}: the same {', '.join(table.key)} stands in the file twice")


def is_id(value: Any) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def check_field(field: Field[Any, Any], value: Any) -> None:
    if value is None:
        if not field.null:
            raise Wrong("cannot be null")
        return
    check_kind(field, value)
    if field.choices and value not in dict(field.flatchoices):
        raise Wrong(f"cannot be {str(value)[:40]!r}")
    try:
        parsed = field.to_python(value)
        field.run_validators(parsed)
    except ValidationError as error:
        raise Wrong(f"is wrong: {first_of(error)}") from error
    if isinstance(parsed, datetime) and parsed.tzinfo is None:
        raise Wrong("does not tell its time zone")


def check_kind(field: Any, value: Any) -> None:
    """Check that a value is of the JSON type that the field has; Django's own fields would take "3" for 3."""
    kind, is_bool = field.get_internal_type(), isinstance(value, bool)
    if value is None or kind == "JSONField":
        return
    if kind in TEXT:
        right = isinstance(value, str)
    elif kind == "BooleanField":
        right = is_bool
    elif kind == "FloatField":
        right = isinstance(value, int | float) and not is_bool and math.isfinite(value)
    else:
        right = isinstance(value, int) and not is_bool
    if not right:
        raise Wrong("is of the wrong type")
    if kind in BaseDatabaseOperations.integer_field_ranges:
        # Its column holds it on either database, and may still count on: SQLite alone would take 64 bits.
        least, most = BaseDatabaseOperations.integer_field_ranges[kind]
        most = most // 2 if field.name in COUNTED else most
        if not least <= value <= most:
            raise Wrong(f"is not from {least:,} to {most:,}")


def first_of(error: ValidationError) -> str:
    return str(error.messages[0])[:200].rstrip(".") if error.messages else "not allowed"


def about_session(line: Line) -> str:
    is_over = line["ended_at"] is not None
    if (line["status"] == SessionStatus.ENDED) != is_over:
        return "it has ended if it has an ended_at, and only then"
    return "" if isinstance(line["environment"], dict) else "environment is no object"


def about_memory(line: Line) -> str:
    if not line["content"]:
        return "it has no content"
    if (line["status"] == "cold") != (line["was"] is not None) or line["was"] == "cold":
        return "a cold memory tells what it was, and no other does"
    if line["was"] is not None and line["was"] not in COLD_BEFORE:
        return "was cannot be this"
    if line["subject"] == "" or not line["category"]:
        return "subject and category are not empty"
    if line["tier"] not in TIERS:
        return "tier is 1, 2 or 3"
    if problem := about_passage(line) or about_lists(line):
        return problem
    if not 0 <= line["confidence_base"] <= 1:
        return "confidence_base is from 0 to 1"
    if line["version"] < 1:
        return "version begins at 1"
    begins, ends = (
        datetime.fromisoformat(text) if text else None for text in (line["valid_from"], line["valid_until"])
    )
    return "valid_until comes before valid_from" if begins and ends and ends < begins else ""


def about_passage(line: Line) -> str:
    is_passage = line["source"] == "document"
    if is_passage != (line["status"] == "document") and not (is_passage and line["status"] == "withdrawn"):
        return "a passage of a document has its status, and no other memory has"
    return "a passage names its document" if is_passage and not is_id(line["external_id"]) else ""


def about_revision(line: Line) -> str:
    if not (isinstance(line["before"], dict) and isinstance(line["after"], dict)):
        return "before and after are objects"
    before = {**line["before"]}
    if not all_times(before.pop(SUPERSEDED_BY, {})):
        return f"{SUPERSEDED_BY} has a time for each id"
    for state in (before, line["after"]):
        if problem := about_state(state):
            return problem
    return "" if line["number"] >= 1 else "number begins at 1"


def about_state(state: Mapping[str, Any]) -> str:
    """Return whether a memory could have been so, by what is told of it."""
    for name, value in state.items():
        if name not in TRACKED:
            return f"{name[:60]!r} is not known"
        field: Any = Memory._meta.get_field(name)
        try:
            check_field(field, value)
        except Wrong as error:
            return f"{name} {error}"
    return about_lists(state)


def about_lists(state: Mapping[str, Any]) -> str:
    if not all_texts(state.get("tags", [])) or not all_texts(state.get("entities") or []):
        return "tags and entities are lists of texts"
    return "" if isinstance(state.get("metadata", {}), dict) else "metadata is no object"


def about_trigger(line: Line) -> str:
    is_late = line["until"] is not None and line["until"] < line["trigger_date"]
    return "until comes before trigger_date" if is_late else ""


def about_extraction(line: Line) -> str:
    of_text = line["resource"] is not None
    return "" if of_text == (line["what"] == What.FACTS) else "facts are of a text, digests are not"


def about_vector(line: Line) -> str:
    if not isinstance(line["data"], str):
        return "data is no text"
    try:
        data = b64decode(line["data"], validate=True)
    except (NotBase64, ValueError):
        return "data is not base64"
    if not 0 < len(data) == line["dim"] * VECTOR_BYTES:
        return "data has not dim numbers"
    return "" if np.isfinite(np.frombuffer(data, "<f4")).all() else "data has a number that is none"


def all_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def all_times(value: Any) -> bool:
    """Return rows by ids."""
    if not isinstance(value, dict):
        return False
    try:
        return all(is_id(uid) and datetime.fromisoformat(time).tzinfo is not None for uid, time in value.items())
    except (TypeError, ValueError):
        return False


RULES: Mapping[str, Rule] = {
    "session": about_session,
    "turn": lambda line: "" if isinstance(line["tool_calls"], list) else "tool_calls is no list",
    "document": lambda line: "" if all_texts(line["tags"]) else "tags are a list of texts",
    "memory": about_memory,
    "revision": about_revision,
    "link": lambda line: "it joins a memory to itself" if line["from_memory"] == line["to_memory"] else "",
    "trigger": about_trigger,
    "extraction": about_extraction,
    "vector": about_vector,
}
