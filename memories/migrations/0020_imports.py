"""Files that are being taken in."""

import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models

from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0019_ids_are_unique_in_their_app'),
        ('tenancy', '0007_residue'),
    ]

    operations = [
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('source', models.CharField(max_length=20)),
                ('agent', models.CharField(blank=True, default='', help_text='Whose conversations they become.', max_length=64)),
                ('user_id', models.CharField(blank=True, help_text='The end user they were with.', max_length=200, null=True)),
                ('status', models.CharField(choices=[('reading', 'reading: nothing of it is kept yet'), ('waiting', 'waiting: what is left is being taken in'), ('done', 'Done'), ('failed', 'Failed'), ('stopped', 'Stopped')], default='reading', max_length=8)),
                ('is_fresh', models.BooleanField(default=False, help_text='The app held nothing when it began.')),
                ('lines', models.PositiveBigIntegerField(default=0)),
                ('done', models.PositiveBigIntegerField(default=0)),
                ('counts', models.JSONField(default=dict)),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('asked_by', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('finished_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'ordering': ['-uid'],
            },
        ),
        migrations.CreateModel(
            name='ImportPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lines', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('of', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='memories.import')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddIndex(
            model_name='import',
            index=models.Index(condition=models.Q(('status', 'waiting')), fields=['app'], name='import_open'),
        ),
        migrations.AddConstraint(
            model_name='import',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='import_uid_is_unique_in_app'),
        ),
        SameApp("memories_importpart", "of_id", "memories_import"),
    ]
