"""How long the desk's pages and the admin's lists take. Writes "The desk" of bench/results/benchmarks.md.

.venv/bin/python -m bench.desk [--sizes 1000,100000] [--apps 30] [--memories 100000]
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import URLPattern, reverse
from django.utils import timezone

from bench.desk_data import TURNS, furnish
from bench.latency import sizes
from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from bench.progress import progress
from memories.dashboard.access import is_of_all
from memories.dashboard.urls import urlpatterns
from memories.models import Entity, Memory, Status
from memories.providers.embeddings import EmbedderSettings, make_embedder
from memsite.admin_site import SiteAdmin
from memsite.tenancy.models import App
from sessions.models import AgentSession

TIMES = 7
Seconds = dict[str, list[float]]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=sizes, default=[1_000, 100_000], help="numbers of memories")
    options.add_argument("--apps", type=int, default=30, help="apps of an operator of many")
    options.add_argument("--memories", type=int, default=100_000, help="memories of all of these together")
    given = options.parse_args()
    setup_test_environment(debug=False)
    make_database()
    call_command("collectstatic", interactive=False, verbosity=0)
    facts = circumstances(given.note)
    client = operator()
    few, *larger = given.sizes
    measured = {f"{few:,}": measure(client, few)}
    measured[f"{given.memories:,} in {given.apps} apps"] = measure_many(client, given.apps, given.memories)
    measured |= {f"{size:,}": measure(client, size) for size in larger}
    body = render(measured, facts)
    write_section("The dashboard", body)
    print(body)


def operator() -> Client:
    user: Any = get_user_model()
    client = Client(raise_request_exception=True)
    client.force_login(user.objects.create_superuser("bench"), backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def measure(client: Client, size: int, name: str = "") -> Seconds:
    app = furnish(size, make_embedder(EmbedderSettings("hash")), timezone.now(), name)
    pages = dict(addresses(app))
    return {
        name: measure_address(client, there)
        for name, there in progress(list(pages.items()), f"pages with {size} memories")
    }


def measure_many(client: Client, apps: int, memories: int) -> Seconds:
    """Measure the pages of all apps, and of the last of them."""
    each = memories // apps
    for number in range(1, apps):
        furnish(each, make_embedder(EmbedderSettings("hash")), timezone.now(), f"one-of-many-{number}")
    return measure(client, each, f"one-of-many-{apps}")


def measure_address(client: Client, there: str) -> list[float]:
    """Measure the answers of an address; the first loads what is loaded once, and does not count."""
    return [timed(client, there) for _ in range(TIMES + 1)][1:]


def timed(client: Client, there: str) -> float:
    began = time.perf_counter()
    answer = client.get(there)
    assert answer.status_code == 200, (there, answer.status_code)
    return time.perf_counter() - began


def addresses(app: App) -> Iterator[tuple[str, str]]:
    """Yield (what is read, where): each dashboard page, its lists filtered and far back, and each list of the admin."""
    for entry in urlpatterns:
        if isinstance(entry, URLPattern) and "<" not in str(entry.pattern) and looked_at(entry):
            there = f"/{entry.pattern}"
            yield f"`{there}`", there if is_of_all(str(entry.name)) else in_app(app, there)
    yield from ((f"`{there}`", in_app(app, there)) for there in NARROWED)
    yield from ((name, in_app(app, there)) for name, there in ones(app))
    for model, page in admin.site._registry.items():
        if isinstance(page, SiteAdmin):
            there = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            yield f"admin: {model._meta.verbose_name_plural}", there


NARROWED = (
    "/memories?status=archived",
    "/memories?category=timing&status=inactive",
    "/memories?q=bababa",
    "/memories?q=bababa&by=meaning",
    "/memories?sort=sure",
    "/memories?sort=updated",
    "/memories?tag=bababa",
    "/memories?validity=now",
    "/recall?q=what+about+bababa",
    "/knowledge/entities?q=ba",
    "/upkeep/review?kind=quarantine",
)


def looked_at(entry: URLPattern) -> bool:
    return bool(getattr(entry.callback, "can_be_looked_at", False))


def in_app(app: App, there: str) -> str:
    return f"{there}{'&' if '?' in there else '?'}app={app.app_id}"


def ones(app: App) -> Iterator[tuple[str, str]]:
    memory = Memory.objects.for_app(app).filter(status=Status.ACTIVE).exclude(session=None).earliest("pk").uid
    session = AgentSession.objects.for_app(app).latest("pk").uid
    # Names are drawn as words are: the first one is in a good part of all memories.
    name = Entity.objects.for_app(app).earliest("pk").uid
    yield "one memory", f"/memories/{memory}"
    yield "one memory in the graph", f"/knowledge/memories/{memory}"
    yield "one session", f"/sessions/{session}?turn=10"
    yield "the name that most memories mention", f"/knowledge/entities/{name}"
    yield "one category", "/knowledge/categories/timing"
    yield "one category, what is known in it", "/knowledge/categories/timing?wait=yes"


def render(measured: Mapping[str, Seconds], facts: str) -> str:
    """`measured` has the smallest app first, and last the largest."""
    few, *_, largest = measured
    rows = [
        [name, *(f"{cell(measured[size][name])}{times(measured, name, few, size)}" for size in measured)]
        for name in sorted(measured[few], key=lambda name: -median(measured[largest][name]))
    ]
    return "\n\n".join([
        f"Measured {facts}",
        "Every page of the operator's dashboard and every list of the admin, asked by a superuser in process (Django's"
        " test client: middleware, queries and templates, no socket), with so many memories in the app, or in all apps"
        " of an operator of many: pages of all of them, and of one. For each 50 of them there is a session of"
        f" {TURNS} turns with 100 injections, 3 names for each memory, a refusal for each 20. Median and"
        f" (slowest) of {TIMES} in milliseconds; × is the median beside that of the smallest app. The slowest first.",
        table(["", *measured], rows),
    ])  # fmt: skip


def cell(seconds: list[float]) -> str:
    return f"{median(seconds) * 1000:.0f} ({max(seconds) * 1000:.0f})"


def times(measured: Mapping[str, Seconds], name: str, few: str, size: str) -> str:
    return "" if size == few else f" {median(measured[size][name]) / median(measured[few][name]):.1f}×"


if __name__ == "__main__":
    main()
