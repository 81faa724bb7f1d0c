"""Apps know whose vectors they are searched by, and passages can have vectors in waiting."""

from django.db import migrations, models

from memsite.tenancy.append_only import SameApp

# Whatever most of an app's vectors are of has served it.
SERVING = """
UPDATE tenancy_app SET vector_model = coalesce((
    SELECT model FROM memories_vector WHERE app_id = tenancy_app.id GROUP BY model ORDER BY count(*) DESC, model LIMIT 1
), '')
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0007_learning'),
        ('tenancy', '0005_vector_model'),
    ]

    operations = [
        migrations.AddField(
            model_name='passage',
            name='next_data',
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name='passage',
            name='next_model',
            field=models.CharField(blank=True, db_default='', default='', max_length=120),
        ),
        SameApp("memories_passage", "summary_id", "memories_summary"),
        SameApp("memories_passage", "memory_id", "memories_memory"),
        migrations.RunSQL(SERVING, migrations.RunSQL.noop),
    ]
