"""A program of its own: makes a SQLite site in MEMSITE_DATA_DIR; prints a key, its memories and answers."""

# ruff: noqa: E402, T201  # Django first; what it prints is read by `test_moving`.
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["DJANGO_SETTINGS_MODULE"] = "memsite.config.settings"

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from sessions.models import Resource
from tests.api.test_purge import furnish
from tests.conftest import make_app, make_caller
from tests.memsite.asked import answers_to
from tests.upkeep import upkeep_learn_due, upkeep_summaries

settings.ALLOWED_HOSTS = ["testserver"]
call_command("migrate", verbosity=0)
caller = make_caller(make_app("acme", capture_summaries=True), "agent")
furnish(caller, "whales", "user-1")
upkeep_learn_due()
upkeep_summaries()
texts = "said \x00 before anybody refused it"
Resource.objects.create(app=caller.app, role="user", raw_content=texts, content_at=timezone.now())
known = {"key": caller.key, "memories": caller.get("memories").json(), "answers": answers_to(caller.client)}
print(json.dumps(known))
