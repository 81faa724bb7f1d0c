import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0003_sliding_write_rate'),
    ]

    operations = [
        migrations.AddField(
            model_name='apppolicy',
            name='min_score',
            field=models.FloatField(db_default=0, default=0, help_text='Hits with a lower score are left out of search and context, unless a request names another.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
    ]
