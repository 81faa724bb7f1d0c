"""Where operators let apps and agents in, and set what is allowed to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from django import forms
from django.apps import apps as django_apps
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth import get_user_model
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.core.validators import EMPTY_VALUES
from django.db import transaction
from django.db.models import Count, Exists, JSONField, Manager, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms.formsets import DELETION_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django_otp.plugins.otp_static.admin import StaticDevice
from django_otp.plugins.otp_totp.admin import TOTPDevice

from memsite.admin_site import (
    AppFilter,
    PlainList,
    ReadOnlyAdmin,
    SiteAdmin,
    StrictJSONField,
    Table,
    column,
    columns,
    link_to,
    list_url,
    raw,
    show_time,
)
from memsite.http.optimistic_form import SideBySideForm
from memsite.tenancy.access import Right, actor_of, has_right, role_in
from memsite.tenancy.audit import note, note_change
from memsite.tenancy.governance import LastOwner, audited, check_owner_stays, note_key, set_member, set_status
from memsite.tenancy.keys import NewKey, TooManyKeys, create_key, rotate_key
from memsite.tenancy.models import (
    Agent,
    ApiKey,
    App,
    AppPolicy,
    AppStatus,
    AuditEntry,
    Identity,
    Membership,
    Role,
    Scope,
)
from memsite.tenancy.policy import POLICY_GROUPS, limits_of, preset_values
from memsite.tenancy.second_factor import turn_off

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
    AnyUserAdmin = UserAdmin[User]
    IdentitiesInlineBase = admin.TabularInline[Identity, User]
else:
    IdentitiesInlineBase = admin.TabularInline
    AnyAdmin = admin.ModelAdmin
    AnyUserAdmin = UserAdmin

admin.site.unregister(User)
admin.site.unregister(Group)
# They show secrets: an account's page says whether there is a second factor, and resets it.
admin.site.unregister(TOTPDevice)
admin.site.unregister(StaticDevice)


class Noted(AnyAdmin):
    """Notes what was added, changed and deleted: of `noted`, what is allowed to whom."""

    noted: Sequence[str]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PlainList

    def state_of(self, pk: int | None) -> dict[str, Any]:
        """Return the object as it is in the database; nothing of what is not there."""
        row = self.model._default_manager.filter(pk=pk).first()
        return {name: plainly(getattr(row, name)) for name in self.noted} if row else {}

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        form.state_before = self.state_of(obj.pk)
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Group and permissions are rows beside it."""
        super().save_related(request, form, formsets, change)
        action, row = f"{self.opts.verbose_name} {'changed' if change else 'added'}", form.instance
        note_change(actor_of(request.user), None, action, str(row), form.state_before, self.state_of(row.pk))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        action = f"{self.opts.verbose_name} deleted"
        note(actor_of(request.user), None, action, str(obj), before=self.state_of(obj.pk))
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        with transaction.atomic():
            for row in queryset:
                self.delete_model(request, row)


def plainly(value: Any) -> Any:
    return sorted(map(str, value.all())) if isinstance(value, Manager) else value


@admin.register(Group)
class GroupsAdmin(Noted, GroupAdmin):
    noted = ("name", "permissions")


class IdentitiesInline(IdentitiesInlineBase):
    """At which provider somebody signs in. Deleting the row disconnects the account; nothing of it is typed by hand."""

    model = Identity
    fields = readonly_fields = ("issuer", "subject", "created_at")
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False


@admin.register(User)
class PeopleAdmin(Noted, AnyUserAdmin):
    noted = ("username", "is_active", "is_staff", "is_superuser", "groups", "user_permissions", "identities")
    list_display = ["username", "email", "is_active", "is_staff", "is_superuser", "factor", "last_login"]
    list_filter = ("is_active", "is_staff", "is_superuser")
    readonly_fields = ("factor",)
    actions = ["reset_factor"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        devices = TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)
        people: QuerySet[User] = super().get_queryset(request)
        return people.annotate(has_factor=Exists(devices))

    @admin.display(description="second factor", boolean=True)
    def factor(self, person: Any) -> bool:
        return bool(person.has_factor)

    def get_inlines(self, request: HttpRequest, obj: User | None) -> Any:
        return [IdentitiesInline] if obj and Identity.objects.filter(user=obj).exists() else []

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        beside = [("Second factor", {"fields": ["factor"]})] if obj else []
        return [*super().get_fieldsets(request, obj), *beside]

    @admin.action(description="Reset the second factor", permissions=["change"])
    def reset_factor(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        reset = [person for person in queryset if turn_off(person, actor_of(request.user), "second factor reset")]
        messages.success(request, f"{len(reset)} sign in with the password alone now.")

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        with transaction.atomic():
            person = self.get_object(request, id)
            answer = super().user_change_password(request, id, form_url)
            if person and User.objects.get(pk=person.pk).password != person.password:
                note(actor_of(request.user), None, "password set", person.username)
        return answer

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Keep people whom an app needs."""
        *rest, protected = super().get_deleted_objects(objs, request)
        needed = [f"the only owner of {app}: make somebody else one first" for app in without_owner(objs)]
        return *rest, [*protected, *needed]

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        try:
            with transaction.atomic():
                for app in apps_with([obj]):
                    set_member(app, obj, None, actor_of(request.user))
                super().delete_model(request, obj)
        except LastOwner as error:
            # Somebody else went between the page and its answer.
            raise PermissionDenied(str(error)) from error


def without_owner(people: Iterable[User]) -> list[App]:
    """Return the apps that would have none when these have gone."""
    people, theirs = list(people), []
    for app in apps_with(people, role=Role.OWNER):
        try:
            check_owner_stays(app, {person.pk: None for person in people})
        except LastOwner:
            theirs.append(app)
    return theirs


def apps_with(people: Sequence[User], **which: Any) -> QuerySet[App]:
    return App.objects.filter(pk__in=Membership.objects.filter(user__in=people, **which).values("app"))


KEYS_SHOWN = 20
AGENT_SCOPES = [Scope.READ.value, Scope.WRITE.value]

if TYPE_CHECKING:
    PolicyInlineBase = admin.StackedInline[AppPolicy, App]
    MembersInlineBase = admin.TabularInline[Membership, App]
    AgentModelForm = forms.ModelForm[Agent]
    MemberFormSetBase = forms.BaseInlineFormSet[Membership, App, forms.ModelForm[Membership]]
else:
    PolicyInlineBase = admin.StackedInline
    MembersInlineBase = admin.TabularInline
    AgentModelForm = forms.ModelForm
    MemberFormSetBase = forms.BaseInlineFormSet


class OfTheApp:
    """Rows on the app's page: whoever may see that may see them, and its owners change them."""

    def has_view_permission(self, request: HttpRequest, obj: App | None = None) -> bool:
        return obj is None or role_in(request.user, obj) is not None

    def has_change_permission(self, request: HttpRequest, obj: App | None = None) -> bool:
        return obj is None or has_right(role_in(request.user, obj), Right.GOVERN)

    has_add_permission = has_delete_permission = has_change_permission


class PolicyForm(SideBySideForm[AppPolicy]):
    """Nothing typed, where a list may be empty, is an empty list."""

    def clean_review_origins(self) -> Any:
        return list_of(self.cleaned_data["review_origins"])

    def clean_approval_origins(self) -> Any:
        return list_of(self.cleaned_data["approval_origins"])


def list_of(value: Any) -> Any:
    return [] if value in EMPTY_VALUES else value


class PolicyInline(OfTheApp, PolicyInlineBase):
    model = AppPolicy
    form = PolicyForm
    can_delete = False
    fieldsets = [(title, {"fields": fields}) for title, fields in POLICY_GROUPS]
    formfield_overrides = {JSONField: {"form_class": StrictJSONField}}

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        return super().formfield_for_dbfield(db_field, request, **options, **limits_of(db_field))


class MemberForm(SideBySideForm[Membership]):
    """Somebody by name: owners need no list of everybody."""

    username = forms.CharField(max_length=150, label="Name")

    class Meta:
        model = Membership
        fields = ("role",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk:
            self.initial["username"] = self.instance.user.get_username()
            self.fields["username"].disabled = True

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if self.fields["username"].disabled:
            return name
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError("There is no user with this name.")
        self.instance.user = user
        return name


class MemberFormSet(MemberFormSetBase):
    @classmethod
    def get_default_prefix(cls) -> str:
        return "members"

    def clean(self) -> None:
        super().clean()
        # Users are no field of the rows, so Django does not compare them.
        going = [form.instance.pk for form in self.initial_forms if goes(form)]
        members = Membership.objects.for_app(self.instance).exclude(pk__in=going)
        there = set(members.values_list("user", flat=True))
        for form in self.newcomers():
            if form.instance.user.pk in there:
                form.add_error("username", "This name is there already: set the role in its row.")
            there.add(form.instance.user.pk)
        if not any(self.errors):
            rows = [*self.initial_forms, *self.newcomers()]
            roles = {form.instance.user_id: None if goes(form) else Role(form.cleaned_data["role"]) for form in rows}
            try:
                check_owner_stays(self.instance, roles)
            except LastOwner as error:
                raise forms.ValidationError(str(error)) from error

    def newcomers(self) -> list[Any]:
        return [form for form in self.extra_forms if "username" in form.cleaned_data and not goes(form)]


def goes(form: forms.ModelForm[Membership]) -> bool:
    """Return whether its row is ticked to be deleted."""
    return bool(form.cleaned_data.get(DELETION_FIELD_NAME))


class MembersInline(OfTheApp, MembersInlineBase):
    model = Membership
    form = MemberForm
    formset = MemberFormSet
    fields = ["username", "role"]
    extra = 0
    verbose_name_plural = "members"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return super().get_queryset(request).select_related("user")

    @admin.display(description="Name")
    def username(self, member: Membership) -> str:
        """Serve those who may only read: the form's field of that name is of no model."""
        return member.user.get_username()


@admin.register(App)
class AppAdmin(SiteAdmin[App]):
    dashboard_page, dashboard_args = "settings", ()
    app_path = "pk"
    right = Right.GOVERN
    forbidden = ("delete",)
    form = SideBySideForm[App]
    list_display = ["app_id", "name", "preset", "status", "memories_kept", "created_at"]
    list_filter = ["status", "preset"]
    search_fields = ["app_id", "name"]
    actions = ["uninstall", "reinstall", "apply_preset"]
    inlines = [MembersInline, PolicyInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[App], search_term: str
    ) -> tuple[QuerySet[App], bool]:
        """Limit what a form offers as one types to what it takes."""
        if "model_name" in request.GET:
            asking = django_apps.get_model(request.GET["app_label"], request.GET["model_name"])
            page = self.admin_site._registry.get(asking)
            queryset = page.apps_offered(request, queryset) if isinstance(page, SiteAdmin) else queryset.none()
        return super().get_search_results(request, queryset, search_term)

    @admin.display(description="active and inactive memories", ordering="memory_count")
    def memories_kept(self, app: App) -> str:
        """Return the number as kept for the limit: counting them all takes seconds where there are millions."""
        url = list_url("memories_memory", app__id__exact=app.pk)
        return format_html('<a href="{}">{}</a>', url, f"{app.memory_count:,}")

    def get_fieldsets(self, request: HttpRequest, obj: App | None = None) -> Any:
        own = ["app_id", "name", "preset"]
        return [(None, {"fields": [*own, "status", "memories_kept", "created_at"] if obj else own})]

    def get_readonly_fields(self, request: HttpRequest, obj: App | None = None) -> list[str]:
        return ["app_id", "status", "memories_kept", "created_at"] if obj else []

    def get_inlines(self, request: HttpRequest, obj: App | None) -> Any:
        """Give a new app its preset's policy first."""
        return self.inlines if obj else []

    def save_model(self, request: HttpRequest, obj: App, form: Any, change: bool) -> None:
        # Only what was changed: an app's row also counts its writes.
        obj.save(update_fields=form.changed_data if change else None)
        if not change:
            AppPolicy.objects.create(app=obj, **preset_values(obj.preset))
            note(actor_of(request.user), obj, "app created", obj.app_id, after={"preset": obj.preset})
        elif "preset" in form.changed_data:
            messages.warning(
                request, "The policy is still as it was: the list's action “Apply the preset's numbers” changes it."
            )

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Note in the audit log what is saved with the form, policy and members included."""
        app = self.get_object(request, object_id) if object_id and request.method == "POST" else None
        with audited(actor_of(request.user), app) if app else nullcontext():
            return super().changeform_view(request, object_id, form_url, extra_context)

    @admin.action(description="Uninstall: its keys stop working, what it knows stays", permissions=["change"])
    def uninstall(self, request: HttpRequest, queryset: QuerySet[App]) -> None:
        self.set_status(request, queryset, AppStatus.UNINSTALLED)

    @admin.action(description="Install again", permissions=["change"])
    def reinstall(self, request: HttpRequest, queryset: QuerySet[App]) -> None:
        self.set_status(request, queryset, AppStatus.ACTIVE)

    def set_status(self, request: HttpRequest, queryset: QuerySet[App], status: AppStatus) -> None:
        with transaction.atomic():
            others = queryset.exclude(status=status)
            apps = [app for app in others if set_status(app, status, actor_of(request.user))]
            self.log_each(request, apps, f"Status: {status}.")
        messages.success(request, f"{len(apps)} set to {status}.")

    @admin.action(description="Apply the preset's numbers", permissions=["change"])
    def apply_preset(self, request: HttpRequest, queryset: QuerySet[App]) -> None:
        """Replace every number of the policy."""
        with transaction.atomic():
            apps = list(queryset)
            for app in apps:
                with audited(actor_of(request.user), app):
                    AppPolicy.objects.update_or_create(app=app, defaults=preset_values(app.preset))
            self.log_each(request, apps, "The preset's numbers applied.")
        messages.success(request, f"{len(apps)} have their preset's numbers.")


class AgentForm(AgentModelForm):
    """A new agent and what its first key may do."""

    app = forms.ModelChoiceField(App.objects.all())
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=AGENT_SCOPES, widget=forms.CheckboxSelectMultiple, help_text="Of its first key."
    )

    class Meta:
        model = Agent
        fields = ("name", "domain", "tier")

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or self.cleaned_data
        app, name = fields.get("app"), fields.get("name")
        if app and Agent.objects.for_app(app).filter(name=name).exists():
            self.add_error("name", "The app has an agent of this name already.")
        return fields


@admin.register(Agent)
class AgentAdmin(SiteAdmin[Agent]):
    dashboard_page, dashboard_args = "settings-agents", ()
    right = Right.GOVERN
    forbidden = ("delete",)
    list_display = ["name", "app", "domain", "live_keys", "created_at"]
    list_filter = [("app", AppFilter)]
    list_select_related = ["app"]
    search_fields = ["name", "domain", "app__app_id"]
    ordering = ["app__app_id", "name"]
    actions = ["issue_key"]
    form = SideBySideForm[Agent]
    # Not editable in the model; the form declares its own.
    exclude = ["app"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        live = ApiKey.objects.live(timezone.now()).filter(agent=OuterRef("pk")).order_by().values("agent")
        number = Subquery(live.annotate(number=Count("pk")).values("number"))
        return super().get_queryset(request).annotate(number_of_keys=Coalesce(number, 0))

    live_keys = column("live keys", lambda agent: int(agent.number_of_keys), "number_of_keys")

    @admin.display(description="its")
    def records(self, agent: Agent) -> str:
        return format_html(
            '<a href="{}">sessions</a>', list_url("agent_sessions_agentsession", agent__id__exact=agent.pk)
        )

    def get_form(self, request: HttpRequest, obj: Agent | None = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **(kwargs if obj else {"form": AgentForm, **kwargs}))

    def get_fieldsets(self, request: HttpRequest, obj: Agent | None = None) -> Any:
        fields = ["app", "name", "domain", "tier", *(["created_at", "deleted_at", "records"] if obj else ["scopes"])]
        return [(None, {"fields": fields})]

    def get_readonly_fields(self, request: HttpRequest, obj: Agent | None = None) -> list[str]:
        return ["app", "name", "created_at", "deleted_at", "records"] if obj else []

    def tables(self, obj: Agent) -> list[Table]:
        keys = ApiKey.objects.filter(agent=obj)[:KEYS_SHOWN]
        return [
            Table(
                f"Keys (the last {KEYS_SHOWN})",
                ("Prefix", "Scopes", "Created", "Expires", "Revoked", "Last used"),
                [
                    (
                        link_to(key),
                        ", ".join(key.scopes),
                        show_time(key.created_at),
                        show_time(key.expires_at),
                        show_time(key.revoked_at),
                        show_time(key.last_used_at),
                    )
                    for key in keys
                ],
                more_url=list_url("tenancy_apikey", agent__id__exact=obj.pk),
            )
        ]

    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:
        """Save the agent; a new one comes with a key."""
        if change:
            super().save_model(request, obj, form, change)
            before = {name: form.initial[name] for name in ("domain", "tier")}
            after = {name: getattr(obj, name) for name in before}
            return note_change(actor_of(request.user), obj.app, "agent changed", obj.name, before, after)
        obj.app = form.cleaned_data["app"]
        super().save_model(request, obj, form, change)
        note(actor_of(request.user), obj.app, "agent created", obj.name, after={"domain": obj.domain})
        return show_once(request, obj, create_key(obj, form.cleaned_data["scopes"]))

    @admin.action(description="Issue another key", permissions=["change"])
    def issue_key(self, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
        for agent in queryset:
            if agent.deleted_at:
                messages.error(request, f"{agent.full_name} was deleted: it gets no key.")
                continue
            try:
                with transaction.atomic():
                    newest = ApiKey.objects.filter(agent=agent).order_by("-created_at").first()
                    issued = rotate_key(agent, list(newest.scopes) if newest else AGENT_SCOPES, timezone.now())
                    self.log_change(request, agent, f"Key {issued.row.prefix} issued.")
            except TooManyKeys:
                messages.error(request, f"{agent.full_name} has two live keys already: revoke one first.")
            else:
                show_once(request, agent, issued)


def show_once(request: HttpRequest, agent: Agent, issued: NewKey) -> None:
    """Show the key's text in the answer to this request; it is kept nowhere."""
    note_key(actor_of(request.user), "key issued", issued.row)
    text = format_html(
        'The new key of {}, shown only this once: <code class="memsite-key">{}</code>', agent.full_name, issued.text
    )
    messages.success(request, text)


class KeyState(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("live", "live"), ("revoked", "revoked"), ("expired", "expired")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now, state = timezone.now(), self.value()
        if state == "live":
            return queryset & ApiKey.objects.live(now)
        if state == "revoked":
            return queryset.exclude(revoked_at=None)
        return queryset.filter(expires_at__lte=now) if state == "expired" else queryset


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin[ApiKey]):
    app_path = "agent__app"
    right = Right.GOVERN
    list_display = ["prefix", "agent_shown", "scopes_shown", "state", "created_at", "expires_at", "last_used_at"]
    list_filter = [KeyState, ("agent__app", AppFilter), ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["agent__app"]
    search_fields = ["prefix", "agent__name"]
    ordering = ["-created_at", "-id"]
    actions = ["revoke"]
    # Never `key_hash`.
    fields = columns("prefix agent_shown scopes_shown state created_at expires_at revoked_at last_used_at")

    @admin.display(description="agent", ordering="agent__name")
    def agent_shown(self, key: ApiKey) -> str:
        return link_to(key.agent, key.agent.full_name) if key.agent else "an operator's, for every app"

    scopes_shown = column("scopes", lambda key: ", ".join(key.scopes))

    @admin.display(description="state")
    def state(self, key: ApiKey) -> str:
        if key.revoked_at:
            return "revoked"
        return "live" if key.is_live(timezone.now()) else "expired"

    @admin.action(description="Revoke: stops working at once", permissions=["act"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        with transaction.atomic():
            keys = list(queryset.filter(revoked_at=None))
            ApiKey.objects.filter(pk__in=[key.pk for key in keys], revoked_at=None).update(revoked_at=timezone.now())
            for key in keys:
                note_key(actor_of(request.user), "key revoked", key)
            self.log_each(request, keys, "Revoked.")
        messages.success(request, f"{len(keys)} revoked.")


@admin.register(AuditEntry)
class AuditAdmin(ReadOnlyAdmin[AuditEntry]):
    dashboard_page, dashboard_args = "settings-audit", ()
    list_display = ["created_at", "actor", "action", "subject", "app"]
    list_filter = [("app", AppFilter), "action", ("created_at", admin.DateFieldListFilter)]
    search_fields = ["actor", "subject"]
    fields = ["created_at", "actor", "action", "subject", "app", "was", "became"]

    was = column("before", lambda entry: raw(entry.before))
    became = column("after", lambda entry: raw(entry.after))
