"""Webhooks and what they are told, bridges of chats, and whose a deleted memory was."""

import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.scoping
from django.db import migrations, models

from memsite.tenancy.append_only import SameApp


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0020_imports'),
        ('tenancy', '0007_residue'),
    ]

    operations = [
        migrations.AddField(
            model_name='forgotten',
            name='agent',
            field=models.ForeignKey(help_text='Who alone could see it; empty: everyone.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent'),
        ),
        migrations.AddField(
            model_name='forgotten',
            name='created_at',
            field=models.DateTimeField(default=django.utils.timezone.now, null=True),
        ),
        migrations.AddField(
            model_name='forgotten',
            name='memory_uid',
            field=models.UUIDField(null=True),
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('url', models.CharField(max_length=500)),
                ('description', models.CharField(blank=True, default='', max_length=200)),
                ('events', models.JSONField(default=list, help_text='The kinds that it is told of; empty: all.')),
                ('is_active', models.BooleanField(default=True)),
                ('reason', models.CharField(blank=True, default='', help_text='Why it was switched off by itself.', max_length=200)),
                ('secret_number', models.PositiveIntegerField(default=0, editable=False)),
                ('secret_changed_at', models.DateTimeField(editable=False, null=True)),
                ('seen_change', models.PositiveBigIntegerField(default=0, editable=False)),
                ('seen_revision', models.PositiveBigIntegerField(default=0, editable=False)),
                ('seen_forgotten', models.PositiveBigIntegerField(default=0, editable=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'ordering': ['-uid'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('kind', models.CharField(max_length=40)),
                ('payload', models.JSONField()),
                ('status', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('dead', 'given up: replay it by hand')], default='waiting', max_length=10)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('next_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('answer', models.PositiveIntegerField(blank=True, help_text='The status that it was answered with last.', null=True)),
                ('reason', models.CharField(blank=True, default='', max_length=200)),
                ('seconds', models.FloatField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='memories.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-uid'],
            },
        ),
        migrations.CreateModel(
            name='Bridge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('name', models.CharField(max_length=60)),
                ('is_active', models.BooleanField(default=True)),
                ('secret_number', models.PositiveIntegerField(default=0, editable=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.agent')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'ordering': ['-uid'],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='bridge_uid_is_unique_in_app'), models.UniqueConstraint(fields=('app', 'name'), name='bridge_name_is_unique_in_app')],
            },
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='webhook_uid_is_unique_in_app'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('status', 'waiting')), fields=['next_at'], name='delivery_due'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('app', 'uid'), name='delivery_uid_is_unique_in_app'),
        ),
        SameApp("memories_forgotten", "agent_id", "tenancy_agent"),
        SameApp("memories_delivery", "webhook_id", "memories_webhook"),
        SameApp("memories_bridge", "agent_id", "tenancy_agent"),
    ]
