import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0002_guidance'),
    ]

    operations = [
        # 0.1.0 counts in its table as long as it serves beside this: a later release drops the table. Its rows are of
        # one minute, none is taken over, and none holds up the deletion of its agent.
        migrations.AlterField(
            model_name='writerate',
            name='agent',
            field=models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='write_rate', serialize=False, to='tenancy.agent'),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(
                    name='WriteRate',
                ),
            ],
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
                'db_table': 'tenancy_writeslot',
                'constraints': [models.UniqueConstraint(fields=('agent', 'slot'), name='one_write_rate_per_slot')],
            },
        ),
    ]
