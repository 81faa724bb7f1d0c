"""Ids are unique within their app: a copy of an app keeps the ids it had, and is no business of other apps."""

import memsite.tenancy.scoping
from django.db import migrations, models

from memsite.tenancy.append_only import AppendOnly, Rebuilding, SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0004_cooldowns'),
        ('tenancy', '0007_residue'),
    ]

    operations = [
        Rebuilding(begins=True),
        migrations.RemoveIndex(
            model_name='agentsession',
            name='session_app_latest',
        ),
        migrations.RemoveIndex(
            model_name='event',
            name='event_app_latest',
        ),
        migrations.RemoveIndex(
            model_name='resource',
            name='resource_app_latest',
        ),
        migrations.AlterField(
            model_name='agentsession',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='cooldown',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='event',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='resource',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AddConstraint(
            model_name='agentsession',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='session_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='cooldown',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='cooldown_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='event_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='resource',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='resource_uid_is_unique_in_app'),
        ),
        Rebuilding(begins=False),
        AppendOnly("agent_sessions_resource"),
        AppendOnly("agent_sessions_event"),
        SameApp("agent_sessions_agentsession", "agent_id", "tenancy_agent"),
        SameApp("agent_sessions_resource", "session_id", "agent_sessions_agentsession"),
        SameApp("agent_sessions_event", "session_id", "agent_sessions_agentsession"),
        SameApp("agent_sessions_cooldown", "agent_id", "tenancy_agent"),
        SameApp("agent_sessions_cooldown", "session_id", "agent_sessions_agentsession"),
    ]
