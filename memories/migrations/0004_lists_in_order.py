import django.db.models.deletion
from django.db import migrations, models

from memsite.tenancy.indexed_once import WithoutOwnIndex


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0003_fewer_indexes"),
        ("memories", "0003_fewer_indexes"),
        ("tenancy", "0002_near_model"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="memory",
            name="memory_drawer",
        ),
        migrations.RemoveIndex(
            model_name="memory",
            name="memory_confidence",
        ),
        migrations.RemoveIndex(
            model_name="memory",
            name="memory_category",
        ),
        WithoutOwnIndex(
            model_name="vector",
            name="app",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenancy.app",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(fields=["app", "subject", "uid"], name="memory_subject"),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(fields=["app", "category", "uid"], name="memory_category"),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(fields=["app", "status", "uid"], name="memory_status"),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("user_id__isnull", False)), fields=["app", "user_id", "uid"], name="memory_user"
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(condition=models.Q(("kind", "lesson")), fields=["app", "status", "uid"], name="memory_lesson"),
        ),
    ]
