"""What is open, and when each job was last done, is found without looking through all runs."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0002_one_tick'),
        ('tenancy', '0009_who_needs_approval'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='jobrun',
            index=models.Index(fields=['job', '-finished_at'], name='job_run_finished'),
        ),
    ]
