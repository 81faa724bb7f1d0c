"""Long lists: filters in the address, and keyset pages that are never counted and stable while rows come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django import forms
from django.db.models import Model, Q, QuerySet

from memsite.tenancy.models import Agent, App
from memsite.timestamps import check_in_reach, is_in_reach

Row = TypeVar("Row", bound=Model)
SIZE = 50
FEW = 2
COUNTED_TO = 1_000
MOST_FIGURE = 2.0**53
SEAM = "~"
"""Between the value and the uid of a row that a page begins or ends with."""
AGENTS_OFFERED = 200
TOO_LONG = {"max_length": "A text to look for has %(limit_value)d characters at most."}
Rows = TypeVar("Rows", bound=QuerySet[Any])


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[Row]):
    """A page of rows. `older` and `newer` are values of `?after=` and `?before=`, None where nothing follows.

    One `is_beyond` whose value led to no row: there may be rows nearer to the newest.
    """

    rows: list[Row]
    older: str | None = None
    newer: str | None = None
    is_beyond: bool = False


def keyset_page(
    rows: QuerySet[Row],
    query: Mapping[str, str],
    size: int = SIZE,
    by: str = "uid",
    *,
    has_ties: bool = False,
    is_rising: bool = False,
    sorts_keys: bool = False,
) -> KeysetPage[Row]:
    """Return a page of the latest rows, by `uid` or by a time that no two rows share (`by`).

    Rows that may share their value (`has_ties`) are in the order of their uid. `is_rising`: the least value comes
    first. `after` and `before` name a row of another page; unknown ones are ignored. `sorts_keys`: no index has this
    order, so that keys are sorted, and only the rows of the page are read.
    """
    pick = picked_by_key if sorts_keys else picked
    after, before = (read_place(query.get(name), by, has_ties) for name in ("after", "before"))
    names = [by, "uid"] if has_ties else [by]
    rising, falling = names, [f"-{name}" for name in names]
    forward, backward = (rising, falling) if is_rising else (falling, rising)
    further, nearer = ("gt", "lt") if is_rising else ("lt", "gt")
    if before is not None and after is None:
        batch = pick(rows.filter(beyond(before, by, nearer)), backward, size + 1)
        more, page = len(batch) > size, batch[:size][::-1]
        newer = name_of(page, 0, by, has_ties) if more else None
        return KeysetPage(page, name_of(page, -1, by, has_ties), newer, is_beyond=not page)
    if after is not None:
        rows = rows.filter(beyond(after, by, further))
    batch = pick(rows, forward, size + 1)
    page = batch[:size]
    older = name_of(page, -1, by, has_ties) if len(batch) > size else None
    newer = name_of(page, 0, by, has_ties) if after else None
    return KeysetPage(page, older, newer, is_beyond=not page and after is not None)


def picked(rows: QuerySet[Row], order: list[str], number: int) -> list[Row]:
    return list(rows.order_by(*order)[:number])


def picked_by_key(rows: QuerySet[Row], order: list[str], number: int) -> list[Row]:
    keys = rows.select_related(None).order_by(*order).values("pk")[:number]
    return list(rows.filter(pk__in=keys).order_by(*order))


def beyond(place: Any, by: str, sign: str) -> Q:
    """Select what lies beyond a row, which is named by its value, or by its value and its uid."""
    if not isinstance(place, tuple):
        return Q(**{f"{by}__{sign}": place})
    value, uid = place
    # Said twice, so that an index of the values is entered where they begin.
    return Q(**{f"{by}__{sign}e": value}) & (Q(**{f"{by}__{sign}": value}) | Q(**{f"uid__{sign}": uid}))


def name_of(rows: list[Any], place: int, by: str = "uid", has_ties: bool = False) -> str | None:
    if not rows:
        return None
    value = getattr(rows[place], by)
    name = value.isoformat() if isinstance(value, datetime) else str(value)
    return f"{name}{SEAM}{rows[place].uid}" if has_ties else name


def read_place(text: str | None, by: str, has_ties: bool) -> Any:
    """Return what `name_of` has named; None for a text that names nothing."""
    if not has_ties:
        return as_uid(text) if by == "uid" else as_moment(text)
    name, _, uid = (text or "").partition(SEAM)
    place = as_moment(name) if by.endswith("_at") else as_figure(name), as_uid(uid)
    return None if None in place else place


def as_figure(text: str) -> float | None:
    try:
        figure = float(text)
    except ValueError:
        return None
    return figure if abs(figure) <= MOST_FIGURE else None


def bounded_count(rows: QuerySet[Any]) -> str:
    """Return the number of rows as shown: of more than a thousand only that. One query."""
    number = rows.order_by()[: COUNTED_TO + 1].count()
    return f"{COUNTED_TO:,}+" if number > COUNTED_TO else f"{number:,}"


def as_uid(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None


def as_moment(text: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo and is_in_reach(moment) else None


class Filters(forms.Form):
    """A form of filters: every field may be empty. A field `agent` offers the first agents of `app`: one query.

    What is to be found comes first. `rare` are the fields that are folded away, unless they are in use.
    """

    use_required_attribute = False
    rare: tuple[str, ...] = ()

    def __init__(self, *args: Any, app: App | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        if app is not None:
            names = Agent.objects.for_app(app).order_by("name").values_list("name", flat=True)[:AGENTS_OFFERED]
            self.fields["agent"].choices = [("", "any"), *((name, name) for name in names)]  # type: ignore[attr-defined]

    def given(self) -> dict[str, Any]:
        """Return the cleaned filters."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value not in (None, "", [])}

    @property
    def refused(self) -> str:
        """Return sentences about invalid texts and times; empty where all are valid."""
        wrong = [self[name] for name in self.errors if not isinstance(self.fields[name], forms.ChoiceField)]
        return " ".join(f"{field.label}: {error}" for field in wrong for error in field.errors)

    def let_through(self, rows: Rows) -> Rows:
        """Return no rows if something is invalid: all of them would look like the result."""
        return rows.none() if self.refused else rows

    @property
    def is_narrowing(self) -> bool:
        return bool(self.given() or self.refused)

    @property
    def leading(self) -> list[forms.BoundField]:
        """Return the fields that phones show at once: the first, or all where there are few."""
        names = list(self.fields)
        return [self[name] for name in names[: 1 if len(names) > FEW else FEW]]

    @property
    def usual(self) -> list[forms.BoundField]:
        leading = {field.name for field in self.leading}
        return [self[name] for name in self.fields if name not in leading and name not in self.rare]

    @property
    def seldom(self) -> list[forms.BoundField]:
        return [self[name] for name in self.rare]

    @property
    def is_seldom_used(self) -> bool:
        return any(self[name].value() not in (None, "") for name in self.rare)


class Search(forms.CharField):
    """A text to search for while it is typed."""

    def __init__(self, label: str, **options: Any) -> None:
        widget = forms.TextInput(attrs={"type": "search", "autocomplete": "off"})
        super().__init__(label=label, required=False, max_length=500, widget=widget, error_messages=TOO_LONG, **options)


class Moment(forms.DateTimeField):
    """A time, by the clock of the app."""

    def __init__(self, label: str) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"})
        super().__init__(label=label, required=False, validators=[check_in_reach], widget=widget)


class Choice(forms.ChoiceField):
    """One of `choices`, or any."""

    def __init__(self, label: str, choices: Any, **options: Any) -> None:
        super().__init__(label=label, required=False, choices=[("", "any"), *choices], **options)


class Suggested(forms.CharField):
    """A text with suggestions: `form.fields[name].suggest([...])` once they are known."""

    def __init__(self, label: str, **options: Any) -> None:
        super().__init__(
            label=label, required=False, max_length=200, widget=Suggestions(), error_messages=TOO_LONG, **options
        )

    def suggest(self, texts: Any) -> None:
        self.widget.texts = list(texts)


class Suggestions(forms.TextInput):
    """A text input with its own datalist."""

    template_name = "dashboard/parts/suggestions.html"

    def __init__(self) -> None:
        super().__init__(attrs={"autocomplete": "off"})
        self.texts: list[str] = []

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        where = f"{context['widget']['attrs'].get('id', name)}_list"
        context["widget"]["attrs"]["list"] = where
        return {**context, "texts": self.texts, "where": where}
