"""Numbers of learning: limits, energy, budgets."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0002_summaries_and_sentiment'),
    ]

    operations = [
        migrations.AddField(
            model_name='app',
            name='energy_level',
            field=models.FloatField(default=1.0, help_text='0 to 1, as its agents last told.'),
        ),
        migrations.AddField(
            model_name='app',
            name='memory_count',
            field=models.PositiveIntegerField(default=0, editable=False, help_text='Active and inactive memories.'),
        ),
        migrations.AddField(
            model_name='apppolicy',
            name='daily_cost',
            field=models.FloatField(blank=True, default=None, help_text='Dollars a day for models; beyond it, learning waits for the next day.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000)]),
        ),
        migrations.AddField(
            model_name='apppolicy',
            name='daily_tokens',
            field=models.PositiveBigIntegerField(blank=True, default=None, help_text='Tokens a day for models; beyond it, learning waits for the next day.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000000000)]),
        ),
        migrations.AddField(
            model_name='apppolicy',
            name='useful_above',
            field=models.FloatField(default=0.7, help_text='A fact that is less useful than this is chatter and not kept.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
        migrations.AddField(
            model_name='apppolicy',
            name='verifiable_above',
            field=models.FloatField(default=0.5, help_text='A fact that is less verifiable than this is an opinion and not kept.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
    ]
