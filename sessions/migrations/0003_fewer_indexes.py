import django.db.models.deletion
from django.db import migrations, models

from memsite.tenancy.indexed_once import WithoutOwnIndex


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0002_triggers"),
        ("tenancy", "0002_near_model"),
    ]

    operations = [
        WithoutOwnIndex(
            model_name="cooldown",
            name="session",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="agent_sessions.agentsession",
            ),
        ),
        WithoutOwnIndex(
            model_name="event",
            name="app",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenancy.app",
            ),
        ),
        WithoutOwnIndex(
            model_name="event",
            name="session",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="events",
                to="agent_sessions.agentsession",
            ),
        ),
        WithoutOwnIndex(
            model_name="resource",
            name="session",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="resources",
                to="agent_sessions.agentsession",
            ),
        ),
        WithoutOwnIndex(
            model_name="turn",
            name="session",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="turns",
                to="agent_sessions.agentsession",
            ),
        ),
        migrations.AddIndex(
            model_name="cooldown",
            index=models.Index(
                condition=models.Q(("session__isnull", False)), fields=["session"], name="cooldown_session"
            ),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["app", "-id"], name="event_app_latest"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("session__isnull", False)), fields=["session"], name="event_session"
            ),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("memory_uid__isnull", False)), fields=["memory_uid"], name="event_memory"
            ),
        ),
        migrations.AddIndex(
            model_name="resource",
            index=models.Index(
                condition=models.Q(("session__isnull", False)), fields=["session"], name="resource_session"
            ),
        ),
    ]
