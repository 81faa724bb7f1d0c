"""The admin pages of memories: list, filters, actions, the form of one memory, its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.actions import delete_selected as confirm_and_delete
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memories.admin.forms import EDITABLE, AddMemoryForm, ChangeMemoryForm
from memories.admin.records import LATEST_SHOWN, history_table, injections_table, links_table
from memories.models import Injection, Link, Memory, Revision, Source, Status, Trust
from memories.retrieve.filters import HoldsText
from memories.services import CannotMerge, Changed, MemoryAgent, VersionMismatch
from memories.services.memories import MergePlan
from memories.store import Candidate, LimitReached
from memsite.admin_site import (
    AppFilter,
    GenericAdmin,
    SiteAdmin,
    Table,
    column,
    columns,
    link_to,
    list_url,
    shorten,
)
from memsite.tenancy.access import actor_of, apps_of
from memsite.tenancy.models import App
from sessions.models import Turn

DELETE_AT_MOST = 500
CATEGORIES_OFFERED = 100
BANDS = {
    "low": ("below 0.3", Q(confidence__lt=0.3)),
    "middle": ("0.3 to 0.7", Q(confidence__gte=0.3, confidence__lte=0.7)),
    "high": ("above 0.7", Q(confidence__gt=0.7)),
}
LISTED_BEFORE_DELETE = 50
TITLE_CHARACTERS, TAG_CHARACTERS = 600, 40
WHAT = ("content", ("kind", "category", "subject"), ("confidence", "importance"), "pinned", "tags")
READERS = ("Who may see it", {"fields": [("user_id", "visibility")]})
VALIDITY = ("When it holds", {"fields": ["valid_from", "valid_until"], "classes": ["collapse"]})
METADATA = ("Metadata", {"fields": ["metadata"], "classes": ["collapse"]})
ORIGIN = columns(
    "source origin trust reviewed_by reviewed_at made_by written_by session turn resource external_id tier"
)
USE = columns("uid strength sentiment priority access_count created_at updated_at confirmed_at accessed_at")


def by_app(request: HttpRequest, queryset: QuerySet[Memory]) -> Iterator[tuple[MemoryAgent, list[int]]]:
    """Yield the selected memories' ids, and the operator's service of the app that they belong to."""
    pairs = queryset.order_by("app_id", "pk").values_list("app_id", "pk")
    for app_id, group in groupby(pairs, key=lambda pair: pair[0]):
        app = App.objects.select_related("policy").get(pk=app_id)
        yield MemoryAgent(app, None, actor_of(request.user)), [pk for _, pk in group]


Action = Callable[[Any, HttpRequest, QuerySet[Memory]], None]


def change_action(
    name: str, description: str, done: str, change: Callable[[MemoryAgent, list[int]], Changed]
) -> Action:
    """Return an action that applies `change`, and reports how many were `done`, and why others were not."""

    @admin.action(description=description, permissions=["change"])
    def act(page: Any, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        count, left = 0, Counter[str]()
        for agent, pks in by_app(request, queryset):
            changed = change(agent, pks)
            count += changed.done
            left += changed.left
        if count:
            messages.success(request, f"{count} {done}.")
        for why_left, number in left.items():
            messages.warning(request, f"{number} left as they are: {why_left}.")

    act.__name__ = name
    return act


class MemoryActions(GenericAdmin[Memory]):
    """The actions; `has_…_permission` of the admin decides who may."""

    actions = [
        change_action("archive", "Archive", "archived", MemoryAgent.archive_each),
        change_action("restore", "Restore", "restored", MemoryAgent.restore_each),
        change_action("pin", "Pin", "pinned", MemoryAgent.pin_each),
        change_action("unpin", "Unpin", "unpinned", MemoryAgent.unpin_each),
        change_action("review", "Mark as reviewed", "marked as reviewed", MemoryAgent.review_each),
        "merge",
        change_action("undo", "Undo the last change", "set back", MemoryAgent.undo_each),
        change_action("embed_anew", "Embed anew", "have a new vector", MemoryAgent.embed_each),
        "delete_selected",
    ]

    @admin.action(description="Merge into the most confident…", permissions=["change"])
    def merge(self, request: HttpRequest, queryset: QuerySet[Memory]) -> HttpResponse | None:
        groups = list(by_app(request, queryset))
        if len(groups) > 1:
            messages.error(request, "Only memories of the same app can be merged.")
            return None
        for agent, pks in groups:
            try:
                plan = agent.plan_merge(pks)
                if "post" not in request.POST:
                    return self.ask_to_merge(request, plan)
                if plan.at_odds and "despite" not in request.POST:
                    raise CannotMerge("Some contradict each other: tick that they are to be merged all the same.")
                agent.merge(pks)
            except CannotMerge as error:
                messages.error(request, str(error))
            else:
                messages.success(request, f"{len(pks)} merged into one.")
        return None

    def ask_to_merge(self, request: HttpRequest, plan: MergePlan) -> HttpResponse:
        """Show what would stay and what would go, before anything is merged."""
        rows = [
            (
                "stays" if memory == plan.stays else "goes",
                link_to(memory, memory.text, 300),
                memory.subject_or_general,
                f"{memory.confidence:.2f}",
                "contradicts" if memory.pk in plan.at_odds else "",
            )
            for memory in (plan.stays, *plan.goes)
        ]
        context = {
            **self.admin_site.each_context(request),
            "title": "Merge memories",
            "tables": [Table(f"{len(rows)} memories", ("", "Memory", "Subject", "Confidence", "Contradiction"), rows)],
            "pks": [memory.pk for memory in (plan.stays, *plan.goes)],
            "at_odds": len(plan.at_odds),
        }
        return render(request, "admin/memsite/merge.html", context)

    @admin.action(description="Delete for good", permissions=["delete"])
    def delete_selected(self, request: HttpRequest, queryset: QuerySet[Memory]) -> HttpResponseBase | None:
        if queryset.count() > DELETE_AT_MOST:
            messages.error(request, f"Select at most {DELETE_AT_MOST} memories to delete.")
            return None
        return confirm_and_delete(self, request, queryset)


class CategoryFilter(admin.SimpleListFilter):
    """Offers the first categories only: agents may name as many as they like."""

    title = "category"
    parameter_name = "category"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = Memory.objects.filter(app__in=apps_of(request.user))
        names = rows.order_by("category").values_list("category", flat=True).distinct()
        return [(name, name) for name in names[:CATEGORIES_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(category=self.value()) if self.value() else queryset


class ConfidenceBand(admin.SimpleListFilter):
    title = "confidence"
    parameter_name = "confidence"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, _) in BANDS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        band = BANDS.get(self.value() or "")
        return queryset.filter(band[1]) if band else queryset


class TagFilter(admin.SimpleListFilter):
    """Shows which tag a chip or a search for it has set: there are too many to offer."""

    title = "tag"
    parameter_name = "tag"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, value)] if (value := request.GET.get("tag")) else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        tag = self.value()
        if not tag:
            return queryset
        # PostgreSQL keeps no such character, and takes none.
        return queryset.none() if "\0" in tag else queryset.filter(HoldsText("tags", tag))


class TrustFilter(admin.SimpleListFilter):
    title = "trust"
    parameter_name = "trust"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(level, level) for level in Trust.values]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = self.value()
        return queryset.filter(pk__in=Memory.objects.of_trust(wanted)) if wanted in Trust.values else queryset


@admin.register(Memory)
class MemoryAdmin(MemoryActions, SiteAdmin[Memory]):
    dashboard_page = "memories-one"
    list_display = columns("text about confidence_bar status_shown updated_shown app")
    list_filter = [
        ("app", AppFilter),
        "status",
        TagFilter,
        ConfidenceBand,
        "pinned",
        "kind",
        "source",
        "origin",
        TrustFilter,
        "visibility",
        CategoryFilter,
    ]
    list_select_related = ["app", "session", "cold_text"]
    search_fields = ["content", "subject", "user_id", "external_id"]
    search_help_text = "In content (but in the cold archive), subject, end user and external id; #tag finds a tag."
    ordering = ["-id"]
    # Not editable in the model; the forms declare fields of their own under these names.
    exclude = ["app", "version"]

    # --- the list

    @admin.display(description="memory", ordering="content")
    def text(self, memory: Memory) -> SafeString:
        css_class = "" if memory.status == Status.ACTIVE else " is-away"
        title = shorten(memory.text, TITLE_CHARACTERS)
        text = shorten(memory.text)
        return format_html('<span class="memsite-text{}" title="{}">{}</span>', css_class, title, text)

    @admin.display(description="about", ordering="subject")
    def about(self, memory: Memory) -> SafeString:
        """Show the subject and the category, the session, and tags that lead to all memories with them."""
        chips = format_html_join(
            "",
            '<a class="memsite-chip" href="{}">{}</a>',
            ((list_url("memories_memory", tag=tag), shorten(tag, TAG_CHARACTERS)) for tag in memory.tags),
        )
        session = (
            format_html('<span class="quiet">{}</span>', link_to(memory.session, length=30)) if memory.session else ""
        )
        return format_html(
            '<span class="memsite-about"><span>{}</span><span class="quiet">{}</span>{}{}</span>',
            shorten(memory.subject_or_general, TAG_CHARACTERS),
            memory.category,
            session,
            chips,
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Memory], search_term: str
    ) -> tuple[QuerySet[Memory], bool]:
        """Take each word that begins with # for a tag."""
        words = search_term.split()
        for tag in (word[1:] for word in words if word.startswith("#") and len(word) > 1):
            queryset = queryset.filter(HoldsText("tags", tag))
        rest = " ".join(word for word in words if not word.startswith("#") or word == "#")
        return super().get_search_results(request, queryset, rest)

    @admin.display(description="confidence", ordering="confidence")
    def confidence_bar(self, memory: Memory) -> SafeString:
        return format_html(
            '<span class="memsite-confidence"><meter min="0" max="1" low="0.3" high="0.7" optimum="1" value="{0}">'
            "</meter>{0}</span>",
            f"{memory.confidence:.2f}",
        )

    status_word = column("status", lambda memory: memory.status, "status")
    status_shown = column(
        "status", lambda memory: f"{memory.status}, pinned" if memory.pinned else memory.status, "status"
    )

    @admin.display(description="updated", ordering="updated_at")
    def updated_shown(self, memory: Memory) -> SafeString:
        moment = timezone.localtime(memory.updated_at)
        return format_html('<time datetime="{}">{}</time>', moment.isoformat(), f"{moment:%Y-%m-%d %H:%M}")

    # --- one memory

    written_by = column("written by", lambda row: link_to(row.agent, row.agent.full_name) if row.agent else "-")
    trust = column("trust", lambda memory: str(memory.trust_level.label))

    @admin.display(description="turn")
    def turn(self, memory: Memory) -> str:
        """Read it in one query."""
        if memory.session is None or memory.turn_number is None:
            return "-"
        turns = Turn.objects.for_app(memory.app).filter(session=memory.session, number=memory.turn_number)
        return link_to(turns.first(), f"turn {memory.turn_number}")

    def tables(self, obj: Memory) -> list[Table]:
        return [history_table(obj, LATEST_SHOWN), links_table(obj), injections_table(obj)]

    def get_form(self, request: HttpRequest, obj: Memory | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = ChangeMemoryForm if obj else AddMemoryForm
        made = super().get_form(request, obj, change, **{"form": form, **kwargs})
        made.refused = getattr(request, "refused", "")
        return made

    def get_fieldsets(self, request: HttpRequest, obj: Memory | None = None) -> Any:
        if obj is None:
            return [(None, {"fields": ["app", *WHAT]}), READERS, VALIDITY, METADATA]
        own: Sequence[Any] = [("app", "status_word"), *WHAT]
        if self.has_change_permission(request, obj):
            own = [*own, "reason", "version"]
        origin, use = ("Where it came from", {"fields": ORIGIN}), ("How it fares", {"fields": USE})
        return [(None, {"fields": own}), READERS, VALIDITY, METADATA, origin, use]

    def get_readonly_fields(self, request: HttpRequest, obj: Memory | None = None) -> tuple[str, ...]:
        return ("app", "status_word", *ORIGIN, *USE) if obj else ()

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Without the transaction that Django holds around it: embedding comes first, then the write lock."""
        view = super()._changeform_view  # type: ignore[misc]
        try:
            return view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]
        except VersionMismatch:
            # Someone came between the form's check and the lock. Now the form sees it, and says so.
            return view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]
        except LimitReached as full:
            request.refused = str(full)  # type: ignore[attr-defined]
            return view(request, object_id, form_url, extra_context)  # type: ignore[no-any-return]

    def save_model(self, request: HttpRequest, obj: Memory, form: Any, change: bool) -> None:
        """Save through the store, so that there is a revision, and a vector of what it says now."""
        fields = form.cleaned_data
        agent = MemoryAgent(obj.app if change else fields["app"], None, actor_of(request.user))
        if not change:
            candidate = Candidate(**{name: fields[name] for name in EDITABLE}, source=Source.OPERATOR)
            [outcome] = agent.remember([candidate], dedupe=False)
            assert outcome.memory is not None
            obj.pk = outcome.memory.pk
            obj.refresh_from_db()
            content = obj.content
        elif changes := form.changes():
            agent.edit(obj, changes, version=fields["version"], reason=fields["reason"])
            content = changes.get("content", "")
        else:
            return
        if warning := agent.warning_about(content):
            messages.warning(request, warning)

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, dict[str, list[str]]]]:
        if add:
            return [{"added": {}}]
        return [{"changed": {"fields": list(form.changes())}}] if form.changes() else []

    def log_change(self, request: HttpRequest, obj: Memory, message: Any) -> LogEntry:
        # A save without a change leaves no line, here as in the history.
        return super().log_change(request, obj, message) if message else LogEntry()

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the memory's own revisions, which know more than the log of actions."""
        memory = self.get_object(request, unquote(object_id))
        tables = [history_table(memory)] if memory else []
        return super().history_view(request, object_id, {"tables": tables, **(extra_context or {})})

    # --- deleting

    def get_deleted_objects(
        self, objs: Sequence[Memory] | QuerySet[Memory], request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        """Return the memories, and counts of what goes with them; a purge may delete what is append-only."""
        pks = [memory.pk for memory in objs]
        counts = {"memories": len(pks)}
        for model in (Revision, Injection):
            counts[str(model._meta.verbose_name_plural)] = model.objects.filter(memory__in=pks).count()
        counts["links"] = Link.objects.filter(from_memory__in=pks).count()
        lines: list[Any] = [str(memory) for memory in objs[:LISTED_BEFORE_DELETE]]
        if len(pks) > len(lines):
            lines.append(f"… and {len(pks) - len(lines)} more")
        counts = {name: number for name, number in counts.items() if number}
        refused = set() if self.has_delete_permission(request) else {str(self.opts.verbose_name)}
        return lines, counts, refused, []

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        self.delete_queryset(request, Memory.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Memory]) -> None:
        for agent, pks in by_app(request, queryset):
            agent.forget_each(pks)
