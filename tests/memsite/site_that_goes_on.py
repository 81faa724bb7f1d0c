"""A program of its own: goes on with the site in MEMSITE_DATA_DIR by a key; prints as `furnished_site` does."""

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

from tests.conftest import client_with
from tests.memsite.asked import answers_to

settings.ALLOWED_HOSTS = ["testserver"]
client, place = client_with(sys.argv[1]), "/api/v1/memories"
first, second, *_ = [row["id"] for row in client.get(place).json()["results"]]
for content in ("The lighthouse is painted red", "Whales came by the lighthouse on Sunday"):
    assert client.post(place, {"content": content}, format="json").status_code == 201
assert client.patch(f"{place}/{first}", {"content": "Whales sing at noon"}, format="json").status_code == 200
assert client.delete(f"{place}/{second}").status_code == 200
known = {"key": sys.argv[1], "memories": client.get(place).json(), "answers": answers_to(client)}
print(json.dumps(known))
