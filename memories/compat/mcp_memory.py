"""The knowledge graph of MCP's reference memory server: its nine tools, its file, its endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import mcp_types as mcp
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import AfterValidator, BeforeValidator, Field
from rest_framework.exceptions import NotFound, ValidationError
from typing_extensions import TypedDict

from memories.api.base import count_writes
from memories.api.scope_names import as_list
from memories.compat import create_with_external_id, external_id, find_by_external_id
from memories.language.scripts import without_surrogates
from memories.language.secrets import clean, each_text, is_visible, without_secrets
from memories.mcp.server import in_thread, serving
from memories.mcp.toolbox import ToolAnswer, Toolbox, ToolContext
from memories.models import Memory
from memories.services import MemoryAgent
from memories.store import Candidate
from memsite.db.transactions import in_batches
from memsite.http.json_body import RepeatedName, parse_loosely
from memsite.tenancy.authentication import Principal
from memsite.tenancy.origin import Origin

KIND = "graph"
MOST_IN_SUBJECT = 200


Word = Annotated[str, AfterValidator(without_secrets)]
"""Any text of the dialect: without secrets before anything is made of it, so that it is found again by the same."""
Words = Annotated[list[Word], BeforeValidator(as_list)]
"""Texts; one alone is a list of one."""
Relation = TypedDict("Relation", {"from": Word, "to": Word, "relationType": Word})
AT_ONCE = 100
toolbox = Toolbox(keeps_apart_nobody=True)
LONGEST_QUERY = 2048
GRAPH = "memory://knowledge-graph"
JSON = "application/json"


class Entity(TypedDict):
    name: Word
    entityType: Word
    observations: Words


def with_observations(entity: Any) -> Any:
    """Return the entity; none observed, none said."""
    return {"observations": [], **entity} if isinstance(entity, Mapping) else entity


NewEntities = Annotated[list[Annotated[Entity, BeforeValidator(with_observations)]], BeforeValidator(as_list)]


class KnowledgeGraph(TypedDict):
    entities: list[Entity]
    relations: list[Relation]


class Added(TypedDict):
    entityName: str
    addedObservations: list[str]


class NoSuchEntity(NotFound):
    """Nothing can be said of what is not there."""


class Graph:
    """As it is now, whole in memory: one query. What is written into it is `origin`'s word."""

    def __init__(self, agent: MemoryAgent, origin: str = Origin.ASSISTANT) -> None:
        self.agent, self.origin = agent, origin
        self.withheld: list[str] = []
        """Why some of what was written waits for a person."""
        self.entities: dict[str, Memory] = {}
        self.observations: dict[str, dict[str, Memory]] = {}
        self.relations: dict[tuple[str, str, str], Memory] = {}
        for row in find_by_external_id(agent, KIND):
            self.put(row)

    def put(self, row: Memory) -> None:
        fields = row.metadata.get(KIND, {})
        if "entity" in fields:
            self.entities[fields["entity"]] = row
        elif "about" in fields:
            self.observations.setdefault(fields["about"], {})[row.text] = row
        elif "relation" in fields:
            self.relations[tuple(fields["relation"])] = row

    # --- reading

    def whole(self) -> KnowledgeGraph:
        return self.part(self.entities)

    def part(self, names: Iterable[str]) -> KnowledgeGraph:
        """Return these entities, as far as they are there, and every relation that one of them is in."""
        wanted = set(names) & self.entities.keys()
        return {
            "entities": [self.entity(name) for name in self.entities if name in wanted],
            "relations": [relation(key) for key in self.relations if wanted & {key[0], key[2]}],
        }

    def entity(self, name: str) -> Entity:
        kind = self.entities[name].metadata[KIND]["type"]
        return {"name": name, "entityType": kind, "observations": list(self.observations.get(name, {}))}

    def search(self, query: str) -> KnowledgeGraph:
        """Return those whose name, type or observations contain the text, in whatever case."""
        wanted = query.lower()
        listed = (self.entity(name) for name in self.entities)
        return self.part(
            entity["name"]
            for entity in listed
            if any(wanted in text.lower() for text in (entity["name"], entity["entityType"], *entity["observations"]))
        )

    # --- writing

    def create_entities(self, entities: Sequence[Entity]) -> list[Entity]:
        """Return those that are new. What was said of them before they were deleted is gone with them."""
        new = {entity["name"]: entity for entity in reversed(entities) if entity["name"] not in self.entities}
        first = [entity for entity in entities if new.get(entity["name"]) is entity]
        candidates = list[Candidate]()
        for entity in first:
            name = entity["name"]
            refuse_empty("An entity has a name.", name)
            metadata = {"entity": name, "type": entity["entityType"]}
            candidates.append(self.candidate(entity_text(entity), name, metadata, ("entity", name), pinned=True))
        for entity in first:
            candidates += self.observation_candidates(entity["name"], entity["observations"])
        waiting = self.store(candidates)
        return [without(entity, waiting) for entity in first if ("entity", entity["name"]) not in waiting]

    def create_relations(self, relations: Sequence[Relation]) -> list[Relation]:
        keys = dict.fromkeys((row["from"], row["relationType"], row["to"]) for row in relations)
        new = [key for key in keys if key not in self.relations]
        candidates = list[Candidate]()
        for key in new:
            refuse_empty("A relation has a type and two entities.", *key)
            candidates.append(self.candidate(relation_text(*key), key[0], {"relation": list(key)}, ("relation", *key)))
        waiting = self.store(candidates)
        return [relation(key) for key in new if ("relation", *key) not in waiting]

    def add_observations(self, added: Sequence[tuple[str, Sequence[str]]]) -> list[Added]:
        """Raise NoSuchEntity, and nothing is added."""
        for name, _ in added:
            if name not in self.entities:
                raise NoSuchEntity(f"Entity with name {name} not found")
        candidates, results = list[Candidate](), list[Added]()
        for name, contents in added:
            seen = [candidate.content for candidate in candidates if candidate.metadata[KIND]["about"] == name]
            fresh = [text for text in contents if clean(text) not in seen]
            new = self.observation_candidates(name, fresh)
            candidates += new
            stored = {candidate.content for candidate in new}
            results.append({"entityName": name, "addedObservations": [text for text in fresh if clean(text) in stored]})
        waiting = self.store(candidates)
        for result in results:
            result["addedObservations"] = [
                text
                for text in result["addedObservations"]
                if ("about", result["entityName"], clean(text)) not in waiting
            ]
        return results

    def delete_entities(self, names: Iterable[str]) -> None:
        """Delete entities with their observations, and every relation they are in."""
        gone = set(names)
        rows = [row for name, row in self.entities.items() if name in gone]
        rows += [row for name in gone for row in self.observations.get(name, {}).values()]
        rows += [row for key, row in self.relations.items() if gone & {key[0], key[2]}]
        self.agent.forget(rows)

    def delete_observations(self, withdrawn: Iterable[tuple[str, Sequence[str]]]) -> None:
        rows = {
            row.pk: row
            for name, texts in withdrawn
            for text in texts
            if (row := self.observations.get(name, {}).get(clean(text)))
        }
        self.agent.forget(list(rows.values()))

    def delete_relations(self, relations: Iterable[Relation]) -> None:
        keys = dict.fromkeys((row["from"], row["relationType"], row["to"]) for row in relations)
        self.agent.forget([self.relations[key] for key in keys if key in self.relations])

    def store(self, candidates: Sequence[Candidate]) -> set[tuple[str, ...]]:
        """Store them; answers those of which a person has to decide, as `identify` names them."""
        limit = self.agent.app.policy.max_characters
        if any(len(candidate.content) > limit for candidate in candidates):
            raise ValidationError(f"This app's memories have at most {limit:,} characters.")
        waiting = create_with_external_id(self.agent, KIND, candidates)
        self.withheld += waiting.values()
        return {identify(candidate) for candidate in candidates if candidate.external_id in waiting}

    def observation_candidates(self, name: str, texts: Iterable[str]) -> list[Candidate]:
        """Return the new ones that are not empty."""
        known = self.observations.get(name, {}) if name in self.entities else {}
        new = dict.fromkeys(text for raw in texts if is_visible(text := clean(raw)) and text not in known)
        return [self.candidate(text, name, {"about": name}, ("observation", name, text)) for text in new]

    def candidate(
        self, content: str, subject: str, fields: dict[str, Any], names: tuple[str, ...], **others: Any
    ) -> Candidate:
        return Candidate(
            content=content,
            subject=subject[:MOST_IN_SUBJECT],
            metadata={KIND: fields},
            agent=self.agent.agent,
            origin=self.origin,
            external_id=external_id(KIND, *names),
            **others,
        )


def refuse_empty(rule: str, *texts: str) -> None:
    """Raise ValidationError if nothing of one of them may be kept."""
    if not all(is_visible(clean(text)) for text in texts):
        raise ValidationError(rule)


def entity_text(entity: Entity) -> str:
    return f"{entity['name']} ({entity['entityType']})"


def relation_text(start: str, kind: str, end: str) -> str:
    return f"{start} {kind.replace('_', ' ')} {end}"


def identify(candidate: Candidate) -> tuple[str, ...]:
    """Return ("entity", name), ("about", name, text) or ("relation", from, type, to)."""
    fields = candidate.metadata[KIND]
    if "entity" in fields:
        return "entity", fields["entity"]
    return ("about", fields["about"], candidate.content) if "about" in fields else ("relation", *fields["relation"])


def without(entity: Entity, waiting: set[tuple[str, ...]]) -> Entity:
    """Return the entity with those observations that are stored."""
    seen = dict.fromkeys(text for text in entity["observations"] if is_visible(clean(text)))
    stored = [text for text in seen if ("about", entity["name"], clean(text)) not in waiting]
    return {**entity, "observations": stored}


def relation(key: tuple[str, str, str]) -> Relation:
    return {"from": key[0], "to": key[2], "relationType": key[1]}


@dataclass(slots=True)
class Imported:
    """What was new; `bad` are the numbers of lines that could not be read, and why.

    `total` are the entities and relations in the file, new or not; `withheld` of all are left to a person.
    """

    total: int = 0
    entities: int = 0
    observations: int = 0
    relations: int = 0
    withheld: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


def import_graph(agent: MemoryAgent, lines: Iterable[str]) -> Imported:
    """Import a graph: what is there stays; a known entity gains what its line observes. May be run again.

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
            done.bad += [(number, left_out.format(len(observation), longest)) for observation in too_long]
    done.total = len(entities) + len(relations)
    for some in in_batches(list(entities.values()), AT_ONCE):
        graph = Graph(agent, Origin.AGENT)
        known = [addition for addition in some if addition["name"] in graph.entities]
        new = graph.create_entities(some)
        grown = Graph(agent, Origin.AGENT)
        added = grown.add_observations([(addition["name"], addition["observations"]) for addition in known])
        done.withheld += len(graph.withheld) + len(grown.withheld)
        done.entities += len(new)
        done.observations += sum(len(entity["observations"]) for entity in new)
        done.observations += sum(len(result["addedObservations"]) for result in added)
    for some_relations in in_batches(relations, AT_ONCE):
        graph = Graph(agent, Origin.AGENT)
        done.relations += len(graph.create_relations(some_relations))
        done.withheld += len(graph.withheld)
    return done


def read_line(line: str, entities: dict[str, Entity], relations: list[Relation], longest: int) -> list[str]:
    """Return observations that are too long. ValueError says what is wrong; an entity that comes twice is one."""
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
        observations = texts(row, "observations")
        known = entities.setdefault(new["name"], new)["observations"]
        known += [
            observation
            for observation in dict.fromkeys(observations)
            if len(observation) <= longest and observation not in known
        ]
        return [observation for observation in observations if len(observation) > longest]
    if kind == "relation":
        link: Relation = {"from": text(row, "from"), "to": text(row, "to"), "relationType": text(row, "relationType")}
        refuse_longer(relation_text(link["from"], link["relationType"], link["to"]), longest)
        relations.append(link)
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


class Observed(TypedDict):
    entityName: Word
    contents: Words


class Withdrawn(TypedDict):
    entityName: Word
    observations: Words


Deletions = Annotated[list[Withdrawn], BeforeValidator(as_list)]
NewRelations = Annotated[list[Relation], BeforeValidator(as_list)]


class Entities(TypedDict):
    entities: list[Entity]


class Relations(TypedDict):
    relations: list[Relation]


class Results(TypedDict):
    results: list[Added]


class Done(TypedDict):
    success: bool
    message: str


def as_text(value: Any) -> str:
    """Return JSON as JavaScript writes it with an indent of two."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def graph_answer(value: Any, withheld: Sequence[str] = (), **document: Any) -> ToolAnswer:
    more = f"Not stored, a person has to decide: {'; '.join(withheld)}." if withheld else ""
    return ToolAnswer(as_text(value), document or value, more)


def done_answer(message: str) -> ToolAnswer:
    return ToolAnswer(message, {"success": True, "message": message})


@toolbox.writes("Create Entities", only_adds=True, answers=Entities)
def create_entities(ctx: ToolContext, entities: NewEntities) -> ToolAnswer:
    """Adds entities with what is observed of them. Those that are there stay as they are."""
    count_writes(ctx.agent, max(1, sum(1 + len(entity["observations"]) for entity in entities)))
    graph = Graph(ctx.agent)
    new = graph.create_entities(entities)
    return graph_answer(new, graph.withheld, entities=new)


@toolbox.writes("Create Relations", only_adds=True, answers=Relations)
def create_relations(ctx: ToolContext, relations: NewRelations) -> ToolAnswer:
    """Adds relations between entities, in active voice: from Alice, works_at, to Acme."""
    count_writes(ctx.agent, max(1, len(relations)))
    graph = Graph(ctx.agent)
    new = graph.create_relations(relations)
    return graph_answer(new, graph.withheld, relations=new)


@toolbox.writes("Add Observations", only_adds=True, answers=Results)
def add_observations(ctx: ToolContext, observations: Annotated[list[Observed], BeforeValidator(as_list)]) -> ToolAnswer:
    """Adds to what is observed of entities that are there."""
    count_writes(ctx.agent, max(1, sum(len(observation["contents"]) for observation in observations)))
    graph = Graph(ctx.agent)
    results = graph.add_observations(
        [(observation["entityName"], observation["contents"]) for observation in observations]
    )
    return graph_answer(results, graph.withheld, results=results)


@toolbox.writes("Delete Entities", destroys=True, repeatable=True, answers=Done)
def delete_entities(ctx: ToolContext, entityNames: Words) -> ToolAnswer:  # noqa: N803  # the reference server's name
    """Deletes entities with their observations and relations, for good."""
    Graph(ctx.agent).delete_entities(entityNames)
    return done_answer("Entities deleted successfully")


@toolbox.writes("Delete Observations", destroys=True, repeatable=True, answers=Done)
def delete_observations(ctx: ToolContext, deletions: Deletions) -> ToolAnswer:
    """Deletes single observations of entities, for good."""
    Graph(ctx.agent).delete_observations([(deletion["entityName"], deletion["observations"]) for deletion in deletions])
    return done_answer("Observations deleted successfully")


@toolbox.writes("Delete Relations", destroys=True, repeatable=True, answers=Done)
def delete_relations(ctx: ToolContext, relations: NewRelations) -> ToolAnswer:
    """Deletes relations, for good."""
    Graph(ctx.agent).delete_relations(relations)
    return done_answer("Relations deleted successfully")


@toolbox.reads("Read Graph", answers=KnowledgeGraph)
def read_graph(ctx: ToolContext) -> ToolAnswer:
    """The whole graph."""
    return graph_answer(Graph(ctx.agent).whole())


@toolbox.reads("Search Nodes", answers=KnowledgeGraph)
def search_nodes(ctx: ToolContext, query: Annotated[Word, Field(max_length=LONGEST_QUERY)]) -> ToolAnswer:
    """Entities whose name, type or observations contain the text, with their relations."""
    return graph_answer(Graph(ctx.agent).search(query))


@toolbox.reads("Open Nodes", answers=KnowledgeGraph)
def open_nodes(ctx: ToolContext, names: Words) -> ToolAnswer:
    """Entities by their names, with their relations."""
    return graph_answer(Graph(ctx.agent).part(names))


def make_server(caller: Principal) -> Server[Any]:
    ctx = ToolContext(caller)
    return serving(
        "memory-server",
        toolbox,
        ctx,
        on_list_resources=in_thread(list_resources),
        on_read_resource=in_thread(partial(read_resource, ctx)),
    )


def list_resources(params: Any) -> mcp.ListResourcesResult:
    graph = mcp.Resource(
        name="knowledge-graph",
        title="Knowledge Graph",
        uri=GRAPH,
        mime_type=JSON,
        description="All entities and relations.",
    )
    return mcp.ListResourcesResult(resources=[graph])


def read_resource(ctx: ToolContext, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
    if params.uri != GRAPH:
        raise MCPError(code=mcp.INVALID_PARAMS, message="There is nothing at this address.", data={"uri": params.uri})
    text = as_text(Graph(ctx.agent).whole())
    return mcp.ReadResourceResult(contents=[mcp.TextResourceContents(uri=GRAPH, mime_type=JSON, text=text)])
