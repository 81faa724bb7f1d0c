import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memsite.tenancy.scoping
from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0001_initial'),
        ('tenancy', '0005_documents'),
    ]

    operations = [
        migrations.AlterField(
            model_name='coldtext',
            name='was',
            field=models.CharField(choices=[('active', 'Active'), ('inactive', 'inactive: confidence too low'), ('superseded', 'superseded by another'), ('archived', 'Archived'), ('cold', 'cold: nobody has asked for it in a long time'), ('withdrawn', 'withdrawn: its source was taken back'), ('document', 'document: quoted from a file')], max_length=12),
        ),
        migrations.AlterField(
            model_name='memory',
            name='source',
            field=models.CharField(choices=[('marker', 'Marker'), ('api', 'Api'), ('operator', 'Operator'), ('fact', 'found in what was said'), ('digest', 'written from a whole session'), ('insight', 'written from archived memories'), ('document', 'quoted from a file')], default='api', max_length=12),
        ),
        migrations.AlterField(
            model_name='memory',
            name='status',
            field=models.CharField(choices=[('active', 'Active'), ('inactive', 'inactive: confidence too low'), ('superseded', 'superseded by another'), ('archived', 'Archived'), ('cold', 'cold: nobody has asked for it in a long time'), ('withdrawn', 'withdrawn: its source was taken back'), ('document', 'document: quoted from a file')], default='active', max_length=12),
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('name', models.CharField(max_length=200)),
                ('external_id', models.CharField(blank=True, help_text="The uploader's own name for it.", max_length=200, null=True)),
                ('content_type', models.CharField(blank=True, default='', help_text='Known once it is read.', max_length=100)),
                ('size', models.PositiveIntegerField(help_text='Bytes.')),
                ('fingerprint', models.CharField(editable=False, help_text='SHA-256 of the file.', max_length=64)),
                ('data', models.BinaryField(null=True)),
                ('status', models.CharField(choices=[('waiting', 'waiting: to be read by a worker'), ('ready', 'Ready'), ('failed', 'failed: upload it again')], default='waiting', max_length=8)),
                ('reason', models.CharField(blank=True, default='', help_text='Why it could not be read.', max_length=500)),
                ('attempts', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('pages', models.PositiveIntegerField(blank=True, null=True)),
                ('passages', models.PositiveIntegerField(default=0)),
                ('withheld_count', models.PositiveIntegerField(default=0, help_text='Passages that no agent should read.')),
                ('tags', models.JSONField(blank=True, default=list)),
                ('user_id', models.CharField(blank=True, max_length=200, null=True)),
                ('origin', models.CharField(choices=[('operator', 'an operator'), ('user', 'a user'), ('assistant', 'the agent itself'), ('agent', 'another agent or program'), ('tool', 'a tool'), ('web', 'something read on the web')], default='agent', help_text='Whose words it has.', max_length=10)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('agent', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'ordering': ['-uid'],
                'indexes': [models.Index(condition=models.Q(('status', 'waiting')), fields=['app'], name='document_waiting'), models.Index(condition=models.Q(('agent__isnull', False)), fields=['agent'], name='document_agent')],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='document_uid_is_unique_in_app'), models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('app', 'external_id'), name='document_external_id_is_unique_in_app')],
            },
        ),
        SameApp("memories_document", "agent_id", "tenancy_agent"),
    ]
