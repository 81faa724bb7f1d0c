"""A graph of entities, observations and relations, each of them a memory that search finds, too.

entity       "Alice (person)", pinned: it is there also when nothing is said of it
observation  as it was said, with the entity as its subject
relation     "Alice works at Acme", with the entity it starts from as its subject
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator
from rest_framework.exceptions import ValidationError
from typing_extensions import TypedDict

from memories.agent import MemoryAgent
from memories.compat.kept import external_id, keep_new, kept
from memories.models import Memory
from memories.store import Candidate
from memories.text.clean import clean, is_visible, without_secrets
from memsite.tenancy.origin import Origin

KIND = "graph"
MOST_IN_SUBJECT = 200


Word = Annotated[str, AfterValidator(without_secrets)]
"""Any text of the dialect: without secrets before anything is made of it, so that it is found again by the same."""


class Entity(TypedDict):
    name: Word
    entityType: Word
    observations: list[Word]


Relation = TypedDict("Relation", {"from": Word, "to": Word, "relationType": Word})


class KnowledgeGraph(TypedDict):
    entities: list[Entity]
    relations: list[Relation]


class Added(TypedDict):
    entityName: str
    addedObservations: list[str]


class NoSuchEntity(Exception):
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
        for row in kept(agent, KIND):
            self.put(row)

    def put(self, row: Memory) -> None:
        told = row.metadata.get(KIND, {})
        if "entity" in told:
            self.entities[told["entity"]] = row
        elif "about" in told:
            self.observations.setdefault(told["about"], {})[row.text] = row
        elif "relation" in told:
            self.relations[tuple(told["relation"])] = row

    # --- reading

    def whole(self) -> KnowledgeGraph:
        return self.part(self.entities)

    def part(self, names: Iterable[str]) -> KnowledgeGraph:
        """These entities, as far as they are there, and every relation that one of them is in."""
        wanted = set(names) & self.entities.keys()
        return {
            "entities": [self.entity(name) for name in self.entities if name in wanted],
            "relations": [relation(key) for key in self.relations if wanted & {key[0], key[2]}],
        }

    def entity(self, name: str) -> Entity:
        kind = self.entities[name].metadata[KIND]["type"]
        return {"name": name, "entityType": kind, "observations": list(self.observations.get(name, {}))}

    def search(self, query: str) -> KnowledgeGraph:
        """Those whose name, type or observations contain the text, in whatever case."""
        wanted = query.lower()
        shown = (self.entity(name) for name in self.entities)
        return self.part(
            one["name"]
            for one in shown
            if any(wanted in text.lower() for text in (one["name"], one["entityType"], *one["observations"]))
        )

    # --- writing

    def create_entities(self, entities: Sequence[Entity]) -> list[Entity]:
        """Those that are new. What was said of them before they were deleted is gone with them."""
        new = {one["name"]: one for one in reversed(entities) if one["name"] not in self.entities}
        told = [one for one in entities if new.get(one["name"]) is one]
        candidates = [self.entity_candidate(one) for one in told]
        for one in told:
            candidates += self.observation_candidates(one["name"], one["observations"])
        held = self.keep(candidates)
        return [without(one, held) for one in told if ("entity", one["name"]) not in held]

    def create_relations(self, relations: Sequence[Relation]) -> list[Relation]:
        keys = dict.fromkeys((one["from"], one["relationType"], one["to"]) for one in relations)
        new = [key for key in keys if key not in self.relations]
        held = self.keep([self.relation_candidate(key) for key in new])
        return [relation(key) for key in new if ("relation", *key) not in held]

    def add_observations(self, told: Sequence[tuple[str, Sequence[str]]]) -> list[Added]:
        """Raises NoSuchEntity, and nothing is added."""
        for name, _ in told:
            if name not in self.entities:
                raise NoSuchEntity(f"Entity with name {name} not found")
        candidates, results = list[Candidate](), list[Added]()
        for name, contents in told:
            seen = [one.content for one in candidates if one.metadata[KIND]["about"] == name]
            fresh = [text for text in contents if clean(text) not in seen]
            new = self.observation_candidates(name, fresh)
            candidates += new
            added = {one.content for one in new}
            results.append({"entityName": name, "addedObservations": [text for text in fresh if clean(text) in added]})
        held = self.keep(candidates)
        return [
            {**one, "addedObservations": [text for text in one["addedObservations"] if not is_held(held, one, text)]}
            for one in results
        ]

    def delete_entities(self, names: Iterable[str]) -> None:
        """With what was observed of them, and every relation they are in."""
        gone = set(names)
        rows = [row for name, row in self.entities.items() if name in gone]
        rows += [row for name in gone for row in self.observations.get(name, {}).values()]
        rows += [row for key, row in self.relations.items() if gone & {key[0], key[2]}]
        self.agent.forget(rows)

    def delete_observations(self, told: Iterable[tuple[str, Sequence[str]]]) -> None:
        rows = {
            row.pk: row
            for name, texts in told
            for text in texts
            if (row := self.observations.get(name, {}).get(clean(text)))
        }
        self.agent.forget(list(rows.values()))

    def delete_relations(self, relations: Iterable[Relation]) -> None:
        keys = dict.fromkeys((one["from"], one["relationType"], one["to"]) for one in relations)
        self.agent.forget([self.relations[key] for key in keys if key in self.relations])

    def keep(self, candidates: Sequence[Candidate]) -> set[tuple[str, ...]]:
        """Stores them; answers those of which a person has to decide, as `told_of` names them."""
        limit = self.agent.app.policy.max_characters
        if any(len(one.content) > limit for one in candidates):
            raise ValidationError(f"This app's memories have at most {limit:,} characters.")
        held = keep_new(self.agent, KIND, candidates)
        self.withheld += held.values()
        return {told_of(one) for one in candidates if one.external_id in held}

    def entity_candidate(self, entity: Entity) -> Candidate:
        name, kind = entity["name"], entity["entityType"]
        refuse_empty("An entity has a name.", name)
        metadata = {"entity": name, "type": kind}
        return self.candidate(entity_text(entity), name, metadata, ("entity", name), pinned=True)

    def observation_candidates(self, name: str, texts: Iterable[str]) -> list[Candidate]:
        """Of those that are new, and not empty."""
        known = self.observations.get(name, {}) if name in self.entities else {}
        new = dict.fromkeys(text for one in texts if is_visible(text := clean(one)) and text not in known)
        return [self.candidate(text, name, {"about": name}, ("observation", name, text)) for text in new]

    def relation_candidate(self, key: tuple[str, str, str]) -> Candidate:
        refuse_empty("A relation has a type and two entities.", *key)
        return self.candidate(relation_text(*key), key[0], {"relation": list(key)}, ("relation", *key))

    def candidate(
        self, content: str, subject: str, told: dict[str, Any], names: tuple[str, ...], **fields: Any
    ) -> Candidate:
        return Candidate(
            content=content, subject=subject[:MOST_IN_SUBJECT], metadata={KIND: told}, agent=self.agent.agent,
            origin=self.origin, external_id=external_id(KIND, *names), **fields,
        )  # fmt: skip


def refuse_empty(rule: str, *texts: str) -> None:
    """Raises ValidationError if nothing of one of them may be kept."""
    if not all(is_visible(clean(text)) for text in texts):
        raise ValidationError(rule)


def entity_text(entity: Entity) -> str:
    return f"{entity['name']} ({entity['entityType']})"


def relation_text(start: str, kind: str, end: str) -> str:
    return f"{start} {kind.replace('_', ' ')} {end}"


def told_of(candidate: Candidate) -> tuple[str, ...]:
    """("entity", name), ("about", name, text) or ("relation", from, type, to)."""
    told = candidate.metadata[KIND]
    if "entity" in told:
        return "entity", told["entity"]
    return ("about", told["about"], candidate.content) if "about" in told else ("relation", *told["relation"])


def without(entity: Entity, held: set[tuple[str, ...]]) -> Entity:
    """The entity with those observations that are stored."""
    seen = dict.fromkeys(text for text in entity["observations"] if is_visible(clean(text)))
    told = [text for text in seen if ("about", entity["name"], clean(text)) not in held]
    return {**entity, "observations": told}


def is_held(held: set[tuple[str, ...]], added: Added, text: str) -> bool:
    return ("about", added["entityName"], clean(text)) in held


def relation(key: tuple[str, str, str]) -> Relation:
    return {"from": key[0], "to": key[2], "relationType": key[1]}
