from django.apps import AppConfig


class OAuthConfig(AppConfig):
    name = "memsite.oauth"
    label = "oauth"
    verbose_name = "Connected clients"
