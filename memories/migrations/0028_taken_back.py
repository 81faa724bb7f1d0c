"""What came from one source can be taken back."""

import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0027_what_waits_for_a_person'),
        ('tenancy', '0009_who_needs_approval'),
    ]

    operations = [
        migrations.AlterField(
            model_name='coldtext',
            name='was',
            field=models.CharField(choices=[('active', 'Active'), ('inactive', 'inactive: confidence too low'), ('superseded', 'superseded by another'), ('archived', 'Archived'), ('cold', 'cold: nobody has asked for it in a long time'), ('withdrawn', 'withdrawn: its source was taken back')], max_length=12),
        ),
        migrations.AlterField(
            model_name='memory',
            name='status',
            field=models.CharField(choices=[('active', 'Active'), ('inactive', 'inactive: confidence too low'), ('superseded', 'superseded by another'), ('archived', 'Archived'), ('cold', 'cold: nobody has asked for it in a long time'), ('withdrawn', 'withdrawn: its source was taken back')], default='active', max_length=12),
        ),
        migrations.AlterField(
            model_name='revision',
            name='action',
            field=models.CharField(choices=[('created', 'Created'), ('reinforced', 'Reinforced'), ('contradicted', 'Contradicted'), ('decayed', 'Decayed'), ('edited', 'Edited'), ('merged', 'Merged'), ('superseded', 'Superseded'), ('archived', 'Archived'), ('frozen', 'frozen: moved to the cold archive'), ('restored', 'Restored'), ('undone', 'Undone'), ('used', 'used: the agent made use of it'), ('ignored', 'ignored: shown and not used'), ('promoted', 'promoted: new that day'), ('gathered', 'gathered into an insight'), ('withdrawn', 'withdrawn: its source was taken back'), ('reviewed', 'reviewed: a person has looked at it')], max_length=16),
        ),
        migrations.CreateModel(
            name='Rollback',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('what', models.CharField(choices=[('session', 'a session, by its id'), ('resource', 'a text, by its id'), ('agent', 'an agent, by its name'), ('origin', 'whose words they are: web, tool …'), ('import', 'a file of another system that was taken in, by its id'), ('bridge', "a chat's bridge, by its name")], max_length=10)),
                ('source', models.CharField(max_length=200)),
                ('since', models.DateTimeField(blank=True, help_text='Only what was stored from then on.', null=True)),
                ('reason', models.CharField(blank=True, default='', max_length=400)),
                ('asked_by', models.CharField(max_length=200)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('status', models.CharField(choices=[('open', 'open: being taken back'), ('done', 'Done')], default='open', max_length=8)),
                ('counts', models.JSONField(default=dict)),
                ('looked_to', models.PositiveBigIntegerField(default=0, editable=False)),
                ('finished_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'ordering': ['-uid'],
                'indexes': [models.Index(condition=models.Q(('status', 'open')), fields=['app'], name='rollback_open')],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='rollback_uid_is_unique_in_app')],
            },
        ),
    ]
