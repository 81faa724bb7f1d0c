"""Cooldowns that agents report."""

import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models

from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0003_purged_sessions'),
        ('tenancy', '0007_residue'),
    ]

    operations = [
        migrations.CreateModel(
            name='Cooldown',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('action', models.CharField(help_text='What is held back: restart, redeploy, …', max_length=64)),
                ('service', models.CharField(blank=True, default='', max_length=200)),
                ('until', models.DateTimeField()),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('session', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agent_sessions.agentsession')),
            ],
            options={
                'ordering': ['until'],
                'indexes': [models.Index(fields=['app', 'until'], name='cooldown_app_until')],
                'constraints': [models.UniqueConstraint(fields=('app', 'service', 'action'), name='cooldown_is_one_per_action')],
            },
        ),
        SameApp("agent_sessions_cooldown", "agent_id", "tenancy_agent"),
        SameApp("agent_sessions_cooldown", "session_id", "agent_sessions_agentsession"),
    ]
