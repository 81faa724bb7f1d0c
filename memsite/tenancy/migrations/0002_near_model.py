from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='app',
            name='near_model',
            field=models.CharField(blank=True, default='', editable=False, help_text='The embedder whose vectors pgvector is asked for; empty: they are held in each process.', max_length=120),
        ),
    ]
