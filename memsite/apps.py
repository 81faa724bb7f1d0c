from django.apps import AppConfig
from django.db import connection


class MemsiteConfig(AppConfig):
    name = "memsite"

    def ready(self) -> None:
        from memsite import (
            checks,  # noqa: F401  # registers the system checks
            request_ends,
        )

        request_ends.connect()
        if connection.vendor == "postgresql":
            from memsite.postgres import adapt

            adapt()
