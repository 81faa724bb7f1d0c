"""People: who may look, who may curate, who may govern."""

from __future__ import annotations

from django import forms
from django.contrib.auth import get_user_model
from django.http import Http404, HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.show import go, show
from memsite.tenancy.access import Right
from memsite.tenancy.governance import LastOwner, set_member
from memsite.tenancy.models import Membership, Role

MEMBERS_SHOWN = 500


class MemberForm(forms.Form):
    """Somebody by name: owners need no list of everybody."""

    name = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not get_user_model().objects.filter(username=name, is_active=True).exists():
            raise forms.ValidationError("Nobody has this name. A superuser adds people in the admin, under Users.")
        return name


@page(write=Right.GOVERN)
def members(request: DeskRequest) -> HttpResponse:
    """Shows the members; owners let somebody in, or give them another role."""
    desk = request.desk
    form = MemberForm(request.POST or None, auto_id="member-%s")
    if request.method == "POST" and form.is_valid():
        user = get_user_model().objects.get(username=form.cleaned_data["name"])
        try:
            set_member(desk.app, user, Role(form.cleaned_data["role"]), desk.actor)
        except LastOwner as error:
            form.add_error("role", str(error))
        else:
            text = f"{user.get_username()} is {form.cleaned_data['role']} of {desk.app.name}."
            return go(request, desk.address("settings-members"), text)
    rows = Membership.objects.for_app(desk.app).select_related("user").order_by("user__username")[:MEMBERS_SHOWN]
    return show(request, "settings/members", {"members": rows, "form": form, "roles": Role.choices})


@page(read=None, write=Right.GOVERN)
def remove(request: DeskRequest, name: str) -> HttpResponse:
    desk = request.desk
    member = Membership.objects.for_app(desk.app).filter(user__username=name).select_related("user").first()
    if member is None:
        raise Http404
    there = desk.address("settings-members")
    try:
        set_member(desk.app, member.user, None, desk.actor)
    except LastOwner as error:
        return go(request, there, str(error), "error")
    own = member.user.pk == desk.user.pk and not desk.user.is_superuser
    return go(request, "/" if own else there, f"{member.user.get_username()} is no member any more.")
