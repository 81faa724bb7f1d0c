"""A migration step for foreign keys that another index of their table begins with, or that are seldom given."""

from typing import Any

from django.db import migrations


class WithoutOwnIndex(migrations.AlterField):
    """Makes the field what it is by now, without an index of its own, and touches nothing else of the table.

    Django's own step copies the table on SQLite, which would drop its triggers.
    """

    def describe(self) -> str:
        return f"Drop the index that {self.name} of {self.model_name} has of its own"

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        # By the name that Django gave it: on SQLite, asking which indexes there are fails for some tables.
        name = schema_editor._create_index_name(model._meta.db_table, [model._meta.get_field(self.name).column])
        schema_editor.execute(schema_editor._delete_index_sql(model, name))

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        schema_editor.execute(schema_editor._create_index_sql(model, fields=[model._meta.get_field(self.name)]))
