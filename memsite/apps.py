from django.apps import AppConfig
from django.db import connection


class MemsiteConfig(AppConfig):
    name = "memsite"

    def ready(self) -> None:
        from memsite.config import checks  # noqa: F401  # registers the system checks
        from memsite.http import middleware  # registers the system checks

        middleware.connect()
        if connection.vendor == "postgresql":
            from memsite.db.postgres import adapt

            adapt()
