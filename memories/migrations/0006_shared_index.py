"""Finds what is shared between apps."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0002_append_only'),
        ('memories', '0005_entities_and_summaries'),
        ('tenancy', '0002_summaries_and_sentiment'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('visibility', 'shared')), fields=['app'], name='memory_shared'),
        ),
    ]
