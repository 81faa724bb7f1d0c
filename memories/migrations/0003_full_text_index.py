"""Memories are found by their words."""

from django.db import migrations

from memories.models.fulltext import FullTextIndex


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_append_only")]

    operations = [FullTextIndex()]
