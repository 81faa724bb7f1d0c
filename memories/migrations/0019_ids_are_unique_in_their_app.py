"""Ids are unique within their app: a copy of an app keeps the ids it had, and is no business of other apps."""

import memsite.tenancy.scoping
from django.db import migrations, models

from memories.models.fulltext import FullTextSource
from memsite.tenancy.append_only import Rebuilding, SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0005_ids_are_unique_in_their_app'),
        ('memories', "0018_ledger_knows_the_provider"),
        ('tenancy', '0007_residue'),
    ]

    operations = [
        Rebuilding(begins=True),
        migrations.RemoveIndex(
            model_name='extraction',
            name='extraction_app_latest',
        ),
        migrations.RemoveIndex(
            model_name='futuretrigger',
            name='trigger_app_latest',
        ),
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_app_latest',
        ),
        migrations.RemoveIndex(
            model_name='purge',
            name='purge_app_latest',
        ),
        migrations.RemoveIndex(
            model_name='rejection',
            name='rejection_app_latest',
        ),
        migrations.AlterField(
            model_name='entity',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='extraction',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='futuretrigger',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='link',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='memory',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='purge',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='rejection',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AlterField(
            model_name='summary',
            name='uid',
            field=models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False),
        ),
        migrations.AddConstraint(
            model_name='entity',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='entity_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='extraction',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='extraction_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='futuretrigger',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='trigger_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='link',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='link_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='memory_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='purge',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='purge_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='rejection',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='rejection_uid_is_unique_in_app'),
        ),
        migrations.AddConstraint(
            model_name='summary',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='summary_uid_is_unique_in_app'),
        ),
        Rebuilding(begins=False),
        FullTextSource(),
        SameApp("memories_memory", "agent_id", "tenancy_agent"),
        SameApp("memories_memory", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_memory", "resource_id", "agent_sessions_resource"),
        SameApp("memories_link", "from_memory_id", "memories_memory"),
        SameApp("memories_link", "to_memory_id", "memories_memory"),
        SameApp("memories_extraction", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_extraction", "resource_id", "agent_sessions_resource"),
        SameApp("memories_futuretrigger", "agent_id", "tenancy_agent"),
        SameApp("memories_futuretrigger", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_futuretrigger", "resource_id", "agent_sessions_resource"),
        SameApp("memories_rejection", "memory_id", "memories_memory"),
        SameApp("memories_rejection", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_rejection", "resource_id", "agent_sessions_resource"),
    ]
