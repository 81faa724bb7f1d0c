from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0002_near_model'),
    ]

    operations = [
        migrations.AddField(
            model_name='apppolicy',
            name='users_apart',
            field=models.BooleanField(default=False, help_text='An agent that names no end user is shown nothing that belongs to one.'),
        ),
    ]
