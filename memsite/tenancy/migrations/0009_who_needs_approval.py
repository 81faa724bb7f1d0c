from django.db import migrations, models

import memsite.tenancy.origin


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0008_who_is_believed'),
    ]

    operations = [
        migrations.AddField(
            model_name='apppolicy',
            name='approval_origins',
            field=models.JSONField(blank=True, default=list, help_text='Whose memories wait until a person has approved them.', validators=[memsite.tenancy.origin.check_origins]),
        ),
    ]
