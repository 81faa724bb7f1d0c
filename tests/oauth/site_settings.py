"""The site's settings, but that pages name static files as they are: collecting them takes seconds."""

# ruff: noqa: F403, F405  # settings of others, changed

from memsite.config.settings import *

STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
