"""Numbers of recall: summaries first, the weight of a tone."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0001_apps_agents_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='apppolicy',
            name='sentiment_weight',
            field=models.FloatField(default=0.1, help_text='Share of the score gained by memories said in the tone of the question.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
        migrations.AddField(
            model_name='apppolicy',
            name='tiered',
            field=models.BooleanField(default=False, help_text='Summaries of categories answer first, where they can.'),
        ),
    ]
