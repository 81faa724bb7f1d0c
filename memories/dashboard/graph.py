"""The graph of what is known, around one memory or entity: two steps far, drawn in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.db.models import Q

from memories.dashboard.story import LINKED
from memories.models import Entity, Link, Memory, Mention, Status
from memories.models.memory import MemoryQuerySet
from memsite.tenancy.models import App

Kind = Literal["entity", "memory"]
Place = tuple[Kind, int]
MENTIONS = "mentions"
SAID = LINKED | {(MENTIONS, True): "mentions", (MENTIONS, False): "is mentioned in"}
NEAR, FAR = 14, 16
MOST_MENTIONS = 400
# Of the drawing, in its own units.
WIDTH, ROW, TOP = 1000, 36, 30
COLUMNS = ((0, 240), (340, 300), (740, 260))
HEIGHT, PADDING = 28, 12


@dataclass(frozen=True, slots=True)
class Edge:
    """`said` is how `of` stands to `to`, to be read from the one to the other: "mentions", "contradicts"."""

    of: Place
    to: Place
    said: str


@dataclass(slots=True)
class Node:
    """`column` is how many steps it is away; `x`, `y` is the middle of its left side."""

    place: Place
    row: Entity | Memory
    column: int = 0
    x: float = 0
    y: float = 0

    @property
    def kind(self) -> Kind:
        return self.place[0]

    @property
    def text(self) -> str:
        return self.row.name if isinstance(self.row, Entity) else self.row.text

    @property
    def width(self) -> float:
        return COLUMNS[self.column][1]

    @property
    def text_x(self) -> float:
        return self.x + PADDING

    @property
    def text_width(self) -> float:
        return self.width - 2 * PADDING

    @property
    def top(self) -> float:
        return self.y - HEIGHT / 2


@dataclass(slots=True)
class Neighbour:
    """A node one step away, and all that is said between it and the one in the middle."""

    node: Node
    said: list[str] = field(default_factory=list)
    further: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Graph:
    middle: Node
    near: list[Neighbour]
    far: list[Node]
    edges: list[Edge]
    more: int
    """Neighbours that are left out."""

    @property
    def height(self) -> float:
        return 2 * TOP + ROW * (max(len(self.near), len(self.far), 1) - 1)

    @property
    def nodes(self) -> list[Node]:
        return [self.middle, *(one.node for one in self.near), *self.far]

    @property
    def curves(self) -> list[str]:
        """A path for each edge between neighbouring columns."""
        nodes = {node.place: node for node in self.nodes}
        ends = [sorted((nodes[edge.of], nodes[edge.to]), key=lambda node: node.column) for edge in self.edges]
        pairs = dict.fromkeys((left.place, right.place) for left, right in ends if left.column + 1 == right.column)
        return [curve(nodes[left], nodes[right]) for left, right in pairs]


def curve(left: Node, right: Node) -> str:
    start, end = left.x + left.width, right.x
    middle = (start + end) / 2
    return f"M{start:g} {left.y:g}C{middle:g} {left.y:g} {middle:g} {right.y:g} {end:g} {right.y:g}"


def graph_around(app: App, middle: Entity | Memory) -> Graph:
    """Eight queries at most, whatever there is."""
    place: Place = ("entity" if isinstance(middle, Entity) else "memory", middle.pk)
    first = edges_of(app, [place])
    around = dict.fromkeys(other(edge, place) for edge in first)
    near_rows = read(app, around)
    chosen = list(near_rows)[:NEAR]
    second = edges_of(app, chosen)
    outside = [end for edge in second for end in (edge.of, edge.to) if end != place and end not in chosen]
    counted = sorted(set(outside), key=lambda end: (-outside.count(end), end))
    far_rows = read(app, counted[: 4 * FAR])
    far = [end for end in counted if end in far_rows][:FAR]
    shown = {place, *chosen, *far}
    edges = [edge for edge in dict.fromkeys([*first, *second]) if edge.of in shown and edge.to in shown]
    graph = Graph(
        Node(place, middle),
        [Neighbour(Node(one, near_rows[one], 1)) for one in chosen],
        [Node(one, far_rows[one], 2) for one in far],
        edges,
        len(near_rows) - len(chosen),
    )
    tell(graph)
    lay_out(graph)
    return graph


def other(edge: Edge, place: Place) -> Place:
    return edge.to if edge.of == place else edge.of


def edges_of(app: App, places: Sequence[Place]) -> list[Edge]:
    """Those of active memories, the mentions of many bounded. Three queries at most."""
    entities = [pk for kind, pk in places if kind == "entity"]
    memories = [pk for kind, pk in places if kind == "memory"]
    edges = [*mentions(app, entity__in=entities), *mentions(app, memory__in=memories)]
    links = Link.objects.for_app(app).filter(Q(from_memory__in=memories) | Q(to_memory__in=memories))
    if memories:
        found = links.order_by("-pk").values_list("from_memory", "to_memory", "kind")[:MOST_MENTIONS]
        edges = [Edge(("memory", one), ("memory", two), kind) for one, two, kind in found] + edges
    return edges


def mentions(app: App, **ends: list[int]) -> list[Edge]:
    """Of active memories, the most important first, a bounded number. One query, none without ends."""
    if not any(ends.values()):
        return []
    rows = Mention.objects.for_app(app).filter(memory__status=Status.ACTIVE, memory__purged_at=None, **ends)
    best = rows.order_by("-memory__importance", "-memory__confidence", "-memory", "entity")[:MOST_MENTIONS]
    pairs = best.values_list("memory", "entity")
    return [Edge(("memory", memory), ("entity", entity), MENTIONS) for memory, entity in pairs]


def read(app: App, places: Iterable[Place]) -> dict[Place, Entity | Memory]:
    """The rows of these places that one may see, in their order. Two queries."""
    wanted = list(places)
    entities = Entity.objects.for_app(app).in_bulk([pk for kind, pk in wanted if kind == "entity"])
    memories = memory_rows(app).in_bulk([pk for kind, pk in wanted if kind == "memory"])
    rows: dict[Place, Entity | Memory] = {("entity", pk): row for pk, row in entities.items()}
    rows |= {("memory", pk): memory for pk, memory in memories.items()}
    return {place: rows[place] for place in wanted if place in rows}


def memory_rows(app: App) -> MemoryQuerySet:
    return Memory.objects.for_app(app).select_related("cold_text")


def tell(graph: Graph) -> None:
    """What is said between the middle and each neighbour, and what each leads to."""
    far = {node.place: node for node in graph.far}
    by_place = {one.node.place: one for one in graph.near}
    for edge in graph.edges:
        ends = (edge.of, edge.to, SAID[edge.said, True]), (edge.to, edge.of, SAID[edge.said, False])
        for here, there, said in ends:
            if here == graph.middle.place and there in by_place:
                by_place[there].said.append(said)
            if here in by_place and there in far:
                by_place[here].further.append(far[there])


def lay_out(graph: Graph) -> None:
    """Each column from top to bottom; the far ones beside what they hang on, so that few lines cross."""
    heights = {one.node.place: number for number, one in enumerate(graph.near)}
    for node in graph.far:
        hangs_on = [heights[one.node.place] for one in graph.near if node in one.further]
        heights[node.place] = round(sum(hangs_on) / len(hangs_on)) if hangs_on else 0
    graph.far.sort(key=lambda node: heights[node.place])
    columns: Sequence[Sequence[Node]] = ([graph.middle], [one.node for one in graph.near], graph.far)
    for number, column in enumerate(columns):
        slack = (graph.height - 2 * TOP - ROW * (len(column) - 1)) / 2
        for row, node in enumerate(column):
            node.x, node.y = COLUMNS[number][0], TOP + slack + ROW * row
