"""Extractions, triggers, the ledger, summaries that are due, and what was refused and may be overruled."""

import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models

from memsite.tenancy.append_only import SameApp


def give_uids(apps, schema_editor):
    rows = apps.get_model("memories", "Rejection").objects
    for row in rows.filter(uid=None).order_by("pk").iterator():
        rows.filter(pk=row.pk).update(uid=memsite.tenancy.scoping.new_uid())


def count_memories(apps, schema_editor):
    live = apps.get_model("memories", "Memory").objects.filter(status__in=("active", "inactive")).order_by()
    for row in live.values("app").annotate(number=models.Count("pk")):
        apps.get_model("tenancy", "App").objects.filter(pk=row["app"]).update(memory_count=row["number"])


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0002_append_only'),
        ('memories', '0006_shared_index'),
        ('tenancy', '0003_learning'),
    ]

    operations = [
        migrations.CreateModel(
            name='EnergyUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('operation', models.CharField(max_length=20)),
                ('calls', models.PositiveIntegerField(default=0)),
                ('units', models.FloatField(default=0)),
                ('reported', models.FloatField(db_default=0, default=0, help_text='Of these units, how many the agents were told.')),
            ],
            options={
                'ordering': ['-day', 'operation'],
            },
        ),
        migrations.CreateModel(
            name='Extraction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('what', models.CharField(choices=[('facts', 'the facts in one text'), ('digest', 'one memory for a whole session')], default='facts', max_length=8)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('running', 'Running'), ('done', 'Done'), ('failed', 'failed: will be tried again'), ('dead', 'given up: retry by hand')], default='pending', max_length=8)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('token', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('next_at', models.DateTimeField(default=django.utils.timezone.now, help_text='Not tried before this time.')),
                ('reason', models.CharField(blank=True, default='', help_text='Why it failed, or waits.', max_length=500)),
                ('made_by', models.CharField(blank=True, default='', max_length=120)),
                ('stored', models.PositiveIntegerField(default=0)),
                ('reinforced', models.PositiveIntegerField(default=0)),
                ('rejected', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('finished_at', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['-uid'],
            },
        ),
        migrations.CreateModel(
            name='FutureTrigger',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('trigger_date', models.DateField()),
                ('trigger_time', models.TimeField(blank=True, null=True)),
                ('until', models.DateField(blank=True, help_text='The last day, of a stretch of days.', null=True)),
                ('rule', models.CharField(blank=True, default='', max_length=200)),
                ('text', models.CharField(max_length=200)),
                ('message', models.TextField()),
                ('status', models.CharField(choices=[('waiting', 'Waiting'), ('done', 'done: its last day is over'), ('cancelled', 'Cancelled')], default='waiting', max_length=10)),
                ('user_id', models.CharField(blank=True, max_length=200, null=True)),
                ('visibility', models.CharField(choices=[('agent', 'only the agent that wrote it'), ('app', 'every agent of the app'), ('shared', 'apps that share, too')], default='app', max_length=8)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['trigger_date', 'id'],
            },
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operation', models.CharField(max_length=20)),
                ('model', models.CharField(max_length=120)),
                ('turn_number', models.PositiveIntegerField(blank=True, null=True)),
                ('input_tokens', models.PositiveIntegerField(default=0)),
                ('output_tokens', models.PositiveIntegerField(default=0)),
                ('cost', models.FloatField(blank=True, null=True)),
                ('seconds', models.FloatField(default=0)),
                ('outcome', models.CharField(default='ok', max_length=20)),
                ('day', models.DateField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'verbose_name_plural': 'ledger entries',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Preload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
        ),
        migrations.CreateModel(
            name='SummaryDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('category', models.CharField(max_length=64)),
                ('user_id', models.CharField(blank=True, default='', max_length=200)),
                ('changes', models.PositiveIntegerField(default=1)),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
                ('token', models.PositiveIntegerField(default=0)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'summaries due',
                'ordering': ['since'],
            },
        ),
        migrations.AlterModelOptions(
            name='rejection',
            options={'ordering': ['-uid']},
        ),
        migrations.RemoveIndex(
            model_name='rejection',
            name='rejection_app_latest',
        ),
        migrations.AddField(
            model_name='injection',
            name='evidence',
            field=models.CharField(blank=True, help_text='The words it was known by.', max_length=500, null=True),
        ),
        migrations.AddField(
            model_name='injection',
            name='judged_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='injection',
            name='similarity',
            field=models.FloatField(blank=True, help_text='Highest cosine with a passage of the answer.', null=True),
        ),
        migrations.AddField(
            model_name='injection',
            name='used',
            field=models.BooleanField(help_text="Whether the agent's answer made use of it; null: not judged yet.", null=True),
        ),
        migrations.AddField(
            model_name='injection',
            name='word_share',
            field=models.FloatField(blank=True, help_text='Share of its telling words in the answer.', null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='made_by',
            field=models.CharField(blank=True, editable=False, help_text='The rules or the model that worded it.', max_length=120, null=True),
        ),
        migrations.AddField(
            model_name='rejection',
            name='candidate',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='rejection',
            name='decided_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='rejection',
            name='decided_by',
            field=models.CharField(blank=True, default='', max_length=200),
        ),
        migrations.AddField(
            model_name='rejection',
            name='decision',
            field=models.CharField(choices=[('open', 'Open'), ('overruled', 'overruled: stored after all'), ('confirmed', 'confirmed: rightly refused')], default='open', max_length=10),
        ),
        migrations.AddField(
            model_name='rejection',
            name='kind',
            field=models.CharField(choices=[('marker', 'a marker that cannot be read'), ('fact', 'not worth keeping'), ('conflict', 'at odds with something surer'), ('quarantine', 'reads like an instruction to the agent')], default='marker', max_length=12),
        ),
        migrations.AddField(
            model_name='rejection',
            name='memory',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='rejection',
            name='scores',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='rejection',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, null=True),
        ),
        migrations.RunPython(give_uids, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='rejection',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name='memory',
            name='source',
            field=models.CharField(choices=[('marker', 'Marker'), ('api', 'Api'), ('operator', 'Operator'), ('fact', 'found in what was said'), ('digest', 'written from a whole session'), ('insight', 'written from archived memories')], default='api', max_length=12),
        ),
        migrations.AlterField(
            model_name='revision',
            name='action',
            field=models.CharField(choices=[('created', 'Created'), ('reinforced', 'Reinforced'), ('contradicted', 'Contradicted'), ('decayed', 'Decayed'), ('edited', 'Edited'), ('merged', 'Merged'), ('superseded', 'Superseded'), ('archived', 'Archived'), ('restored', 'Restored'), ('undone', 'Undone'), ('used', 'used: the agent made use of it'), ('ignored', 'ignored: shown and not used')], max_length=16),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('pinned', False), ('status__in', ('active', 'inactive'))), fields=['app', 'importance', 'confidence', 'confirmed_at'], name='memory_least'),
        ),
        migrations.AddIndex(
            model_name='rejection',
            index=models.Index(fields=['app', '-uid'], name='rejection_app_latest'),
        ),
        migrations.AddField(
            model_name='energyuse',
            name='app',
            field=models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        migrations.AddField(
            model_name='extraction',
            name='app',
            field=models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        migrations.AddField(
            model_name='extraction',
            name='resource',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='extraction', to='agent_sessions.resource'),
        ),
        migrations.AddField(
            model_name='extraction',
            name='session',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='extractions', to='agent_sessions.agentsession'),
        ),
        migrations.AddField(
            model_name='futuretrigger',
            name='agent',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent'),
        ),
        migrations.AddField(
            model_name='futuretrigger',
            name='app',
            field=models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        migrations.AddField(
            model_name='futuretrigger',
            name='resource',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.resource'),
        ),
        migrations.AddField(
            model_name='futuretrigger',
            name='session',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.agentsession'),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='app',
            field=models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='session',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.agentsession'),
        ),
        migrations.AddField(
            model_name='preload',
            name='app',
            field=models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        migrations.AddField(
            model_name='preload',
            name='memory',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='preloads', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='preload',
            name='trigger',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='preloads', to='memories.futuretrigger'),
        ),
        migrations.AddField(
            model_name='futuretrigger',
            name='memories',
            field=models.ManyToManyField(related_name='triggers', through='memories.Preload', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='summarydue',
            name='app',
            field=models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        migrations.AddConstraint(
            model_name='energyuse',
            constraint=models.UniqueConstraint(fields=('app', 'day', 'operation'), name='energy_use_is_unique'),
        ),
        migrations.AddIndex(
            model_name='extraction',
            index=models.Index(fields=['app', '-uid'], name='extraction_app_latest'),
        ),
        migrations.AddIndex(
            model_name='extraction',
            index=models.Index(fields=['status', 'next_at'], name='extraction_due'),
        ),
        migrations.AddConstraint(
            model_name='extraction',
            constraint=models.UniqueConstraint(condition=models.Q(('what', 'digest')), fields=('session',), name='extraction_digests_a_session_once'),
        ),
        migrations.AddConstraint(
            model_name='extraction',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('resource', None), ('what', 'digest')), models.Q(('resource__isnull', False), ('what', 'facts')), _connector='OR'), name='extraction_of_facts_has_a_text'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['app', 'day'], name='ledger_app_day'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['app', '-id'], name='ledger_app_latest'),
        ),
        migrations.AddConstraint(
            model_name='preload',
            constraint=models.UniqueConstraint(fields=('trigger', 'memory'), name='preload_is_unique'),
        ),
        migrations.AddIndex(
            model_name='futuretrigger',
            index=models.Index(fields=['app', 'status', 'trigger_date'], name='trigger_due'),
        ),
        migrations.AddIndex(
            model_name='futuretrigger',
            index=models.Index(fields=['app', '-uid'], name='trigger_app_latest'),
        ),
        migrations.AddConstraint(
            model_name='futuretrigger',
            constraint=models.CheckConstraint(condition=models.Q(('until', None), ('until__gte', models.F('trigger_date')), _connector='OR'), name='trigger_ends_after_it_begins'),
        ),
        migrations.AddConstraint(
            model_name='summarydue',
            constraint=models.UniqueConstraint(fields=('app', 'category', 'user_id'), name='summary_due_is_unique'),
        ),
        migrations.RunPython(count_memories, migrations.RunPython.noop),
        SameApp("memories_extraction", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_extraction", "resource_id", "agent_sessions_resource"),
        SameApp("memories_futuretrigger", "agent_id", "tenancy_agent"),
        SameApp("memories_futuretrigger", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_futuretrigger", "resource_id", "agent_sessions_resource"),
        SameApp("memories_preload", "trigger_id", "memories_futuretrigger"),
        SameApp("memories_preload", "memory_id", "memories_memory"),
        SameApp("memories_ledgerentry", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_rejection", "memory_id", "memories_memory"),
        SameApp("memories_rejection", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_rejection", "resource_id", "agent_sessions_resource"),
    ]
