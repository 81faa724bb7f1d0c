"""The nine tools, with the names, shapes and answers of the reference server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from rest_framework.exceptions import APIException
from typing_extensions import TypedDict

from memories.api.storing import StoringView
from memories.compat.mcp_memory.graph import Added, Entity, Graph, KnowledgeGraph, NoSuchEntity, Relation, Word
from memories.mcp.toolbox import Told, Toolbox

toolbox = Toolbox()
LONGEST_QUERY = 2048


class Observed(TypedDict):
    entityName: Word
    contents: list[Word]


class Withdrawn(TypedDict):
    entityName: Word
    observations: list[Word]


class Entities(TypedDict):
    entities: list[Entity]


class Relations(TypedDict):
    relations: list[Relation]


class Results(TypedDict):
    results: list[Added]


class Done(TypedDict):
    success: bool
    message: str


class Unknown(APIException):
    status_code = 404


def graph_of(door: StoringView) -> Graph:
    return Graph(door.memory_agent())


def as_text(value: Any) -> str:
    """As JavaScript writes it with an indent of two."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def told(value: Any, withheld: Sequence[str] = (), **document: Any) -> Told:
    more = f"Not stored, a person has to decide: {'; '.join(withheld)}." if withheld else ""
    return Told(as_text(value), document or value, more)


def done(message: str) -> Told:
    return Told(message, {"success": True, "message": message})


@toolbox.writes("Create Entities", answers=Entities)
def create_entities(door: StoringView, entities: list[Entity]) -> Told:
    """Adds entities with what is observed of them. Those that are there stay as they are."""
    door.count_writes(max(1, sum(1 + len(one["observations"]) for one in entities)))
    graph = graph_of(door)
    new = graph.create_entities(entities)
    return told(new, graph.withheld, entities=new)


@toolbox.writes("Create Relations", answers=Relations)
def create_relations(door: StoringView, relations: list[Relation]) -> Told:
    """Adds relations between entities, in active voice: from Alice, works_at, to Acme."""
    door.count_writes(max(1, len(relations)))
    graph = graph_of(door)
    new = graph.create_relations(relations)
    return told(new, graph.withheld, relations=new)


@toolbox.writes("Add Observations", answers=Results)
def add_observations(door: StoringView, observations: list[Observed]) -> Told:
    """Adds to what is observed of entities that are there."""
    door.count_writes(max(1, sum(len(one["contents"]) for one in observations)))
    graph = graph_of(door)
    try:
        results = graph.add_observations([(one["entityName"], one["contents"]) for one in observations])
    except NoSuchEntity as error:
        raise Unknown(str(error)) from error
    return told(results, graph.withheld, results=results)


@toolbox.writes("Delete Entities", destroys=True, repeatable=True, answers=Done)
def delete_entities(door: StoringView, entityNames: list[Word]) -> Told:  # noqa: N803  # the reference server's name
    """Deletes entities with their observations and relations, for good."""
    graph_of(door).delete_entities(entityNames)
    return done("Entities deleted successfully")


@toolbox.writes("Delete Observations", destroys=True, repeatable=True, answers=Done)
def delete_observations(door: StoringView, deletions: list[Withdrawn]) -> Told:
    """Deletes single observations of entities, for good."""
    graph_of(door).delete_observations([(one["entityName"], one["observations"]) for one in deletions])
    return done("Observations deleted successfully")


@toolbox.writes("Delete Relations", destroys=True, repeatable=True, answers=Done)
def delete_relations(door: StoringView, relations: list[Relation]) -> Told:
    """Deletes relations, for good."""
    graph_of(door).delete_relations(relations)
    return done("Relations deleted successfully")


@toolbox.reads("Read Graph", answers=KnowledgeGraph)
def read_graph(door: StoringView) -> Told:
    """The whole graph."""
    return told(graph_of(door).whole())


@toolbox.reads("Search Nodes", answers=KnowledgeGraph)
def search_nodes(door: StoringView, query: Annotated[Word, Field(max_length=LONGEST_QUERY)]) -> Told:
    """Entities whose name, type or observations contain the text, with their relations."""
    return told(graph_of(door).search(query))


@toolbox.reads("Open Nodes", answers=KnowledgeGraph)
def open_nodes(door: StoringView, names: list[Word]) -> Told:
    """Entities by their names, with their relations."""
    return told(graph_of(door).part(names))
