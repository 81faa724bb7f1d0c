"""What waits for a person is counted without looking through all that was refused."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0005_ids_are_unique_in_their_app'),
        ('memories', '0028_taken_back'),
        ('tenancy', '0009_who_needs_approval'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='rejection',
            index=models.Index(condition=models.Q(('decision', 'open')), fields=['kind'], name='rejection_open'),
        ),
    ]
