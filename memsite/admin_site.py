"""What the admin pages share: their names, read-only pages, tables below a form, texts shown as they came."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import rest_framework.views  # noqa: F401  # before memsite.http.json_body: the two import each other
from django import forms
from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import display_for_value
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import AdminTextareaWidget, AutocompleteSelect
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db import DataError, OperationalError
from django.db.models import JSONField, Model, QuerySet
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.text import Truncator, slugify
from rest_framework.exceptions import ParseError

from memsite.http.hidden_characters import show_hidden
from memsite.http.json_body import parse_json
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.models import Agent, App
from memsite.tenancy.scoping import Purged

Row = TypeVar("Row", bound=Model)
LIST_CHARACTERS = 120
RAW_CHARACTERS = 200_000
FILTER_CHOICES = 200
NO_PATTERN = "user-defined function raised exception"
"""What SQLite says where `regex` is asked for what is none. It has no patterns of its own: Python reads them."""

if TYPE_CHECKING:
    GenericAdmin = admin.ModelAdmin
else:

    class GenericAdmin(admin.ModelAdmin):
        """The stubs know ModelAdmin[Row]; Django itself does not."""

        def __class_getitem__(cls, _: Any) -> type:
            return cls


def columns(names: str) -> tuple[str, ...]:
    """Return the names of columns or fields that a text lists."""
    return tuple(names.split())


GROUPS = {
    "Curate": columns("memories.memory memories.rejection memories.futuretrigger memories.entity memories.summary"),
    "Apps and access": columns(
        "tenancy.app tenancy.agent tenancy.apikey auth.user oauth.oauthgrant memories.webhook memories.bridge "
        "memories.alertrule tenancy.auditentry"
    ),
    "What ran": columns(
        "agent_sessions.agentsession agent_sessions.event jobs.jobschedule jobs.jobrun memories.extraction "
        "memories.import memories.delivery memories.alert memories.ledgerentry"
    ),
}
"""What people do, and with which lists, in this order. All others are internals."""
INTERNALS = "Internals"


class MemsiteAdmin(admin.AdminSite):
    site_header = site_title = "Memsite"
    index_title = "Administration"
    site_url = "/"

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """Return groups by what people do, the internals closed; one app's lists where they are asked for."""
        if app_label:
            return super().get_app_list(request, app_label)
        lists = {
            model["model"]._meta.label_lower: model
            for app in self._build_app_dict(request).values()
            for model in app["models"]
        }
        groups = {name: [lists.pop(label) for label in labels if label in lists] for name, labels in GROUPS.items()}
        groups[INTERNALS] = sorted(lists.values(), key=lambda model: str(model["name"]))
        return [
            {
                "name": name,
                "app_label": slugify(name),
                "app_url": reverse("admin:index"),
                "has_module_perms": True,
                "models": models,
                "is_closed": name == INTERNALS,
            }
            for name, models in groups.items()
            if models
        ]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows shown below a form; `more_url` leads to all of them."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    more_url: str = field(default="", kw_only=True)


def column(description: str, show: Callable[[Any], object], ordering: str | None = None) -> Callable[..., object]:
    """Return a column: its heading, what it shows of a row, and by which field it is ordered."""
    return admin.display(description=description, ordering=ordering)(lambda _, row: show(row))


class StrictJSONField(forms.JSONField):
    """JSON as the API takes it: no NaN, no NUL characters, no bottomless nesting. Shown again as typed."""

    widget = AdminTextareaWidget

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "rows": 3}

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        try:
            return parse_json(value.encode(errors="surrogatepass"))
        except ParseError as error:
            raise ValidationError(str(error.detail).replace("The body", "The text")) from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        return initial if self.disabled else InvalidJSONInput(data or "")


class SelectApp(AutocompleteSelect):
    def optgroups(self, name: str, value: Any, attrs: Any = None) -> Any:
        """Offer nothing for what is no number of an app; the form's field says what is wrong with it."""
        try:
            return super().optgroups(name, value, attrs)
        except (ValueError, OverflowError):
            return super().optgroups(name, [], attrs)


class PlainList(ChangeList):
    """An address that asks for what cannot be (`?id__range=1`) shows the whole list, also where only reading tells.

    The rows of a page are found by their ids alone, then read: sorting 100,000 whole rows takes a second.
    """

    def get_results(self, request: HttpRequest) -> None:
        try:
            super().get_results(request)
            pks = list(self.result_list.values_list("pk", flat=True))
            self.result_list = self.queryset.filter(pk__in=pks)
        except (ValueError, OverflowError, IndexError, DataError, OperationalError) as error:
            is_of_the_site = isinstance(error, OperationalError) and NO_PATTERN not in str(error)
            if is_of_the_site or not self.get_filters_params():
                raise
            raise IncorrectLookupParameters from error


class SiteAdmin(GenericAdmin[Row]):
    """The base of all our admins: staff see the apps they are members of, and do there what their role allows.

    `app_path` leads from a row to its app ("" for rows of no app, which are the superusers'), `right` is what it
    takes to change a row, and `forbidden` says what nobody may do to one ("add", "change", "delete").
    `dashboard_page` is the address of the operator's dashboard that shows a row, named by its `dashboard_args`. The
    log of actions names rows by id: a purged text must not live on in it.
    """

    app_path = "app"
    right = Right.CURATE
    forbidden: Collection[str] = ()
    dashboard_page = ""
    dashboard_args: Sequence[str] = ("uid",)
    list_per_page = 50
    show_full_result_count = False
    # Counting for every choice of every filter takes seconds with 200,000 rows.
    show_facets = admin.ShowFacets.NEVER
    change_form_template = "admin/memsite/change_form.html"
    formfield_overrides = {JSONField: {"form_class": StrictJSONField}}

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PlainList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Row]:
        rows = super().get_queryset(request)
        # What a purge has hidden is gone, here too.
        rows = rows.filter(purged_at=None) if issubclass(self.model, Purged) else rows
        return self.within(request, rows, Right.READ)

    def within(self, request: HttpRequest, rows: QuerySet[Row], right: Right) -> QuerySet[Row]:
        """Return those of these rows whose app gives this right."""
        if request.user.is_superuser:
            return rows
        return rows.filter(**{f"{self.app_path}__in": apps_of(request.user, right)}) if self.app_path else rows.none()

    def allows(self, request: HttpRequest, right: Right, obj: Row | None = None) -> bool:
        """Return whether the right holds in the app of `obj`, or in any. Superusers: no query."""
        user = request.user
        if not user.is_active or not user.is_staff:
            return False
        if user.is_superuser:
            return True
        if obj is None:
            return bool(self.app_path) and apps_of(user, right).exists()
        return self.within(request, self.model._default_manager.filter(pk=obj.pk), right).exists()

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.allows(request, Right.READ)

    def has_view_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return self.allows(request, Right.READ, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return "add" not in self.forbidden and self.allows(request, self.right)

    def has_change_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return "change" not in self.forbidden and self.allows(request, self.right, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return "delete" not in self.forbidden and self.allows(request, self.right, obj)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Row], *more: Any) -> HttpResponse | None:
        """Give actions only the rows that may be changed: all of them change something."""
        return super().response_action(request, self.within(request, queryset, self.right), *more)

    def get_form(self, request: HttpRequest, obj: Row | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Return a form for one app, whose choices are of that app.

        A site may have thousands.
        """
        form: Any = super().get_form(request, obj, change, **kwargs)
        if "app" in form.base_fields:
            field = form.base_fields["app"] = copy.deepcopy(form.base_fields["app"])
            field.widget = SelectApp(self.opts.get_field("app"), self.admin_site)
            field.widget.is_required = field.required
            field.queryset = field.queryset.filter(pk__in=apps_of(request.user, self.right))
        return form

    def apps_offered(self, request: HttpRequest, apps: QuerySet[App]) -> QuerySet[App]:
        """Return those of these apps that its form for a new row takes."""
        field = self.get_form(request).base_fields.get("app") if self.has_add_permission(request) else None
        return apps.filter(pk__in=field.queryset.order_by().values("pk")) if field else apps.none()

    def get_view_on_site_url(self, obj: Row | None = None) -> str | None:
        """Return where the row is on the dashboard."""
        if obj is None or not self.dashboard_page:
            return None
        app = obj if isinstance(obj, App) else obj.app  # type: ignore[attr-defined]  # those with a page have one
        there = reverse(self.dashboard_page, args=[getattr(obj, name) for name in self.dashboard_args])
        return f"{there}?{urlencode({'app': app.app_id})}" if app else None

    def tables(self, obj: Row) -> list[Table]:
        """Return what is shown below the form of `obj`. Each table must be bounded."""
        return []

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Row | None = None,
    ) -> HttpResponse:
        context["tables"] = self.tables(obj) if obj is not None else []
        return super().render_change_form(request, context, add, change, form_url, obj)

    def log_addition(self, request: HttpRequest, obj: Row, message: Any) -> LogEntry:
        return self.log(request, [obj], ADDITION, message)[0]

    def log_change(self, request: HttpRequest, obj: Row, message: Any) -> LogEntry:
        return self.log(request, [obj], CHANGE, message)[0]

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Row]) -> list[LogEntry]:
        return self.log(request, queryset, DELETION, "")

    def log_each(self, request: HttpRequest, rows: Iterable[Row], message: str) -> None:
        self.log(request, rows, CHANGE, message)

    def log(self, request: HttpRequest, rows: Iterable[Row], action: int, message: Any) -> list[LogEntry]:
        entries = [
            LogEntry(
                user_id=request.user.pk,  # type: ignore[misc]  # somebody is signed in
                content_type=ContentType.objects.get_for_model(self.model),
                object_id=str(row.pk),
                object_repr=self.log_name(row)[:200],
                action_flag=action,
                change_message=json.dumps(message) if isinstance(message, list) else message,
            )
            for row in rows
        ]
        return LogEntry.objects.bulk_create(entries, batch_size=500)

    def log_name(self, row: Row) -> str:
        uid = getattr(row, "uid", None)
        return f"{self.opts.verbose_name} {uid}" if uid else str(row)


class ReadOnlyAdmin(SiteAdmin[Row]):
    """To be looked at by those who may; to be changed by nobody."""

    ordering = ["-id"]
    list_select_related = ["app"]
    forbidden = ("add", "change", "delete")

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Return whether somebody may act on rows that others write: decide about them, try them again, revoke them."""
        return self.allows(request, self.right)


class AppFilter(admin.RelatedFieldListFilter):
    """Offers the first apps only, and the one that a link has set it to: a site may have thousands."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[Any]:
        rows = self.select(field.related_model._default_manager.all(), apps_of(request.user))
        offered = {str(row.pk): row for row in rows[:FILTER_CHOICES]}
        value: str = (self.lookup_val or [""])[-1]
        beyond = rows.filter(pk=value) if value.isdecimal() and value not in offered else []
        return [(str(row.pk), self.label(row)) for row in (*offered.values(), *beyond)]

    def select(self, rows: Any, apps: QuerySet[App]) -> Any:
        return rows.filter(pk__in=apps)

    def label(self, row: Any) -> str:
        return str(row)


class AgentFilter(AppFilter):
    def select(self, rows: Any, apps: QuerySet[App]) -> Any:
        return rows.filter(app__in=apps).select_related("app").order_by("app__app_id", "name")

    def label(self, row: Agent) -> str:
        return row.full_name


def shorten(text: str, length: int = LIST_CHARACTERS) -> str:
    """Return the beginning of it, with what is hidden in that."""
    return show_hidden(Truncator(text).chars(length))


def show_time(moment: datetime | None) -> str:
    """Return a value as Django's own columns show it."""
    return str(display_for_value(moment, "-"))


def raw(value: Any) -> SafeString:
    """Show a text or JSON value as it came, with what is hidden in it: escaped, in a <pre>."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    left = len(text) - RAW_CHARACTERS
    more = f"\n… and {left:,} characters more" if left > 0 else ""
    return format_html('<pre class="memsite-raw">{}{}</pre>', show_hidden(text[:RAW_CHARACTERS]), more)


def link_to(row: Model | None, text: object = None, length: int = 60) -> str:
    """Return a link to the row's own page; "-" without a row, its text where it has no page."""
    if row is None:
        return "-"
    label = shorten(str(row if text is None else text), length)
    try:
        url = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    except NoReverseMatch:
        return label
    return format_html('<a href="{}">{}</a>', url, label)


def list_url(model: str, **filters: Any) -> str:
    """Return the list page of `app_label_model`, filtered."""
    url = reverse(f"admin:{model}_changelist")
    return f"{url}?{urlencode(filters)}" if filters else url
