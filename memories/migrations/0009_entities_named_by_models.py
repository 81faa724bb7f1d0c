from django.db import migrations, models

from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0008_passages_change_their_embedder'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='entities',
            field=models.JSONField(blank=True, editable=False, help_text='Names that the model gave besides those that rules find.', null=True),
        ),
        migrations.AddField(
            model_name='mention',
            name='source',
            field=models.CharField(choices=[('rules', 'Rules'), ('model', 'Model')], default='rules', max_length=8),
        ),
        # SQLite has made the table anew, and its triggers are gone.
        SameApp("memories_mention", "entity_id", "memories_entity"),
        SameApp("memories_mention", "memory_id", "memories_memory"),
    ]
