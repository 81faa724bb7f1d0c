import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0011_purges'),
        ('tenancy', '0005_vector_model'),
    ]

    operations = [
        migrations.CreateModel(
            name='Reservation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tokens', models.PositiveBigIntegerField()),
                ('cost', models.FloatField(default=0)),
                ('expires_at', models.DateTimeField()),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
    ]
