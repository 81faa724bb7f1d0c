import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0002_guidance'),
    ]

    operations = [
        # What it counts is of one minute: nothing of it is taken over.
        migrations.DeleteModel(
            name='WriteRate',
        ),
        migrations.CreateModel(
            name='WriteRate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.PositiveSmallIntegerField()),
                ('last_ms', models.PositiveBigIntegerField(help_text='When the last of them was written, in Unix milliseconds.')),
                ('written', models.PositiveIntegerField()),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.agent')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('agent', 'slot'), name='one_write_rate_per_slot')],
            },
        ),
    ]
