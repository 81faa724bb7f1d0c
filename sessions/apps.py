from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions"
    # django.contrib.sessions already has the label "sessions".
    label = "agent_sessions"
    verbose_name = "What was said"
