"""The reference server's file: one entity or relation a line, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memories.agent import MemoryAgent
from memories.compat.mcp_memory.graph import Entity, Graph, Relation, entity_text, relation_text
from memories.providers.surrogates import without_surrogates
from memories.text.clean import clean, each_text, is_visible, without_secrets
from memsite.http.json_body import RepeatedName, parse_loosely
from memsite.tenancy.origin import Origin

AT_ONCE = 100


@dataclass(slots=True)
class Imported:
    """What was new; `bad` are the numbers of lines that could not be read, and why.

    `found` are the entities and relations in the file, new or not; `withheld` of all are left to a person.
    """

    found: int = 0
    entities: int = 0
    observations: int = 0
    relations: int = 0
    withheld: int = 0
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
        except RecursionError:
            done.bad.append((number, "It is nested too deep."))
        else:
            left_out = "A text of {:,} characters was left out: {:,} is the most."
            done.bad += [(number, left_out.format(len(one), longest)) for one in too_long]
    done.found = len(entities) + len(relations)
    for some in batches(list(entities.values())):
        graph = Graph(agent, Origin.AGENT)
        known = [one for one in some if one["name"] in graph.entities]
        new = graph.create_entities(some)
        grown = Graph(agent, Origin.AGENT)
        added = grown.add_observations([(one["name"], one["observations"]) for one in known])
        done.withheld += len(graph.withheld) + len(grown.withheld)
        done.entities += len(new)
        done.observations += sum(len(one["observations"]) for one in new)
        done.observations += sum(len(one["addedObservations"]) for one in added)
    for some_relations in batches(relations):
        graph = Graph(agent, Origin.AGENT)
        done.relations += len(graph.create_relations(some_relations))
        done.withheld += len(graph.withheld)
    return done


def read_line(line: str, entities: dict[str, Entity], relations: list[Relation], longest: int) -> list[str]:
    """Observations that are too long to be kept. ValueError says what is wrong; an entity that comes twice is one."""
    if not line.strip():
        return []
    try:
        row = each_text(parse_loosely(line), without_secrets)
    except RepeatedName as error:
        raise ValueError(str(error.detail).replace("The body", "It")) from error
    except json.JSONDecodeError as error:
        raise ValueError("It is not valid JSON.") from error
    kind = row.get("type") if isinstance(row, dict) else None
    if kind == "entity":
        new: Entity = {"name": text(row, "name"), "entityType": text(row, "entityType"), "observations": []}
        refuse_longer(entity_text(new), longest)
        said = texts(row, "observations")
        known = entities.setdefault(new["name"], new)["observations"]
        known += [one for one in dict.fromkeys(said) if len(one) <= longest and one not in known]
        return [one for one in said if len(one) > longest]
    if kind == "relation":
        told: Relation = {"from": text(row, "from"), "to": text(row, "to"), "relationType": text(row, "relationType")}
        refuse_longer(relation_text(told["from"], told["relationType"], told["to"]), longest)
        relations.append(told)
        return []
    raise ValueError("It is neither an entity nor a relation.")


def refuse_longer(content: str, longest: int) -> None:
    if len(content) > longest:
        raise ValueError(f"It has {len(content):,} characters as a memory: {longest:,} is the most.")


def text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not is_visible(clean(value)) or "\0" in value:
        raise ValueError(f"{name} is not a text.")
    return without_surrogates(value)


def texts(row: dict[str, Any], name: str) -> list[str]:
    values = row.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) and "\0" not in value for value in values):
        raise ValueError(f"{name} is not a list of texts.")
    return [without_surrogates(value) for value in values]


def batches(rows: list[Any]) -> Iterable[list[Any]]:
    return (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))
