from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig as BaseAdminConfig
from django.db import connection
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class AdminConfig(BaseAdminConfig):
    default_site = "memsite.admin_site.MemsiteAdmin"


class MemsiteConfig(AppConfig):
    name = "memsite"

    def ready(self) -> None:
        from memsite.config import checks  # noqa: F401  # registers the system checks
        from memsite.http import middleware

        middleware.connect()
        if connection.vendor == "postgresql":
            from memsite.db.postgres import adapt

            adapt()


class TenancyConfig(AppConfig):
    name = "memsite.tenancy"
    label = "tenancy"
    verbose_name = "Apps and access"

    def ready(self) -> None:
        from memsite.tenancy import row_level_security

        connection_created.connect(row_level_security.tell_new_connection)
        post_migrate.connect(row_level_security.build, sender=self)


class JobsConfig(AppConfig):
    name = "memsite.jobs"
    label = "jobs"
    verbose_name = "Upkeep"


class OAuthConfig(AppConfig):
    name = "memsite.oauth"
    label = "oauth"
    verbose_name = "Connected clients"


class SessionsConfig(AppConfig):
    name = "sessions"
    # django.contrib.sessions already has the label "sessions".
    label = "agent_sessions"
    verbose_name = "What was said"
