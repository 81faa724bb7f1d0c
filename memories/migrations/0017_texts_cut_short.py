from django.db import migrations, models

from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):
    dependencies = [("memories", "0016_how_texts_look")]

    operations = [
        migrations.AddField(
            model_name="extraction",
            name="windows_read",
            field=models.PositiveIntegerField(
                default=0, help_text="Of a text that the budget cut short: windows that are read and kept."
            ),
        ),
        migrations.AddField(
            model_name="extraction",
            name="is_gated",
            field=models.BooleanField(
                default=False,
                help_text="Of a text that the budget cut short: its next window was found worth reading.",
            ),
        ),
        # SQLite has made the table anew, and its triggers are gone.
        SameApp("memories_extraction", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_extraction", "resource_id", "agent_sessions_resource"),
    ]
