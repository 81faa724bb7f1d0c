"""Knowledge in other forms than a list: categories and their differences, entities, lessons, graph, documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal
from uuid import UUID

from django import forms
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from memories.dashboard.access import DashboardRequest, page
from memories.dashboard.lists import Choice, Filters, KeysetPage, Search, keyset_page
from memories.dashboard.memory_history import LINKED
from memories.dashboard.responses import fingerprint, go, is_seen, render_page, unchanged
from memories.dashboard.views.memories import ANY
from memories.maintain.summaries import plain
from memories.models import Document, Entity, Link, Memory, Mention, Status, Summary
from memories.models.document import citation_of
from memories.services import DocumentLimit, Upload
from memsite.config.conf import get_conf
from memsite.tenancy.access import Right
from memsite.tenancy.models import App

What = Literal["same", "gone", "new"]
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
# Of two lines that have less in common, the one was not made from the other.
REWORDED_FROM = 0.5
VERSIONS_SHOWN = 100
MOST_MENTIONED = 12
KINDS_OFFERED = 50
OTHERS = [status for status in Status.values if status != Status.ACTIVE]
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
class Line:
    """`parts` are pieces of the line in their order, each with what has become of it."""

    what: What
    parts: Sequence[tuple[What, str]]


def compare(old: str, new: str) -> list[Line]:
    """Return every line of both. What was reworded stands as gone and as new, its words marked."""
    before, after = old.splitlines(), new.splitlines()
    lines: list[Line] = []
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [Line("same", [("same", line)]) for line in before[i:j]]
        else:
            lines += changed(before[i:j], after[k:m])
    return lines


def changed(gone: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    for old, now in zip_longest(gone, new):
        before, after = WORDS.findall(old or ""), WORDS.findall(now or "")
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        if old is not None and now is not None and matcher.ratio() >= REWORDED_FROM:
            removed: list[tuple[What, str]] = []
            added: list[tuple[What, str]] = []
            for tag, i, j, k, m in matcher.get_opcodes():
                if j > i:
                    removed.append(("same" if tag == "equal" else "gone", "".join(before[i:j])))
                if m > k:
                    added.append(("same" if tag == "equal" else "new", "".join(after[k:m])))
            yield from (Line("gone", removed), Line("new", added))
            continue
        if old is not None:
            yield Line("gone", [("gone", old)])
        if now is not None:
            yield Line("new", [("new", now)])


class CategoryFilters(Filters):
    user = Search("End user")


@page()
def categories(request: DashboardRequest) -> HttpResponse:
    """Return what is of one end user, or of nobody in particular: the two are never mixed."""
    filters = CategoryFilters(request.GET)
    user = filters.given().get("user", "")
    known = [] if filters.refused else request.dashboard.agent().categories(user)
    most = max((row.memories for row in known), default=0)
    context = {"filters": filters, "known": known, "most": most, "user": user}
    return render_page(request, "knowledge/categories", context, part="knowledge/category_list")


@page()
def category(request: DashboardRequest, name: str) -> HttpResponse:
    """Show a category; `?from=` and `?to=` are the versions to compare, by default the last two.

    A text that takes long to put together comes after the page, by `?wait=yes`.
    """
    agent, user = request.dashboard.agent(), request.GET.get("user", "")
    versions = list(agent.summary_versions(name, user).order_by("-version")[:VERSIONS_SHOWN])
    comes_later = "wait" not in request.GET and agent.takes_long(name, user)
    summary = None if comes_later else agent.summary(name, user)
    is_told = comes_later or summary is not None
    if not is_told and not versions:
        raise Http404
    # Each line of the summary as plain text, and whether it is a title, a heading, an item or text.
    marks = (("## ", "heading"), ("# ", "title"), ("- ", "item"))
    lines = []
    for line in filter(str.strip, (summary.content if summary else "").splitlines()):
        mark, what = next(((mark, what) for mark, what in marks if line.startswith(mark)), ("", "text"))
        lines.append((what, plain(line.removeprefix(mark))))
    context = {
        "name": name,
        "user": user,
        "summary": summary,
        "written": lines,
        "is_told": is_told,
        "comes_later": comes_later,
        "versions": versions,
        **difference(request, versions),
    }
    return render_page(request, "knowledge/category", context, part="knowledge/category_written")


def difference(request: DashboardRequest, versions: list[Summary]) -> dict[str, Any]:
    by_number = {str(version.version): version for version in versions}
    default_new = versions[0] if versions else None
    default_old = versions[1] if len(versions) > 1 else None
    old = by_number.get(request.GET.get("from", ""), default_old)
    new = by_number.get(request.GET.get("to", ""), default_new)
    texts = ["\n".join(map(plain, version.content.splitlines())) for version in (old, new) if version]
    lines = compare(*texts) if old and new else []
    return {"old": old, "new": new, "lines": lines, "is_changed": any(line.what != "same" for line in lines)}


@page(read=None, write=Right.CURATE)
def rewrite(request: DashboardRequest, name: str) -> HttpResponse:
    """Have it written anew with the next run of the job, a minute from now at most."""
    dashboard, user = request.dashboard, request.GET.get("user", "")
    if not dashboard.app.policy.capture_summaries or dashboard.agent().summary(name, user) is None:
        raise Http404
    dashboard.agent().ask_rewrite(name, user)
    there = dashboard.address("knowledge-category", name, user=user)
    return go(request, there, "It is written anew within a minute or two. Load this page again then.")


class EntityFilters(Filters):
    q = Search("Name begins with")
    kind = Choice("Kind", [])

    def __init__(self, app: App, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        kinds = Entity.objects.for_app(app).order_by("kind").values_list("kind", flat=True).distinct()
        self.fields["kind"].choices = [("", "any"), *((kind, kind) for kind in kinds[:KINDS_OFFERED])]  # type: ignore[attr-defined]


@page()
def entities(request: DashboardRequest) -> HttpResponse:
    app = request.dashboard.app
    filters = EntityFilters(app, request.GET)
    given = filters.given()
    rows = Entity.objects.for_app(app).filter(Exists(mentions(app).filter(entity=OuterRef("pk"))))
    if "q" in given:
        rows = rows.filter(name__istartswith=given["q"])
    if "kind" in given:
        rows = rows.filter(kind=given["kind"])
    slice = keyset_page(filters.let_through(rows), request.GET)
    counts = dict(mentions(app).filter(entity__in=slice.rows).values_list("entity").annotate(Count("pk")))
    most = [] if filters.is_narrowing or request.htmx else most_mentioned(app)
    context = {
        "filters": filters,
        "slice": slice,
        "most": most,
        "lines": [(row, counts[row.pk]) for row in slice.rows],
        "largest": max(counts.values(), default=0),
    }
    return render_page(request, "knowledge/entities", context, part="knowledge/entity_list")


def mentions(app: App) -> QuerySet[Mention]:
    """Order by active memories."""
    return Mention.objects.for_app(app).filter(memory__status=Status.ACTIVE, memory__purged_at=None).order_by()


def most_mentioned(app: App) -> list[tuple[Entity, int]]:
    """Read in two queries, one of them over all of the app's mentions."""
    counted = mentions(app).values_list("entity").annotate(number=Count("pk")).order_by("-number", "entity")
    numbers = list(counted[:MOST_MENTIONED])
    rows = Entity.objects.for_app(app).in_bulk([pk for pk, _ in numbers])
    return [(rows[pk], number) for pk, number in numbers]


class LessonFilters(Filters):
    q = Search("Find")
    status = forms.ChoiceField(
        required=False, choices=[("", "active"), *((status, status) for status in OTHERS), (ANY, "any")]
    )


@page()
def lessons(request: DashboardRequest) -> HttpResponse:
    """Show active ones, unless somebody asks for others."""
    dashboard, filters = request.dashboard, LessonFilters(request.GET)
    seen = str(dashboard.app.change_number)
    if is_seen(request, seen):
        return unchanged()
    given = filters.given()
    rows = Memory.objects.for_app(dashboard.app).lessons()
    status = given.get("status", Status.ACTIVE)
    if status != ANY:
        rows = rows.filter(status=status)
    if "q" in given:
        rows = rows.with_words(given["q"])
    slice = keyset_page(filters.let_through(rows).select_related("session__agent", "agent", "cold_text"), request.GET)
    context = {"filters": filters, "slice": slice, "seen": seen}
    if not request.htmx:
        context["as_read"] = dashboard.agent().lessons_file(None)
    return render_page(request, "knowledge/lessons", context, part="memories/list")


@dataclass(frozen=True, slots=True)
class Edge:
    """`said` is how `of` stands to `to`, to be read from the one to the other: "mentions", "contradicts"."""

    of: Place
    to: Place
    kind: str


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
    relations: list[str] = field(default_factory=list)
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
        return [self.middle, *(neighbour.node for neighbour in self.near), *self.far]

    @property
    def curves(self) -> list[str]:
        """Return a path for each edge between neighbouring columns."""
        nodes = {node.place: node for node in self.nodes}
        ends = [sorted((nodes[edge.of], nodes[edge.to]), key=lambda node: node.column) for edge in self.edges]
        pairs = dict.fromkeys((left.place, right.place) for left, right in ends if left.column + 1 == right.column)
        paths = []
        for left, right in ((nodes[left], nodes[right]) for left, right in pairs):
            start, end = left.x + left.width, right.x
            middle = (start + end) / 2
            paths.append(f"M{start:g} {left.y:g}C{middle:g} {left.y:g} {middle:g} {right.y:g} {end:g} {right.y:g}")
        return paths


def graph_around(app: App, middle: Entity | Memory) -> Graph:
    """Return the graph, in eight queries at most, whatever there is."""
    place: Place = ("entity" if isinstance(middle, Entity) else "memory", middle.pk)
    first = edges_of(app, [place])
    around = dict.fromkeys(edge.to if edge.of == place else edge.of for edge in first)
    near_rows = read(app, around)
    chosen = list(near_rows)[:NEAR]
    second = edges_of(app, chosen)
    outside = [end for edge in second for end in (edge.of, edge.to) if end != place and end not in chosen]
    counted = sorted(set(outside), key=lambda end: (-outside.count(end), end))
    far_rows = read(app, counted[: 4 * FAR])
    far = [end for end in counted if end in far_rows][:FAR]
    places = {place, *chosen, *far}
    edges = [edge for edge in dict.fromkeys([*first, *second]) if edge.of in places and edge.to in places]
    graph = Graph(
        Node(place, middle),
        [Neighbour(Node(end, near_rows[end], 1)) for end in chosen],
        [Node(end, far_rows[end], 2) for end in far],
        edges,
        len(near_rows) - len(chosen),
    )
    describe_edges(graph)
    lay_out(graph)
    return graph


def edges_of(app: App, places: Sequence[Place]) -> list[Edge]:
    """Return those of active memories, the mentions of many bounded. Three queries at most."""
    entities = [pk for kind, pk in places if kind == "entity"]
    memories = [pk for kind, pk in places if kind == "memory"]
    edges = [*mention_edges(app, entity__in=entities), *mention_edges(app, memory__in=memories)]
    links = Link.objects.for_app(app).filter(Q(from_memory__in=memories) | Q(to_memory__in=memories))
    if memories:
        ends = links.order_by("-pk").values_list("from_memory", "to_memory", "kind")[:MOST_MENTIONS]
        edges = [Edge(("memory", start), ("memory", end), kind) for start, end, kind in ends] + edges
    return edges


def mention_edges(app: App, **ends: list[int]) -> list[Edge]:
    """Return links of active memories, the most important first, bounded. One query, none without ends."""
    if not any(ends.values()):
        return []
    rows = Mention.objects.for_app(app).filter(memory__status=Status.ACTIVE, memory__purged_at=None, **ends)
    best = rows.order_by("-memory__importance", "-memory__confidence", "-memory", "entity")[:MOST_MENTIONS]
    pairs = best.values_list("memory", "entity")
    return [Edge(("memory", memory), ("entity", entity), MENTIONS) for memory, entity in pairs]


def read(app: App, places: Iterable[Place]) -> dict[Place, Entity | Memory]:
    """Return the rows of these places that one may see, in their order. Two queries."""
    wanted = list(places)
    entities = Entity.objects.for_app(app).in_bulk([pk for kind, pk in wanted if kind == "entity"])
    rows_of_memories = Memory.objects.for_app(app).select_related("cold_text")
    memories = rows_of_memories.in_bulk([pk for kind, pk in wanted if kind == "memory"])
    rows: dict[Place, Entity | Memory] = {("entity", pk): row for pk, row in entities.items()}
    rows |= {("memory", pk): memory for pk, memory in memories.items()}
    return {place: rows[place] for place in wanted if place in rows}


def describe_edges(graph: Graph) -> None:
    """Note what is said between the middle and each neighbour, and what each leads to."""
    far = {node.place: node for node in graph.far}
    by_place = {neighbour.node.place: neighbour for neighbour in graph.near}
    for edge in graph.edges:
        ends = (edge.of, edge.to, SAID[edge.kind, True]), (edge.to, edge.of, SAID[edge.kind, False])
        for here, there, relation in ends:
            if here == graph.middle.place and there in by_place:
                by_place[there].relations.append(relation)
            if here in by_place and there in far:
                by_place[here].further.append(far[there])


def lay_out(graph: Graph) -> None:
    """Place each column from top to bottom; the far ones beside what they hang on, so that few lines cross."""
    heights = {neighbour.node.place: number for number, neighbour in enumerate(graph.near)}
    for node in graph.far:
        hangs_on = [heights[near.node.place] for near in graph.near if node in near.further]
        heights[node.place] = round(sum(hangs_on) / len(hangs_on)) if hangs_on else 0
    graph.far.sort(key=lambda node: heights[node.place])
    columns: Sequence[Sequence[Node]] = ([graph.middle], [neighbour.node for neighbour in graph.near], graph.far)
    for number, column in enumerate(columns):
        slack = (graph.height - 2 * TOP - ROW * (len(column) - 1)) / 2
        for row, node in enumerate(column):
            node.x, node.y = COLUMNS[number][0], TOP + slack + ROW * row


@page()
def entity(request: DashboardRequest, uid: UUID) -> HttpResponse:
    return around(request, get_object_or_404(Entity.objects.for_app(request.dashboard.app), uid=uid))


@page()
def memory(request: DashboardRequest, uid: UUID) -> HttpResponse:
    rows = Memory.objects.for_app(request.dashboard.app).select_related("cold_text")
    return around(request, get_object_or_404(rows, uid=uid))


def around(request: DashboardRequest, middle: Entity | Memory) -> HttpResponse:
    return render_page(request, "knowledge/walk", {"graph": graph_around(request.dashboard.app, middle)})


PASSAGES_SHOWN = 200


class FileForm(forms.Form):
    file = forms.FileField(help_text="PDF, DOCX, HTML, Markdown or text.")

    def clean_file(self) -> Any:
        file, most = self.cleaned_data["file"], get_conf().document_megabytes
        if file.size > most * 1024 * 1024:
            raise forms.ValidationError(f"The file is larger than {most:,} MB.")
        return file


class DocumentForm(FileForm):
    user_id = forms.CharField(
        label="End user", required=False, max_length=200, help_text="Whose it is; empty: nobody's in particular."
    )


@page(write=Right.CURATE)
def documents(request: DashboardRequest) -> HttpResponse:
    """Show what was uploaded and how far it is read; curators upload files."""
    form = DocumentForm(request.POST or None, request.FILES or None, auto_id="document-%s")
    if request.method == "POST" and form.is_valid():
        try:
            request.dashboard.agent().upload_document(upload_of(form))
        except DocumentLimit as error:
            form.add_error(None, str(error))
        else:
            return go(request, request.dashboard.address("knowledge-documents"), "Uploaded. A worker reads it now.")
    slice: KeysetPage[Document] = keyset_page(request.dashboard.agent().documents(), request.GET)
    seen = fingerprint([(row.uid, row.status, row.updated_at) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"form": form, "slice": slice, "seen": seen}
    return render_page(request, "documents/page", context, part="documents/list")


@page(write=Right.CURATE)
def document(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Show what a document says; curators upload another file in its place."""
    agent = request.dashboard.agent()
    row = get_object_or_404(agent.documents(), uid=uid)
    form = FileForm(request.POST or None, request.FILES or None, auto_id="document-%s")
    if request.method == "POST" and form.is_valid():
        agent.upload_document(upload_of(form), row)
        there = request.dashboard.address("knowledge-documents-one", uid)
        return go(request, there, "Uploaded. What it said before is found until a worker has read it.")
    rows = agent.passages_of(row)[:PASSAGES_SHOWN]
    passages = [(passage, (citation_of(passage) or {}).get("citation", "")) for passage in rows]
    return render_page(request, "documents/one", {"row": row, "form": form, "passages": passages})


@page(read=None, write=Right.CURATE)
def delete(request: DashboardRequest, uid: UUID) -> HttpResponse:
    agent = request.dashboard.agent()
    agent.delete_document(get_object_or_404(agent.documents(), uid=uid))
    return go(request, request.dashboard.address("knowledge-documents"), "Deleted for good.")


def upload_of(form: forms.Form) -> Upload:
    file = form.cleaned_data["file"]
    return Upload(data=file.read(), name=file.name, user_id=form.cleaned_data.get("user_id") or None)
