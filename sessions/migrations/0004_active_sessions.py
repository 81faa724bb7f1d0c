from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0003_fewer_indexes"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="agentsession",
            index=models.Index(condition=models.Q(("status", "active")), fields=["app", "uid"], name="session_active"),
        ),
    ]
