"""The addresses of the desk. A page below another has its name and a hyphen before its own."""

from django.urls import path

from memories.dashboard.pages import accounts, events, overview

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("events", events.events, name="events"),
    path("login", accounts.SignIn.as_view(), name="login"),
    path("logout", accounts.SignOut.as_view(), name="logout"),
    path("password", accounts.ChangePassword.as_view(), name="password"),
]
