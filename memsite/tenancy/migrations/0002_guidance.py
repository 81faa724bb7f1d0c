import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='apppolicy',
            name='guidance',
            field=models.TextField(blank=True, db_default='', default='', help_text='What matters here and what is never to be kept, for the model that finds facts.', max_length=2000, validators=[django.core.validators.MaxLengthValidator(2000)]),
        ),
    ]
