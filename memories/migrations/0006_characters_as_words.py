from django.db import migrations

from memories.models.fulltext import CharactersAsWords
from memories.models.vector import UnreadAnew


class Migration(migrations.Migration):
    dependencies = [("memories", "0005_why_called_off"), ("tenancy", "0001_initial")]
    operations = [CharactersAsWords(), UnreadAnew()]
