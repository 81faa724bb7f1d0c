from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0005_shown_since"),
    ]

    operations = [
        migrations.AddField(
            model_name="resource",
            name="speaker",
            field=models.CharField(blank=True, default="", max_length=100),
        ),
        migrations.AddField(
            model_name="resource",
            name="utc_offset",
            field=models.SmallIntegerField(blank=True, null=True),
        ),
    ]
