from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0003_purged_sessions'),
        ('memories', '0014_cold_archive'),
        ('tenancy', '0007_residue'),
    ]

    operations = [
        migrations.AddField(
            model_name='summary',
            name='as_of',
            field=models.DateTimeField(editable=False, help_text='When its facts were last read; empty: when it was made.', null=True),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('valid_from__isnull', False)), fields=['app', 'valid_from'], name='memory_begins'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('valid_until__isnull', False)), fields=['app', 'valid_until'], name='memory_runs_out'),
        ),
    ]
