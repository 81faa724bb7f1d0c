from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = "What is known"

    def ready(self) -> None:
        from memories.models import filling, near
        from memories.retrieve.ahead import bring_up_to_date
        from memories.store.transaction import committed

        post_migrate.connect(near.build, sender=self)
        post_migrate.connect(filling.tell, sender=self)
        committed.connect(bring_up_to_date)
