"""Each memory says whose words it takes over, and who has reviewed them."""

from django.db import migrations, models

# What was found in a user's text is a user's; an operator's is an operator's; the agent itself has said the rest.
FILL = """
UPDATE memories_memory SET origin = CASE WHEN source = 'operator' THEN 'operator' ELSE 'user' END
WHERE id > %s AND id <= %s AND (source = 'operator' OR (source = 'fact' AND resource_id IN (
    SELECT id FROM agent_sessions_resource WHERE role = 'user'
)))
"""
BATCH = 10_000
# Django would copy the whole table on SQLite, and its triggers would be lost.
COLUMNS = [
    "ALTER TABLE memories_memory ADD COLUMN origin varchar(10) DEFAULT 'assistant' NOT NULL",
    "ALTER TABLE memories_memory ADD COLUMN reviewed_by varchar(200) DEFAULT '' NOT NULL",
]
NO_COLUMNS = [f"ALTER TABLE memories_memory DROP COLUMN {name}" for name in ("origin", "reviewed_by")]
ORIGINS = [
    ("operator", "an operator"), ("user", "a user"), ("assistant", "the agent itself"),
    ("agent", "another agent or program"), ("tool", "a tool"), ("web", "something read on the web"),
]  # fmt: skip
ACTIONS = [
    ("created", "Created"), ("reinforced", "Reinforced"), ("contradicted", "Contradicted"), ("decayed", "Decayed"),
    ("edited", "Edited"), ("merged", "Merged"), ("superseded", "Superseded"), ("archived", "Archived"),
    ("frozen", "frozen: moved to the cold archive"), ("restored", "Restored"), ("undone", "Undone"),
    ("used", "used: the agent made use of it"), ("ignored", "ignored: shown and not used"),
    ("promoted", "promoted: new that day"), ("gathered", "gathered into an insight"),
    ("reviewed", "reviewed: a person has looked at it"),
]  # fmt: skip


def fill(apps, schema_editor):
    rows = apps.get_model("memories", "Memory").objects
    last = rows.aggregate(last=models.Max("id"))["last"] or 0
    with schema_editor.connection.cursor() as cursor:
        for start in range(0, last, BATCH):
            cursor.execute(FILL, [start, start + BATCH])


class Migration(migrations.Migration):
    dependencies = [
        ("agent_sessions", "0005_ids_are_unique_in_their_app"),
        ("memories", "0025_words_behind_the_wall"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(COLUMNS, NO_COLUMNS)],
            [
                migrations.AddField(
                    "memory",
                    "origin",
                    models.CharField(
                        choices=ORIGINS, db_default="assistant", default="assistant", editable=False,
                        help_text="Who said it.", max_length=10,
                    ),
                ),
                migrations.AddField(
                    "memory",
                    "reviewed_by",
                    models.CharField(
                        blank=True, db_default="", default="", editable=False,
                        help_text="Who looked at what it says.", max_length=200,
                    ),
                ),
            ],
        ),
        migrations.AddField(
            "memory", "reviewed_at", models.DateTimeField(blank=True, editable=False, null=True)
        ),
        migrations.AlterField("revision", "action", models.CharField(choices=ACTIONS, max_length=16)),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
