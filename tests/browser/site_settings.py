"""The site's settings, but that collected files are not compressed: a third of what the set-up takes."""

# ruff: noqa: F403, F405  # settings of others, changed

from memsite.config.settings import *

STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}}
