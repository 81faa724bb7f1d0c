from django.apps import AppConfig


class TenancyConfig(AppConfig):
    name = "memsite.tenancy"
    label = "tenancy"
    verbose_name = "Apps and access"
