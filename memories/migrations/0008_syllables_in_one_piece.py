from django.db import migrations

from memories.models.fulltext import SyllablesInOnePiece


class Migration(migrations.Migration):
    dependencies = [("memories", "0007_subjects_in_one_form"), ("tenancy", "0001_initial")]
    operations = [SyllablesInOnePiece()]
