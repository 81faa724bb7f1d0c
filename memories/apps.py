from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "What is known"

    def ready(self) -> None:
        from memories.models import near

        post_migrate.connect(near.build, sender=self)
