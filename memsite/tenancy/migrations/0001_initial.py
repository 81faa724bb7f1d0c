"""Apps, their agents, keys, policies and members, and the audit log."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import memsite.tenancy.origin
import memsite.tenancy.policy
import timezone_field.fields
from django.conf import settings
from django.db import migrations, models

from memsite.db.versions import TablesTogether
from memsite.tenancy.append_only import AppendOnly


class Migration(TablesTogether):

    initial = True

    dependencies = [
        ('auth', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='PurgePermit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
        ),
        migrations.CreateModel(
            name='Residue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purges', models.PositiveBigIntegerField(default=0)),
                ('swept', models.PositiveBigIntegerField(default=0)),
                ('swept_at', models.DateTimeField(null=True)),
                ('seconds', models.FloatField(default=0, help_text='How long the last sweep took.')),
            ],
        ),
        migrations.CreateModel(
            name='App',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app_id', models.CharField(max_length=64, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9._-]{0,63}\\Z', 'Lower-case letters, digits, . - and _, 64 at most.')])),
                ('name', models.CharField(max_length=200)),
                ('preset', models.CharField(choices=[('standard', 'Standard'), ('ops', 'Ops'), ('assistant', 'Assistant'), ('knowledge', 'Knowledge'), ('compact', 'Compact'), ('strict', 'Strict')], default='standard', max_length=20)),
                ('status', models.CharField(choices=[('active', 'Active'), ('uninstalled', 'Uninstalled'), ('purging', 'purging: uninstalled, and being deleted')], default='active', max_length=20)),
                ('change_number', models.PositiveBigIntegerField(default=0, editable=False)),
                ('vector_model', models.CharField(blank=True, default='', editable=False, help_text='The embedder its searches use; empty: none yet.', max_length=120)),
                ('embedded_to', models.PositiveBigIntegerField(default=0, editable=False, help_text='Up to this change every memory has a vector of that embedder.')),
                ('vectors_lost', models.BooleanField(default=False, editable=False, help_text='The embedder before is gone, and not every memory has a vector of this one yet.')),
                ('index_number', models.PositiveIntegerField(default=0, editable=False, help_text='Raised when every process has to load its index anew.')),
                ('memory_count', models.PositiveIntegerField(default=0, editable=False, help_text='Active and inactive memories.')),
                ('energy_level', models.FloatField(default=1.0, help_text='0 to 1, as its agents last told.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('near_model', models.CharField(blank=True, default='', editable=False, help_text='The embedder whose vectors pgvector is asked for; empty: they are held in each process.', max_length=120)),
            ],
            options={
                'ordering': ['app_id'],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('actor', models.CharField(max_length=200)),
                ('action', models.CharField(help_text='What was done: key issued, policy changed, …', max_length=40)),
                ('subject', models.CharField(blank=True, default='', help_text='To what.', max_length=200)),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['app', '-id'], name='audit_app_latest')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('role', models.CharField(choices=[('viewer', 'viewer: reads'), ('editor', 'editor: reads, and curates memories'), ('owner', 'owner: all of it, with policy, keys, members and purges')], default='viewer', max_length=10)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['user__username'],
                'constraints': [models.UniqueConstraint(fields=('app', 'user'), name='membership_is_unique_in_app')],
            },
        ),
        migrations.CreateModel(
            name='AppPolicy',
            fields=[
                ('app', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='policy', serialize=False, to='tenancy.app')),
                ('capture_markers', models.BooleanField(default=True, help_text='[MEMORY:…] lines of the agent become memories.')),
                ('capture_facts', models.BooleanField(default=True, help_text='Facts are extracted from what was said.')),
                ('capture_summaries', models.BooleanField(default=False, help_text='Categories keep a written summary.')),
                ('capture_digest', models.BooleanField(default=False, help_text='One digest memory per conversation.')),
                ('marker_categories', models.JSONField(default=memsite.tenancy.policy.default_marker_categories, help_text='Categories markers may name.', validators=[memsite.tenancy.policy.check_categories])),
                ('useful_above', models.FloatField(default=0.7, help_text='A fact that is less useful than this is chatter and not kept.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('verifiable_above', models.FloatField(default=0.5, help_text='A fact that is less verifiable than this is an opinion and not kept.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('memory_limit', models.PositiveIntegerField(default=100000, help_text='Memories the app may hold.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10000000)])),
                ('max_characters', models.PositiveIntegerField(default=2000, help_text='Characters a memory may have.', validators=[django.core.validators.MinValueValidator(20), django.core.validators.MaxValueValidator(100000)])),
                ('writes_per_minute', models.PositiveIntegerField(default=10000, help_text='Memories one agent may write in a minute.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)])),
                ('ttl_days', models.JSONField(default=memsite.tenancy.policy.default_ttl_days, help_text='Days without access until archive, by category.', validators=[memsite.tenancy.policy.check_ttl_days])),
                ('cold_after_days', models.PositiveIntegerField(default=182, help_text='Days without any access until cold archive.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(36500)])),
                ('start_confidence', models.FloatField(default=0.7, help_text='Confidence of a new memory.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('reinforce_step', models.FloatField(default=0.1, help_text='Gained when another source says the same.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('same_session_step', models.FloatField(default=0.05, help_text='Gained when the same session says the same.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('contradict_step', models.FloatField(default=0.2, help_text='Lost when something says the contrary.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('inactive_below', models.FloatField(default=0.3, help_text='Below this a memory is inactive and never injected.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('stale_after_days', models.FloatField(default=30, help_text='Days without confirmation until decay sets in. 0: at once.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(36500)])),
                ('decay_per_week', models.FloatField(default=0.1, help_text='Lost per week after that, continuously. 0: nothing decays.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('decay_exempt_from', models.FloatField(blank=True, default=None, help_text='At or above this nothing decays. Empty: whatever its confidence, it does.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('dedup_similarity', models.FloatField(default=0.85, help_text='Cosine from which two statements may be the same (a rule still decides).', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('review_origins', models.JSONField(blank=True, default=memsite.tenancy.origin.default_review_origins, help_text='Whose memories are tagged unreviewed until a person has looked at them.', validators=[memsite.tenancy.origin.check_origins])),
                ('approval_origins', models.JSONField(blank=True, default=list, help_text='Whose memories wait until a person has approved them.', validators=[memsite.tenancy.origin.check_origins])),
                ('inject_unreviewed', models.BooleanField(default=True, help_text='What is tagged unreviewed may stand in a prompt.')),
                ('ranking', models.CharField(choices=[('standard', 'relevance, importance, age, priority, sentiment and domain'), ('confidence', 'most confident first'), ('product', 'similarity × importance × stepped recency'), ('dual', 'half meaning, half graph, × exponential age'), ('recent', 'latest updated first')], default='standard', help_text='The ranker.', max_length=20)),
                ('semantic_weight', models.FloatField(default=0.5, help_text='Weight of meaning in the dual ranking; the graph has the rest.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('decay_per_day', models.FloatField(default=0.01, help_text="λ of the ranking's exp(−λ·days).", validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('sentiment_weight', models.FloatField(default=0.1, help_text='Share of the score gained by memories said in the tone of the question.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('tiered', models.BooleanField(default=False, help_text='Summaries of categories answer first, where they can.')),
                ('off_domain_penalty', models.FloatField(default=0.3, help_text='Share of the score lost by memories of another domain.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('share_memories', models.BooleanField(default=False, help_text='Shared memories may be read by other apps that share too.')),
                ('block', models.CharField(choices=[('ops', 'by subject, most confident first'), ('app', 'numbered and dated'), ('turn', 'one line each, with age and category')], default='ops', help_text='The session-start block.', max_length=10)),
                ('session_budget_tokens', models.PositiveIntegerField(default=2000, help_text='Tokens of the session-start block, fence and header included.', validators=[django.core.validators.MinValueValidator(50), django.core.validators.MaxValueValidator(200000)])),
                ('turn_budget_tokens', models.PositiveIntegerField(default=500, help_text='Tokens of the turn block.', validators=[django.core.validators.MinValueValidator(50), django.core.validators.MaxValueValidator(200000)])),
                ('app_limit', models.PositiveIntegerField(default=10, help_text='Memories in the app block.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                ('turn_limit', models.PositiveIntegerField(default=10, help_text='Memories in the turn block.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('economy_limit', models.PositiveIntegerField(default=5, help_text='The same when economising.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('echo_step', models.FloatField(default=0.1, help_text='Priority gained by an injected memory that was used.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('fizzle_step', models.FloatField(default=0.05, help_text='Priority lost by one that was ignored.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('daily_cost', models.FloatField(blank=True, default=None, help_text='Dollars a day for models; beyond it, learning waits for the next day. 0: none is asked, rules learn. Empty: no limit.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000)])),
                ('daily_tokens', models.PositiveBigIntegerField(blank=True, default=None, help_text='Tokens a day for models; beyond it, learning waits for the next day. 0: none is asked, rules learn. Empty: no limit.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000000000)])),
                ('energy_floor', models.FloatField(default=0.2, help_text='Below this energy, memory work is deferred. 0: never.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('time_zone', timezone_field.fields.TimeZoneField(default='UTC', help_text='Of jobs, triggers and dates in texts.')),
                ('users_apart', models.BooleanField(default=False, help_text='An agent that names no end user is shown nothing that belongs to one.')),
                ('redact_raw', models.BooleanField(default=True, help_text='Secrets in what was said, texts and turns, are marked as such before they are stored.')),
            ],
            options={
                'verbose_name_plural': 'app policies',
                'constraints': [models.CheckConstraint(condition=models.Q(('inactive_below__gte', 0), ('inactive_below__lte', 1)), name='policy_inactive_below_is_a_share'), models.CheckConstraint(condition=models.Q(('memory_limit__gte', 1)), name='policy_memory_limit_is_positive'), models.CheckConstraint(condition=models.Q(('economy_limit__lte', models.F('turn_limit'))), name='policy_economy_saves')],
            },
        ),
        migrations.CreateModel(
            name='Agent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('name', models.CharField(max_length=64, validators=[django.core.validators.RegexValidator('^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\\Z', 'Letters, digits, . - and _, 64 at most.')])),
                ('domain', models.CharField(blank=True, default='', help_text='What it knows about; its memories count less for agents of other domains.', max_length=128, validators=[django.core.validators.RegexValidator('^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}\\Z', 'Letters, digits, . - _ and /, 128 at most.')])),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('app', 'name'), name='agent_name_is_unique_in_app')],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prefix', models.CharField(editable=False, max_length=16, unique=True)),
                ('key_hash', models.CharField(editable=False, max_length=64)),
                ('agent', models.ForeignKey(blank=True, help_text="Empty: an operator's key, for every app.", null=True, on_delete=django.db.models.deletion.CASCADE, related_name='keys', to='tenancy.agent')),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='WriteRate',
            fields=[
                ('agent', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='write_rate', serialize=False, to='tenancy.agent')),
                ('window', models.PositiveBigIntegerField()),
                ('written', models.PositiveIntegerField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('written__gte', 0)), name='write_rate_is_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='IdempotentAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('caller', models.CharField(max_length=200)),
                ('key', models.CharField(max_length=255)),
                ('fingerprint', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField(default=0)),
                ('body', models.BinaryField(default=bytes)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['created_at'], name='idempotency_created')],
                'constraints': [models.UniqueConstraint(fields=('caller', 'key'), name='idempotency_key_is_unique_per_caller')],
            },
        ),
        AppendOnly("tenancy_auditentry"),
    ]
