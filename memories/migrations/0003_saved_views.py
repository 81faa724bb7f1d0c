import django.db.models.deletion
import memsite.tenancy.scoping
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0002_documents'),
        ('tenancy', '0006_agents'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.UUIDField(default=memsite.tenancy.scoping.new_uid, editable=False)),
                ('name', models.CharField(max_length=80)),
                ('query', models.JSONField(default=dict)),
                ('app', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.app')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('app', 'uid'), name='saved_view_uid_is_unique_in_app'), models.UniqueConstraint(fields=('app', 'user', 'name'), name='saved_view_name_is_unique')],
            },
        ),
    ]
