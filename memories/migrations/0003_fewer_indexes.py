import django.db.models.deletion
from django.db import migrations, models

from memsite.tenancy.indexed_once import WithoutOwnIndex


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0003_fewer_indexes'),
        ('memories', '0002_words_and_triggers'),
        ('tenancy', '0002_near_model'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_external',
        ),
        WithoutOwnIndex(
            model_name='forgotten',
            name='agent',
            field=models.ForeignKey(db_index=False, help_text='Who alone could see it; empty: everyone.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent'),
        ),
        WithoutOwnIndex(
            model_name='futuretrigger',
            name='agent',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent'),
        ),
        WithoutOwnIndex(
            model_name='futuretrigger',
            name='resource',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.resource'),
        ),
        WithoutOwnIndex(
            model_name='futuretrigger',
            name='session',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.agentsession'),
        ),
        WithoutOwnIndex(
            model_name='injection',
            name='session',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='injections', to='agent_sessions.agentsession'),
        ),
        WithoutOwnIndex(
            model_name='ledgerentry',
            name='app',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        WithoutOwnIndex(
            model_name='ledgerentry',
            name='session',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.agentsession'),
        ),
        WithoutOwnIndex(
            model_name='link',
            name='from_memory',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='links_out', to='memories.memory'),
        ),
        WithoutOwnIndex(
            model_name='memory',
            name='agent',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent'),
        ),
        WithoutOwnIndex(
            model_name='memory',
            name='resource',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='memories', to='agent_sessions.resource'),
        ),
        WithoutOwnIndex(
            model_name='memory',
            name='session',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='memories', to='agent_sessions.agentsession'),
        ),
        WithoutOwnIndex(
            model_name='mention',
            name='entity',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='memories.entity'),
        ),
        WithoutOwnIndex(
            model_name='preload',
            name='trigger',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='preloads', to='memories.futuretrigger'),
        ),
        WithoutOwnIndex(
            model_name='rejection',
            name='agent',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent'),
        ),
        WithoutOwnIndex(
            model_name='rejection',
            name='edits',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memories.memory'),
        ),
        WithoutOwnIndex(
            model_name='rejection',
            name='memory',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memories.memory'),
        ),
        WithoutOwnIndex(
            model_name='rejection',
            name='resource',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.resource'),
        ),
        WithoutOwnIndex(
            model_name='rejection',
            name='session',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='agent_sessions.agentsession'),
        ),
        WithoutOwnIndex(
            model_name='revision',
            name='app',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app'),
        ),
        WithoutOwnIndex(
            model_name='revision',
            name='memory',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='memories.memory'),
        ),
        WithoutOwnIndex(
            model_name='vector',
            name='memory',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='vectors', to='memories.memory'),
        ),
        migrations.AddIndex(
            model_name='forgotten',
            index=models.Index(condition=models.Q(('agent__isnull', False)), fields=['agent'], name='forgotten_agent'),
        ),
        migrations.AddIndex(
            model_name='futuretrigger',
            index=models.Index(condition=models.Q(('agent__isnull', False)), fields=['agent'], name='trigger_agent'),
        ),
        migrations.AddIndex(
            model_name='futuretrigger',
            index=models.Index(condition=models.Q(('session__isnull', False)), fields=['session'], name='trigger_session'),
        ),
        migrations.AddIndex(
            model_name='futuretrigger',
            index=models.Index(condition=models.Q(('resource__isnull', False)), fields=['resource'], name='trigger_resource'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(condition=models.Q(('session__isnull', False)), fields=['session'], name='ledger_session'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('external_id__isnull', False)), fields=['app', 'external_id'], name='memory_external'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('agent__isnull', False)), fields=['agent'], name='memory_agent'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('session__isnull', False)), fields=['session'], name='memory_session'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('resource__isnull', False)), fields=['resource'], name='memory_resource'),
        ),
        migrations.AddIndex(
            model_name='rejection',
            index=models.Index(condition=models.Q(('memory__isnull', False)), fields=['memory'], name='rejection_memory'),
        ),
        migrations.AddIndex(
            model_name='rejection',
            index=models.Index(condition=models.Q(('edits__isnull', False)), fields=['edits'], name='rejection_edits'),
        ),
        migrations.AddIndex(
            model_name='rejection',
            index=models.Index(condition=models.Q(('agent__isnull', False)), fields=['agent'], name='rejection_agent'),
        ),
        migrations.AddIndex(
            model_name='rejection',
            index=models.Index(condition=models.Q(('session__isnull', False)), fields=['session'], name='rejection_session'),
        ),
        migrations.AddIndex(
            model_name='rejection',
            index=models.Index(condition=models.Q(('resource__isnull', False)), fields=['resource'], name='rejection_resource'),
        ),
    ]
