from django.db import migrations, models

TABLE = "ALTER TABLE agent_sessions_resource"


class Migration(migrations.Migration):
    """On SQLite, Django's own AddField of a column that is never null makes the table anew, without its triggers."""

    dependencies = [
        ("agent_sessions", "0005_shown_since"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"{TABLE} ADD COLUMN speaker varchar(100) NOT NULL DEFAULT ''", f"{TABLE} DROP COLUMN speaker"
                )
            ],
            state_operations=[
                migrations.AddField(
                    model_name="resource",
                    name="speaker",
                    field=models.CharField(blank=True, db_default="", default="", max_length=100),
                )
            ],
        ),
        migrations.AddField(
            model_name="resource",
            name="utc_offset",
            field=models.SmallIntegerField(blank=True, null=True),
        ),
    ]
