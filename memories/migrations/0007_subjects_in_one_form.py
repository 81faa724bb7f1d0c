"""Subjects that were typed with accents apart from their letters are the same as those that were not."""

import unicodedata
from typing import Any

from django.db import migrations
from django.db.models import F


def compose(apps: Any, schema_editor: Any) -> None:
    """As `subject_of` has them. Their apps' indexes read these memories anew."""
    memories, tenants = apps.get_model("memories", "Memory").objects, apps.get_model("tenancy", "App").objects
    told = memories.exclude(subject=None).order_by().values_list("app", "subject").distinct()
    for app, subject in [one for one in told if not unicodedata.is_normalized("NFC", one[1])]:
        tenants.filter(pk=app).update(change_number=F("change_number") + 1)
        memories.filter(app=app, subject=subject).update(
            subject=unicodedata.normalize("NFC", subject)[:200], change_number=tenants.get(pk=app).change_number
        )


class Migration(migrations.Migration):
    dependencies = [("memories", "0006_characters_as_words"), ("tenancy", "0001_initial")]
    operations = [migrations.RunPython(compose, migrations.RunPython.noop)]
