from django.apps import AppConfig


class MemsiteConfig(AppConfig):
    name = "memsite"

    def ready(self) -> None:
        from memsite import checks  # noqa: F401  # registers the system checks
