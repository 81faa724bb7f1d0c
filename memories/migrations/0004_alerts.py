import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memsite.tenancy.scoping
from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0003_saved_views'),
        ('tenancy', '0005_documents'),
    ]

    operations = [
        migrations.CreateModel(
            name='AlertRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('app_full', 'app full'), ('digest_failed', 'digest failed'), ('circuit_open', 'circuit open'), ('job_overdue', 'job overdue'), ('quarantine_waiting', 'quarantine waiting'), ('budget_spent', 'budget spent'), ('backup_failed', 'backup failed')], max_length=20)),
                ('threshold', models.FloatField(blank=True, help_text='A share from 0 to 1, a number, minutes or hours; empty: the usual one.', null=True)),
                ('emails', models.JSONField(blank=True, default=list, help_text='Who gets a mail.')),
                ('dashboard', models.BooleanField(default=True, help_text='Shown and counted on the dashboard.')),
                ('enabled', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('app', models.ForeignKey(blank=True, db_index=False, help_text='Empty: all apps, for superusers.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('webhook', models.ForeignKey(blank=True, db_index=False, help_text='Who is sent it, signed.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memories.webhook')),
            ],
            options={
                'ordering': ['-uid'],
            },
        ),
        migrations.CreateModel(
            name='Alert',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('text', models.CharField(max_length=500)),
                ('value', models.FloatField()),
                ('begun_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('acknowledged_at', models.DateTimeField(blank=True, null=True)),
                ('acknowledged_by', models.CharField(blank=True, default='', max_length=200)),
                ('mailed', models.CharField(blank=True, choices=[('', 'nothing yet'), ('begun', 'that it began'), ('over', 'that it is over')], default='', max_length=5)),
                ('mail_attempts', models.PositiveSmallIntegerField(default=0)),
                ('mail_next_at', models.DateTimeField(blank=True, null=True)),
                ('mail_error', models.CharField(blank=True, default='', help_text='Why the last mail was not sent.', max_length=300)),
                ('app', models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alerts', to='memories.alertrule')),
            ],
            options={
                'ordering': ['-uid'],
            },
        ),
        migrations.AddIndex(
            model_name='alertrule',
            index=models.Index(condition=models.Q(('app__isnull', False)), fields=['app'], name='alert_rule_app'),
        ),
        migrations.AddIndex(
            model_name='alertrule',
            index=models.Index(condition=models.Q(('webhook__isnull', False)), fields=['webhook'], name='alert_rule_webhook'),
        ),
        migrations.AddIndex(
            model_name='alert',
            index=models.Index(fields=['app', '-uid'], name='alert_app_latest'),
        ),
        migrations.AddIndex(
            model_name='alert',
            index=models.Index(condition=models.Q(('ended_at', None)), fields=['app', 'acknowledged_at'], name='alert_open'),
        ),
        migrations.AddIndex(
            model_name='alert',
            index=models.Index(condition=models.Q(('app__isnull', False)), fields=['app'], name='alert_app'),
        ),
        migrations.AddIndex(
            model_name='alert',
            index=models.Index(condition=models.Q(('mail_next_at__isnull', False)), fields=['mail_next_at'], name='alert_mail_due'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(condition=models.Q(('app__isnull', False), ('ended_at', None)), fields=('rule', 'app'), name='alert_is_open_once_per_app'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(condition=models.Q(('app', None), ('ended_at', None)), fields=('rule',), name='alert_is_open_once'),
        ),
        SameApp("memories_alertrule", "webhook_id", "memories_webhook", of_site="row"),
        SameApp("memories_alert", "rule_id", "memories_alertrule", of_site="target"),
    ]
