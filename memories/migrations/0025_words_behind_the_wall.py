"""The index of words answers behind the wall between apps, too."""

from django.db import migrations

from memories.models.fulltext import FullTextHolders


class Migration(migrations.Migration):
    dependencies = [("memories", "0022_indexes_for_the_desk")]

    operations = [FullTextHolders()]
