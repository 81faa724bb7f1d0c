"""Clients that were let in by OAuth."""

import authlib.oauth2.rfc6749.models
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('tenancy', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='OAuthClient',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client_id', models.CharField(editable=False, max_length=64, unique=True)),
                ('secret_hash', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('metadata', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'verbose_name': 'OAuth client',
                'ordering': ['-id'],
            },
            bases=(models.Model, authlib.oauth2.rfc6749.models.ClientMixin),
        ),
        migrations.CreateModel(
            name='OAuthCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='oauth.oauthclient')),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.agent')),
                ('scopes', models.JSONField(default=list)),
                ('allowed_by', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('code_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('redirect_uri', models.TextField()),
                ('code_challenge', models.CharField(max_length=128)),
                ('expires_at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
            },
            bases=(models.Model, authlib.oauth2.rfc6749.models.AuthorizationCodeMixin),
        ),
        migrations.CreateModel(
            name='OAuthGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='oauth.oauthclient')),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.agent')),
                ('scopes', models.JSONField(default=list)),
                ('allowed_by', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('key', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='oauth_grant', to='tenancy.apikey')),
                ('refresh_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('refreshed_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('code_hash', models.CharField(blank=True, db_index=True, default='', editable=False, max_length=64)),
                ('family_hash', models.CharField(blank=True, db_index=True, default='', editable=False, max_length=64)),
            ],
            options={
                'verbose_name': 'connected client',
                'ordering': ['-id'],
            },
            bases=(models.Model, authlib.oauth2.rfc6749.models.TokenMixin),
        ),
    ]
