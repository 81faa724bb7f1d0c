"""Sessions and what was said in them: never changed, gone only with a purge, and of one app."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models

from memsite.db.versions import TablesTogether
from memsite.tenancy.append_only import AppendOnly, SameApp


class Migration(TablesTogether):

    initial = True

    dependencies = [
        ('tenancy', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='AgentSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('purged_at', models.DateTimeField(editable=False, null=True)),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sessions', to='tenancy.agent')),
                ('external_id', models.CharField(blank=True, help_text="The agent's own name for it.", max_length=200, null=True)),
                ('title', models.CharField(blank=True, default='', max_length=500)),
                ('tier', models.PositiveSmallIntegerField(default=1, help_text='1 observe, 2 investigate, 3 remediate.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3)])),
                ('user_id', models.CharField(blank=True, db_index=True, help_text='The end user it is with.', max_length=200, null=True)),
                ('environment', models.JSONField(blank=True, default=dict)),
                ('status', models.CharField(choices=[('active', 'Active'), ('ended', 'Ended')], default='active', max_length=10)),
                ('end_reason', models.CharField(blank=True, default='', max_length=200)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('heartbeat_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('ended_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('shown_since', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('purged_at__isnull', False)), fields=['app'], name='session_purged'), models.Index(condition=models.Q(('status', 'active')), fields=['app', 'uid'], name='session_active')],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='session_uid_is_unique_in_app'), models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('agent', 'external_id'), name='session_external_id_is_unique_per_agent'), models.CheckConstraint(condition=models.Q(('tier__in', (1, 2, 3))), name='session_tier_is_1_2_or_3'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('status', 'active')), models.Q(('ended_at__isnull', False), ('status', 'ended')), _connector='OR'), name='session_ended_has_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('session', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='turns', to='agent_sessions.agentsession')),
                ('number', models.PositiveIntegerField()),
                ('user_input', models.TextField(blank=True, default='')),
                ('tool_calls', models.JSONField(blank=True, default=list)),
                ('llm_output', models.TextField(blank=True, default='')),
                ('internal_state', models.JSONField(blank=True, default=dict, null=True)),
                ('fingerprint', models.CharField(editable=False, help_text='SHA-256 of the body, to know it again.', max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['session', 'number'],
                'constraints': [models.UniqueConstraint(fields=('session', 'number'), name='turn_number_is_unique_in_session')],
            },
        ),
        migrations.CreateModel(
            name='Resource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('session', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='resources', to='agent_sessions.agentsession')),
                ('turn_number', models.PositiveIntegerField(blank=True, null=True)),
                ('role', models.CharField(choices=[('user', 'User'), ('assistant', 'Assistant'), ('system', 'System'), ('tool', 'Tool')], max_length=10)),
                ('raw_content', models.TextField()),
                ('content_type', models.CharField(default='text/plain', max_length=100)),
                ('content_at', models.DateTimeField()),
                ('source_key', models.CharField(blank=True, max_length=200, null=True)),
                ('created_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now, editable=False)),
                ('speaker', models.CharField(blank=True, db_default='', default='', max_length=100)),
                ('utc_offset', models.SmallIntegerField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='resource_uid_is_unique_in_app'), models.UniqueConstraint(condition=models.Q(('source_key__isnull', False)), fields=('session', 'source_key'), name='resource_source_is_stored_once_per_session')],
                'indexes': [models.Index(condition=models.Q(('session__isnull', False)), fields=['session'], name='resource_session')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('session', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='agent_sessions.agentsession')),
                ('turn_number', models.PositiveIntegerField(blank=True, null=True)),
                ('level', models.CharField(choices=[('info', 'Info'), ('warning', 'Warning'), ('error', 'Error'), ('critical', 'Critical')], default='info', max_length=10)),
                ('service', models.CharField(blank=True, max_length=200, null=True)),
                ('message', models.TextField()),
                ('memory_uid', models.UUIDField(blank=True, help_text='The memory it tells of.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='event_uid_is_unique_in_app')],
                'indexes': [models.Index(fields=['app', '-id'], name='event_app_latest'), models.Index(condition=models.Q(('session__isnull', False)), fields=['session'], name='event_session'), models.Index(condition=models.Q(('memory_uid__isnull', False)), fields=['memory_uid'], name='event_memory')],
            },
        ),
        migrations.CreateModel(
            name='Cooldown',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('action', models.CharField(help_text='What is held back: restart, redeploy, …', max_length=64)),
                ('service', models.CharField(blank=True, default='', max_length=200)),
                ('until', models.DateTimeField()),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent')),
                ('session', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agent_sessions.agentsession')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['until'],
                'indexes': [models.Index(fields=['app', 'until'], name='cooldown_app_until'), models.Index(condition=models.Q(('session__isnull', False)), fields=['session'], name='cooldown_session')],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='cooldown_uid_is_unique_in_app'), models.UniqueConstraint(fields=('app', 'service', 'action'), name='cooldown_is_one_per_action')],
            },
        ),
        AppendOnly("agent_sessions_turn"),
        AppendOnly("agent_sessions_resource"),
        AppendOnly("agent_sessions_event"),
        SameApp("agent_sessions_agentsession", "agent_id", "tenancy_agent"),
        SameApp("agent_sessions_turn", "session_id", "agent_sessions_agentsession"),
        SameApp("agent_sessions_resource", "session_id", "agent_sessions_agentsession"),
        SameApp("agent_sessions_event", "session_id", "agent_sessions_agentsession"),
        SameApp("agent_sessions_cooldown", "agent_id", "tenancy_agent"),
        SameApp("agent_sessions_cooldown", "session_id", "agent_sessions_agentsession"),
    ]
