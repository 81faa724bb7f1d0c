"""Named things and their mentions, written summaries, and counts of what answered."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models

from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0004_forgotten'),
        ('tenancy', '0001_apps_agents_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='Entity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('key', models.CharField(max_length=200)),
                ('name', models.CharField(max_length=200)),
                ('kind', models.CharField(max_length=20)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'verbose_name_plural': 'entities',
                'ordering': ['-uid'],
            },
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('entity', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='memories.entity')),
                ('memory', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='memories.memory')),
            ],
        ),
        migrations.CreateModel(
            name='RecallCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('mode', models.CharField(max_length=10)),
                ('tier', models.CharField(max_length=10)),
                ('searches', models.PositiveIntegerField(default=0)),
                ('found', models.PositiveIntegerField(default=0)),
                ('seconds', models.FloatField(default=0)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'ordering': ['-day'],
            },
        ),
        migrations.CreateModel(
            name='Summary',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('category', models.CharField(max_length=64, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9_-]{0,63}\\Z', 'Lower-case letters, digits, - and _, 64 at most.')])),
                ('user_id', models.CharField(blank=True, default='', max_length=200)),
                ('version', models.PositiveIntegerField(default=1)),
                ('content', models.TextField()),
                ('memory_count', models.PositiveIntegerField(default=0)),
                ('made_by', models.CharField(max_length=120)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('archived_at', models.DateTimeField(blank=True, help_text='When a newer version took its place.', null=True)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'verbose_name_plural': 'summaries',
                'ordering': ['-uid'],
            },
        ),
        migrations.CreateModel(
            name='Passage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('model', models.CharField(blank=True, default='', max_length=120)),
                ('data', models.BinaryField(null=True)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('memory', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='memories.memory')),
                ('summary', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='memories.summary')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddConstraint(
            model_name='entity',
            constraint=models.UniqueConstraint(fields=('app', 'key'), name='entity_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='mention',
            constraint=models.UniqueConstraint(fields=('entity', 'memory'), name='mention_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='recallcount',
            constraint=models.UniqueConstraint(fields=('app', 'day', 'mode', 'tier'), name='recall_count_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='summary',
            constraint=models.UniqueConstraint(fields=('app', 'category', 'user_id', 'version'), name='summary_version_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='summary',
            constraint=models.UniqueConstraint(condition=models.Q(('archived_at', None)), fields=('app', 'category', 'user_id'), name='summary_has_one_current_version'),
        ),
        SameApp("memories_mention", "entity_id", "memories_entity"),
        SameApp("memories_mention", "memory_id", "memories_memory"),
        SameApp("memories_passage", "summary_id", "memories_summary"),
        SameApp("memories_passage", "memory_id", "memories_memory"),
    ]
