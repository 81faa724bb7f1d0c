"""Memories that nobody asks for can be put away, compressed."""

import django.db.models.deletion
from django.db import migrations, models

from memories.models.fulltext import FullTextSource
from memsite.tenancy.append_only import Rebuilding, SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('agent_sessions', '0002_append_only'),
        ('memories', '0013_health_reports'),
        ('tenancy', '0005_vector_model'),
    ]

    operations = [
        migrations.CreateModel(
            name='ColdText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('data', models.BinaryField()),
                ('was', models.CharField(choices=[('active', 'Active'), ('inactive', 'inactive: confidence too low'), ('superseded', 'superseded by another'), ('archived', 'Archived'), ('cold', 'cold: nobody has asked for it in a long time')], max_length=12)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('memory', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='cold_text', to='memories.memory')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AlterField(
            model_name='memory',
            name='status',
            field=models.CharField(choices=[('active', 'Active'), ('inactive', 'inactive: confidence too low'), ('superseded', 'superseded by another'), ('archived', 'Archived'), ('cold', 'cold: nobody has asked for it in a long time')], default='active', max_length=12),
        ),
        migrations.AlterField(
            model_name='revision',
            name='action',
            field=models.CharField(choices=[('created', 'Created'), ('reinforced', 'Reinforced'), ('contradicted', 'Contradicted'), ('decayed', 'Decayed'), ('edited', 'Edited'), ('merged', 'Merged'), ('superseded', 'Superseded'), ('archived', 'Archived'), ('frozen', 'frozen: moved to the cold archive'), ('restored', 'Restored'), ('undone', 'Undone'), ('used', 'used: the agent made use of it'), ('ignored', 'ignored: shown and not used'), ('promoted', 'promoted: new that day'), ('gathered', 'gathered into an insight')], max_length=16),
        ),
        Rebuilding(begins=True),
        migrations.RemoveConstraint(
            model_name='memory',
            name='memory_has_content',
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'cold'), ('content', '')), models.Q(models.Q(('status', 'cold'), _negated=True), models.Q(('content', ''), _negated=True)), _connector='OR'), name='memory_has_content_unless_cold'),
        ),
        Rebuilding(begins=False),
        FullTextSource(),
        SameApp("memories_memory", "agent_id", "tenancy_agent"),
        SameApp("memories_memory", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_memory", "resource_id", "agent_sessions_resource"),
        SameApp("memories_coldtext", "memory_id", "memories_memory"),
    ]
