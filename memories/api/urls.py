"""Every endpoint under /api/v1. No trailing slashes."""

from django.urls import include, path, register_converter
from django.urls.converters import IntConverter, StringConverter

from memories.api.views import (
    apps,
    documents,
    import_export,
    jobs,
    learning,
    memories,
    operators,
    sessions,
    triggers,
    usage,
    webhooks,
)
from memsite.tenancy.policy import CATEGORY_PATTERN


class TurnNumber(IntConverter):
    """A turn's number; what has more digits than any turn is no address."""

    regex = "[0-9]{1,10}"


class Tier(IntConverter):
    regex = "[1-3]"


class CategoryName(StringConverter):
    regex = CATEGORY_PATTERN


register_converter(TurnNumber, "turn")
register_converter(Tier, "tier")
register_converter(CategoryName, "category")

of_an_app = [
    path("memories", operators.AppMemories.as_view()),
    path("memories/review", learning.ReviewMemories.as_view()),
    path("memories/bulk", operators.BulkChanges.as_view()),
    path("memories/merge", operators.MergeMemories.as_view()),
    path("memories/<uuid:uid>", operators.OneOfAppsMemories.as_view()),
    path("memories/<uuid:uid>/history", operators.AppMemoryHistory.as_view()),
    path("memories/<uuid:uid>/undo", operators.UndoAppMemory.as_view()),
    path("rejections", learning.AppRejections.as_view()),
    path("rejections/decide", learning.DecideRejections.as_view()),
    path("rollbacks", learning.Rollbacks.as_view()),
    path("users/<path:user_id>", apps.AppUser.as_view()),
    path("sessions", operators.AppSessions.as_view()),
    path("sessions/<uuid:uid>", operators.AppSession.as_view()),
    path("events", operators.AppEvents.as_view()),
    path("cooldowns", operators.AppCooldowns.as_view()),
    path("cooldowns/<uuid:uid>", operators.AppCooldown.as_view()),
    path("export", import_export.Export.as_view()),
    path("export.zip", import_export.MarkdownExport.as_view()),
    path("import", import_export.ImportView.as_view()),
    path("imports", import_export.Imports.as_view()),
    path("imports/<uuid:uid>", import_export.OneImport.as_view()),
    path("alerts", webhooks.Alerts.as_view()),
    path("alerts/rules", webhooks.Rules.as_view()),
    path("alerts/rules/<uuid:uid>", webhooks.OneRule.as_view()),
    path("alerts/<uuid:uid>/acknowledge", webhooks.AcknowledgeAlert.as_view()),
    path("webhooks", webhooks.Webhooks.as_view()),
    path("webhooks/<uuid:uid>", webhooks.OneWebhook.as_view()),
    path("webhooks/<uuid:uid>/secret", webhooks.WebhookSecret.as_view()),
    path("webhooks/<uuid:uid>/test", webhooks.TestWebhook.as_view()),
    path("webhooks/<uuid:uid>/deliveries", webhooks.Deliveries.as_view()),
    path("deliveries/<uuid:uid>/replay", webhooks.ReplayDelivery.as_view()),
    path("bridges", webhooks.Bridges.as_view()),
    path("bridges/<uuid:uid>", webhooks.OneBridge.as_view()),
    path("bridges/<uuid:uid>/secret", webhooks.BridgeSecret.as_view()),
    path("purges", apps.Purges.as_view()),
    path("stats", usage.Stats.as_view()),
    path("usage", usage.Usage.as_view()),
    path("health-report", usage.Health.as_view()),
    path("health-report.md", usage.HealthPage.as_view()),
    path("health-reports", usage.PastHealth.as_view()),
    path("agents", apps.Agents.as_view()),
    path("agents/<str:name>", apps.OneAgent.as_view()),
    path("agents/<str:name>/keys", apps.Keys.as_view()),
]
urlpatterns = [
    # What is asked most comes first: an address is compared with one after the other.
    path("memories/search", memories.Search.as_view()),
    path("context", memories.ContextBlock.as_view()),
    path("version", usage.Version.as_view()),
    path("apps", apps.Apps.as_view()),
    path("apps/<str:app_id>", apps.OneApp.as_view()),
    path("apps/<str:app_id>/", include(of_an_app)),
    path("keys/<str:prefix>", apps.OneKey.as_view()),
    path("sessions", sessions.Sessions.as_view()),
    path("sessions/<uuid:uid>", sessions.OneSession.as_view()),
    path("sessions/<uuid:uid>/heartbeat", sessions.Heartbeat.as_view()),
    path("sessions/<uuid:uid>/end", sessions.End.as_view()),
    path("sessions/<uuid:uid>/turns", sessions.Turns.as_view()),
    path("sessions/<uuid:uid>/turns/<turn:number>", sessions.OneTurn.as_view()),
    path("sessions/<uuid:uid>/replay", sessions.Replay.as_view()),
    path("sessions/<uuid:uid>/recover", sessions.Recover.as_view()),
    path("sessions/<uuid:uid>/responses", sessions.Responses.as_view()),
    path("sessions/<uuid:uid>/messages", sessions.MessagesOfSession.as_view()),
    path("sessions/<uuid:uid>/stream", sessions.Stream.as_view()),
    path("hooks/claude-code", sessions.ClaudeCodeHook.as_view()),
    path("prompts/<tier:tier>.md", sessions.Prompt.as_view()),
    path("memories", memories.Memories.as_view()),
    path("memories/batch", memories.BatchOfMemories.as_view()),
    path("memories/delete", memories.DeleteMemories.as_view()),
    path("memories/changes", webhooks.Changes.as_view()),
    path("memories/<uuid:uid>", memories.OneMemory.as_view()),
    path("memories/<uuid:uid>/history", memories.History.as_view()),
    path("memories/<uuid:uid>/links", memories.Links.as_view()),
    path("documents", documents.Documents.as_view()),
    path("documents/<uuid:uid>", documents.OneDocument.as_view()),
    path("documents/<uuid:uid>/passages", documents.Passages.as_view()),
    path("extractions", learning.Extractions.as_view()),
    path("extractions/preview", learning.PreviewExtraction.as_view()),
    path("extractions/<uuid:uid>/retry", learning.RetryExtraction.as_view()),
    path("rejections", learning.Rejections.as_view()),
    path("rejections/<uuid:uid>/overrule", learning.OverruleRejection.as_view()),
    path("categories", learning.Categories.as_view()),
    path("categories/<category:name>.md", learning.CategoryText.as_view()),
    path("categories/<category:name>", learning.OneCategory.as_view()),
    path("categories/<category:name>/versions", learning.Versions.as_view()),
    path("categories/<category:name>/versions/<turn:number>", learning.OneVersion.as_view()),
    path("categories/<category:name>/diff", learning.Difference.as_view()),
    path("categories/<category:name>/rewrite", learning.Rewrite.as_view()),
    path("triggers", triggers.Triggers.as_view()),
    path("triggers/<uuid:uid>", triggers.OneTrigger.as_view()),
    path("lessons", learning.Lessons.as_view()),
    path("lessons.md", learning.LessonsFile.as_view()),
    path("entities", learning.Entities.as_view()),
    path("entities/<uuid:uid>/memories", learning.MemoriesOfEntity.as_view()),
    path("energy", usage.Energy.as_view()),
    path("energy/consumed", usage.ConsumedEnergy.as_view()),
    path("jobs", jobs.Jobs.as_view()),
    path("jobs/runs", jobs.Runs.as_view()),
    path("jobs/runs/<uuid:uid>/retry", jobs.RetryRun.as_view()),
    path("jobs/runs/<uuid:uid>/stop", jobs.StopRun.as_view()),
    path("jobs/<str:name>/run", jobs.FireJob.as_view()),
    path("alerts", webhooks.AllAlerts.as_view()),
    path("alerts/rules", webhooks.SiteRules.as_view()),
    path("alerts/rules/<uuid:uid>", webhooks.OneSiteRule.as_view()),
    path("alerts/<uuid:uid>/acknowledge", webhooks.AcknowledgeAny.as_view()),
    path("cooldowns", usage.Cooldowns.as_view()),
    path("cooldowns/<uuid:uid>", usage.OneCooldown.as_view()),
    path("events", sessions.Events.as_view()),
    path("resources", sessions.Resources.as_view()),
]
