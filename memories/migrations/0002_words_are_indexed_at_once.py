from django.db import migrations

from memories.models.fulltext import AtOnce


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial")]
    operations = [AtOnce()]
