"""Signing in and out, and one's own password."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from memsite.tenancy.access import actor_of
from memsite.tenancy.audit import note


class SignInForm(AuthenticationForm):
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "The name and the password do not belong together.",
    }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["username"].label = "Name"


class SignIn(LoginView):
    template_name = "dashboard/login.html"
    authentication_form = SignInForm


class SignOut(LogoutView):
    http_method_names = ["post", "options"]


@method_decorator(never_cache, name="dispatch")
class ChangePassword(PasswordChangeView):
    template_name = "dashboard/password.html"
    success_url = reverse_lazy("overview")

    def form_valid(self, form: Any) -> HttpResponse:
        answer = super().form_valid(form)
        note(actor_of(self.request.user), None, "password changed", self.request.user.get_username())
        messages.success(self.request, "Your password is changed. Other browsers are signed out.")
        return answer


def locked_out(request: HttpRequest, response: Any = None, credentials: Any = None) -> HttpResponse:
    """After too many wrong passwords: what django-axes answers with."""
    minutes = settings.AXES_COOLOFF_TIME // timedelta(minutes=1)
    answer = render(request, "dashboard/locked_out.html", {"minutes": minutes}, status=429)
    answer["Retry-After"] = str(60 * minutes)
    return answer
