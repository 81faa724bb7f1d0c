"""The addresses of the desk. A page below another has its name and a hyphen before its own."""

from django.urls import path

from memories.dashboard.pages import accounts, cooldowns, events, overview, sessions
from memories.dashboard.pages.memories import bulk, edit, table

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("sessions", sessions.sessions, name="sessions"),
    path("events", events.events, name="events"),
    path("memories", table.memories, name="memories"),
    path("memories/add", edit.add, name="memories-add"),
    path("memories/bulk", bulk.bulk, name="memories-bulk"),
    path("memories/<uuid:uid>/row", edit.row, name="memories-row"),
    path("memories/<uuid:uid>/edit", edit.edit, name="memories-edit"),
    path("cooldowns", cooldowns.cooldowns, name="cooldowns"),
    path("cooldowns/<uuid:uid>/lift", cooldowns.lift, name="cooldowns-lift"),
    path("login", accounts.SignIn.as_view(), name="login"),
    path("logout", accounts.SignOut.as_view(), name="logout"),
    path("password", accounts.ChangePassword.as_view(), name="password"),
]
