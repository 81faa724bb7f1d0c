from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0001_initial'),
        ('tenancy', '0005_documents'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='jobrun',
            index=models.Index(condition=models.Q(('status', 'dead')), fields=['app'], name='job_run_given_up'),
        ),
    ]
