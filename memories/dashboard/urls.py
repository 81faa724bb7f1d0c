"""The addresses of the desk. A page below another has its name and a hyphen before its own."""

from django.urls import path

from memories.dashboard.pages import accounts, cooldowns, costs, events, overview, sessions
from memories.dashboard.pages.knowledge import categories, entities, lessons, triggers, walk
from memories.dashboard.pages.memories import bulk, edit, one, table
from memories.dashboard.pages.upkeep import health, jobs, review, texts

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("sessions", sessions.sessions, name="sessions"),
    path("sessions/<uuid:uid>", sessions.one, name="sessions-one"),
    path("sessions/<uuid:uid>/texts/<uuid:text_uid>", sessions.text, name="sessions-text"),
    path("events", events.events, name="events"),
    path("memories", table.memories, name="memories"),
    path("memories/add", edit.add, name="memories-add"),
    path("memories/bulk", bulk.bulk, name="memories-bulk"),
    path("memories/<uuid:uid>", one.one, name="memories-one"),
    path("memories/<uuid:uid>/change", one.change, name="memories-change"),
    path("memories/<uuid:uid>/link", one.link, name="memories-link"),
    path("memories/<uuid:uid>/unlink", one.unlink, name="memories-unlink"),
    path("memories/<uuid:uid>/row", edit.row, name="memories-row"),
    path("memories/<uuid:uid>/edit", edit.edit, name="memories-edit"),
    path("cooldowns", cooldowns.cooldowns, name="cooldowns"),
    path("cooldowns/<uuid:uid>/lift", cooldowns.lift, name="cooldowns-lift"),
    path("knowledge", categories.categories, name="knowledge"),
    path("knowledge/categories/<str:name>", categories.category, name="knowledge-category"),
    path("knowledge/categories/<str:name>/rewrite", categories.rewrite, name="knowledge-category-rewrite"),
    path("knowledge/entities", entities.entities, name="knowledge-entities"),
    path("knowledge/entities/<uuid:uid>", walk.entity, name="knowledge-entities-one"),
    path("knowledge/memories/<uuid:uid>", walk.memory, name="knowledge-entities-memory"),
    path("knowledge/lessons", lessons.lessons, name="knowledge-lessons"),
    path("knowledge/triggers", triggers.triggers, name="knowledge-triggers"),
    path("knowledge/triggers/add", triggers.add, name="knowledge-triggers-add"),
    path("knowledge/triggers/<uuid:uid>/<slug:what>", triggers.settle, name="knowledge-triggers-settle"),
    path("upkeep", jobs.jobs, name="upkeep"),
    path("upkeep/jobs/<slug:name>/run", jobs.run, name="upkeep-run"),
    path("upkeep/runs/<uuid:uid>/retry", jobs.try_again, name="upkeep-runs-retry"),
    path("upkeep/runs/<uuid:uid>/stop", jobs.stop, name="upkeep-runs-stop"),
    path("upkeep/review", review.review, name="upkeep-review"),
    path("upkeep/review/decide", review.decide, name="upkeep-review-decide"),
    path("upkeep/review/<uuid:uid>/row", review.row, name="upkeep-review-row"),
    path("upkeep/review/<uuid:uid>/edit", review.edit, name="upkeep-review-edit"),
    path("upkeep/texts", texts.texts, name="upkeep-texts"),
    path("upkeep/texts/retry", texts.retry, name="upkeep-texts-retry"),
    path("upkeep/health", health.health, name="upkeep-health"),
    path("costs", costs.costs, name="costs"),
    path("costs.csv", costs.download, name="costs-csv"),
    path("login", accounts.SignIn.as_view(), name="login"),
    path("logout", accounts.SignOut.as_view(), name="logout"),
    path("password", accounts.ChangePassword.as_view(), name="password"),
]
