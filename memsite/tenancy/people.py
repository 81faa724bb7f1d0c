"""Who may sign in: Django's own pages of users and groups, with every change in the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Manager, QuerySet
from django.http import HttpRequest, HttpResponse

from memsite.admin_site import PlainList
from memsite.tenancy.access import actor_of
from memsite.tenancy.audit import note, note_change
from memsite.tenancy.governance import LastOwner, check_owner_stays, set_member
from memsite.tenancy.models import App, Membership, Role

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
    AnyUserAdmin = UserAdmin[User]
else:
    AnyAdmin = admin.ModelAdmin
    AnyUserAdmin = UserAdmin

admin.site.unregister(User)
admin.site.unregister(Group)


class Noted(AnyAdmin):
    """Notes what was added, changed and deleted: of `noted`, what is allowed to whom."""

    noted: Sequence[str]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PlainList

    def state_of(self, pk: int | None) -> dict[str, Any]:
        """As it is in the database; nothing of what is not there."""
        row = self.model._default_manager.filter(pk=pk).first()
        return {name: plainly(getattr(row, name)) for name in self.noted} if row else {}

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        form.state_before = self.state_of(obj.pk)
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Groups and permissions are rows beside it."""
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


@admin.register(User)
class PeopleAdmin(Noted, AnyUserAdmin):
    noted = ("username", "is_active", "is_staff", "is_superuser", "groups", "user_permissions")

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        with transaction.atomic():
            person = self.get_object(request, id)
            answer = super().user_change_password(request, id, form_url)
            if person and User.objects.get(pk=person.pk).password != person.password:
                note(actor_of(request.user), None, "password set", person.username)
        return answer

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Nobody goes whom an app needs."""
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
    """The apps that would have none when these have gone."""
    people = list(people)
    return [app for app in apps_with(people, role=Role.OWNER) if is_needed(app, people)]


def is_needed(app: App, people: Iterable[User]) -> bool:
    try:
        check_owner_stays(app, {person.pk: None for person in people})
    except LastOwner:
        return True
    return False


def apps_with(people: Sequence[User], **which: Any) -> QuerySet[App]:
    return App.objects.filter(pk__in=Membership.objects.filter(user__in=people, **which).values("app"))
