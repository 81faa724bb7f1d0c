from django.db import migrations


def make_if_missing(apps, schema_editor):
    """Make the table where 0003 was applied before it left the table of 0.1.0 alone."""
    model = apps.get_model("tenancy", "WriteRate")
    if model._meta.db_table not in schema_editor.connection.introspection.table_names():
        schema_editor.create_model(model)


class Migration(migrations.Migration):

    dependencies = [
        ('tenancy', '0007_identity'),
    ]

    operations = [
        migrations.RunPython(make_if_missing, migrations.RunPython.noop),
    ]
