from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class TenancyConfig(AppConfig):
    name = "memsite.tenancy"
    label = "tenancy"
    verbose_name = "Apps and access"

    def ready(self) -> None:
        from memsite.tenancy import wall

        connection_created.connect(wall.tell_new_connection)
        post_migrate.connect(wall.build, sender=self)
