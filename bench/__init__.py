"""How well and how fast memories are found. Scripts on a scratch site; nothing of it is part of the server."""

import os
import tempfile

import django
from django.conf import settings

PREFIX = "MEMSITE_"
scratch = tempfile.TemporaryDirectory(prefix="memsite-bench-")


def use_scratch_site() -> None:
    """Use a site in a directory that goes with the process, whatever the shell says. Tests have one already."""
    if settings.configured:
        return
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]
    os.environ[f"{PREFIX}SECRET_KEY"] = "only for benchmarks"
    os.environ[f"{PREFIX}DATA_DIR"] = scratch.name
    os.environ[f"{PREFIX}LOG_LEVEL"] = "ERROR"
    if "TEST_DATABASE_URL" in os.environ:
        # A server of its own, by `tools.postgres`.
        os.environ[f"{PREFIX}DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]
    os.environ["DJANGO_SETTINGS_MODULE"] = "memsite.config.settings"
    django.setup()


# Before the modules in here import any model.
use_scratch_site()
