from django.db import migrations, models

HELP = "Secrets in what was said, texts and turns, are marked as such before they are stored."


class Migration(migrations.Migration):
    """Apps that are there go on keeping what was said word for word; new ones do not."""

    dependencies = [("tenancy", "0003_users_apart")]

    operations = [
        migrations.AddField("apppolicy", "redact_raw", models.BooleanField(default=False, help_text=HELP)),
        migrations.AlterField("apppolicy", "redact_raw", models.BooleanField(default=True, help_text=HELP)),
    ]
