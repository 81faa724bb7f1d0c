from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class TenancyConfig(AppConfig):
    name = "memsite.tenancy"
    label = "tenancy"
    verbose_name = "Apps and access"

    def ready(self) -> None:
        from memsite.tenancy import row_level_security

        connection_created.connect(row_level_security.tell_new_connection)
        post_migrate.connect(row_level_security.build, sender=self)
