from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0004_active_sessions"),
    ]

    operations = [
        migrations.AddField(
            model_name="agentsession",
            name="shown_since",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
    ]
