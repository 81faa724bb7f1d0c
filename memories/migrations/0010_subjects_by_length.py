from django.db import migrations, models
from django.db.models import F, Q, Value
from django.db.models.functions import Length, Replace


class Migration(migrations.Migration):
    dependencies = [("memories", "0009_contradictions_at_hand")]

    operations = [
        migrations.AddIndex(
            model_name="entity",
            index=models.Index(
                F("app"),
                Length("key") - Length(Replace("key", Value(" "), Value(""))),
                condition=Q(kind="subject"),
                name="entity_subject_blanks",
            ),
        ),
    ]
