import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0004_min_score'),
    ]

    operations = [
        migrations.AddField(
            model_name='apppolicy',
            name='document_limit',
            field=models.PositiveIntegerField(db_default=1000, default=1000, help_text='Documents the app may hold, besides its memories.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000)]),
        ),
        migrations.AddField(
            model_name='apppolicy',
            name='document_share',
            field=models.FloatField(db_default=0.5, default=0.5, help_text="Share of a block's tokens that quotes from documents may take. 0: none are shown.", validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
    ]
