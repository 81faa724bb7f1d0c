"""Each refresh token that was ever given for a grant is known by its family, and the code by its hash."""

from typing import Any

from django.db import migrations, models


def begin_families(apps: Any, schema_editor: Any) -> None:
    """A token that is out there is the first of its family."""
    apps.get_model("oauth", "OAuthGrant").objects.update(family_hash=models.F("refresh_hash"))


class Migration(migrations.Migration):
    dependencies = [("oauth", "0001_initial")]

    operations = [
        migrations.RemoveField("oauthgrant", "previous_hash"),
        migrations.AddField(
            "oauthgrant", "code_hash",
            models.CharField(blank=True, db_index=True, default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            "oauthgrant", "family_hash",
            models.CharField(blank=True, db_index=True, default="", editable=False, max_length=64),
        ),
        migrations.RunPython(begin_families, migrations.RunPython.noop),
    ]
