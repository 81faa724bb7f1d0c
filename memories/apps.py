from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "What is known"

    def ready(self) -> None:
        from memories.models import pgvector_table, sqlite_stats
        from memories.retrieve.warmup import bring_up_to_date
        from memories.store.transaction import committed

        post_migrate.connect(pgvector_table.build, sender=self)
        post_migrate.connect(sqlite_stats.write_statistics, sender=self)
        committed.connect(bring_up_to_date)
