from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "memsite.jobs"
    label = "jobs"
    verbose_name = "Upkeep"
