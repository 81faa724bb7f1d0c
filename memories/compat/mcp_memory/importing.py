"""The reference server's file: one entity or relation a line, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memories.agent import MemoryAgent
from memories.compat.mcp_memory.graph import Entity, Graph, Relation
from memories.text.clean import clean, is_visible
from memsite.tenancy.origin import Origin

AT_ONCE = 100


@dataclass(slots=True)
class Imported:
    """What was new; `bad` are the numbers of lines that could not be read, and why."""

    entities: int = 0
    observations: int = 0
    relations: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


def import_graph(agent: MemoryAgent, lines: Iterable[str]) -> Imported:
    """Whatever is there already stays; an entity that is known gains what its line observes. May be run again.

    Another program has written the file: that is where it comes from.
    """
    done = Imported()
    entities, relations, longest = dict[str, Entity](), list[Relation](), agent.app.policy.max_characters
    for number, line in enumerate(lines, 1):
        try:
            too_long = read_line(line, entities, relations, longest)
        except ValueError as error:
            done.bad.append((number, str(error)))
        else:
            left_out = "A text of {:,} characters was left out: {:,} is the most."
            done.bad += [(number, left_out.format(len(one), longest)) for one in too_long]
    for some in batches(list(entities.values())):
        graph = Graph(agent, Origin.AGENT)
        known = [one for one in some if one["name"] in graph.entities]
        new = graph.create_entities(some)
        added = Graph(agent, Origin.AGENT).add_observations([(one["name"], one["observations"]) for one in known])
        done.entities += len(new)
        done.observations += sum(len(one["observations"]) for one in new)
        done.observations += sum(len(one["addedObservations"]) for one in added)
    for some_relations in batches(relations):
        done.relations += len(Graph(agent, Origin.AGENT).create_relations(some_relations))
    return done


def read_line(line: str, entities: dict[str, Entity], relations: list[Relation], longest: int) -> list[str]:
    """Observations that are too long to be kept. ValueError says what is wrong; an entity that comes twice is one."""
    if not line.strip():
        return []
    row = json.loads(line)
    kind = row.get("type") if isinstance(row, dict) else None
    if kind == "entity":
        entity = entities.setdefault(
            text(row, "name"), {"name": row["name"], "entityType": text(row, "entityType"), "observations": []}
        )
        said = texts(row, "observations")
        known = entity["observations"]
        known += [one for one in dict.fromkeys(said) if len(one) <= longest and one not in known]
        return [one for one in said if len(one) > longest]
    if kind == "relation":
        relations.append({"from": text(row, "from"), "to": text(row, "to"), "relationType": text(row, "relationType")})
        return []
    raise ValueError("It is neither an entity nor a relation.")


def text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not is_visible(clean(value)) or "\0" in value:
        raise ValueError(f"{name} is not a text.")
    return value


def texts(row: dict[str, Any], name: str) -> list[str]:
    values = row.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) and "\0" not in value for value in values):
        raise ValueError(f"{name} is not a list of texts.")
    return values


def batches(rows: list[Any]) -> Iterable[list[Any]]:
    return (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))
