"""What waits for a person's approval: who told it, what it would change, and why it was decided as it was."""

import django.db.models.deletion
from django.db import migrations, models

from memsite.tenancy.append_only import SameApp

# Django would copy the table on SQLite, and its triggers would be lost.
COLUMN = "ALTER TABLE memories_rejection ADD COLUMN decision_reason varchar(500) DEFAULT '' NOT NULL"
NO_COLUMN = "ALTER TABLE memories_rejection DROP COLUMN decision_reason"
KINDS = [
    ("marker", "a marker that cannot be read"), ("fact", "not worth keeping"),
    ("conflict", "at odds with something surer"), ("quarantine", "not for an agent to read"),
    ("approval", "waits for a person's approval"),
]  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0026_who_said_it"),
        ("tenancy", "0009_who_needs_approval"),
    ]

    operations = [
        migrations.AlterField(
            "rejection", "kind", models.CharField(choices=KINDS, default="marker", max_length=12)
        ),
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(COLUMN, NO_COLUMN)],
            [
                migrations.AddField(
                    "rejection",
                    "decision_reason",
                    models.CharField(blank=True, db_default="", default="", max_length=500),
                )
            ],
        ),
        migrations.AddField(
            "rejection",
            "edits",
            models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+",
                to="memories.memory",
            ),
        ),
        migrations.AddField(
            "rejection",
            "agent",
            models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+",
                to="tenancy.agent",
            ),
        ),
        SameApp("memories_rejection", "edits_id", "memories_memory"),
        SameApp("memories_rejection", "agent_id", "tenancy_agent"),
    ]
