"""Run as a program on a site's settings: puts the lines of stdin into an app, as memories. Argument: the app."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")

import django

django.setup()

from django.utils import timezone  # noqa: E402  # Django first

from memories.capture.pipeline import remember  # noqa: E402
from memories.services import current_embedder  # noqa: E402
from memories.store import Candidate  # noqa: E402
from memsite.tenancy.models import App  # noqa: E402

AT_ONCE = 1_000


def main(app_id: str) -> None:
    app = App.objects.select_related("policy").get(app_id=app_id)
    texts = sys.stdin.read().splitlines()
    for start in range(0, len(texts), AT_ONCE):
        candidates = [Candidate(content=text) for text in texts[start : start + AT_ONCE]]
        remember(app, candidates, current_embedder(), "bench", timezone.now(), dedupe=False)


if __name__ == "__main__":
    main(sys.argv[1])
