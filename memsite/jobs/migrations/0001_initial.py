"""When jobs run, and how they ran."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('tenancy', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='JobRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False, unique=True)),
                ('app', models.ForeignKey(blank=True, db_index=False, help_text='Empty: the whole site.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('job', models.CharField(max_length=32)),
                ('period', models.CharField(max_length=32)),
                ('since', models.DateTimeField(blank=True, help_text='Where the run before this one ended.', null=True)),
                ('until', models.DateTimeField(help_text='When it was due.')),
                ('fired_by', models.CharField(max_length=120)),
                ('status', models.CharField(choices=[('pending', 'waits for a worker'), ('running', 'Running'), ('done', 'Done'), ('failed', 'failed: will be tried again'), ('dead', 'given up: retry by hand'), ('stopped', 'stopped by hand'), ('covered', 'done by a later one')], default='pending', max_length=8)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('token', models.PositiveIntegerField(default=0, editable=False)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('next_at', models.DateTimeField(default=django.utils.timezone.now, help_text='Not tried before this time.')),
                ('stop_asked', models.BooleanField(default=False)),
                ('counts', models.JSONField(default=dict)),
                ('cursor', models.JSONField(default=dict)),
                ('seconds', models.FloatField(default=0, help_text='Of work, all attempts together.')),
                ('reason', models.CharField(blank=True, default='', help_text='Why it failed, or waits.', max_length=500)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-uid'],
                'indexes': [models.Index(fields=['job', 'app', '-until'], name='job_run_latest'), models.Index(fields=['app', '-uid'], name='job_run_app_latest'), models.Index(condition=models.Q(('status__in', ('pending', 'running', 'failed'))), fields=['next_at'], name='job_run_open'), models.Index(fields=['job', '-finished_at'], name='job_run_finished'), models.Index(condition=models.Q(('status__in', ('pending', 'running', 'failed'))), fields=['job', 'app', 'until'], name='job_run_open_of'), models.Index(condition=models.Q(('status', 'running')), fields=['lease_until'], name='job_run_under_way')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('app__isnull', False)), fields=('job', 'app', 'period'), name='job_run_once_per_app_and_period'), models.UniqueConstraint(condition=models.Q(('app', None)), fields=('job', 'period'), name='job_run_once_per_period'), models.UniqueConstraint(condition=models.Q(('app__isnull', False), ('status', 'running')), fields=('job', 'app'), name='job_run_one_at_a_time_per_app'), models.UniqueConstraint(condition=models.Q(('app', None), ('status', 'running')), fields=('job',), name='job_run_one_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='JobSchedule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('job', models.CharField(editable=False, max_length=32, unique=True)),
                ('enabled', models.BooleanField(default=True, help_text='Off: it runs by hand only.')),
                ('at', models.TimeField(blank=True, help_text="Time of day where the app lives (the policy's time zone).", null=True)),
                ('weekday', models.PositiveSmallIntegerField(blank=True, choices=[(0, 'Monday'), (1, 'Tuesday'), (2, 'Wednesday'), (3, 'Thursday'), (4, 'Friday'), (5, 'Saturday'), (6, 'Sunday')], help_text='Weekly, on this day.', null=True)),
                ('day', models.PositiveSmallIntegerField(blank=True, help_text='Monthly, on this day: 1 to 28, which every month has.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(28)])),
                ('minutes', models.PositiveIntegerField(blank=True, help_text='Every so many minutes, instead of at a time of day.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1440)])),
            ],
            options={
                'ordering': ['job'],
            },
        ),
    ]
