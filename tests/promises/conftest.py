"""A site in processes of its own, as `manage.py serve` starts it; on PostgreSQL with a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from bench.promises.site import Site
from tests.databases import copy_test_database
from tests.settings import database_url

METRICS_TOKEN = "a-token-for-prometheus"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Site]:
    if not Path("/proc").is_dir():
        pytest.skip("finds its processes in /proc")
    folder = tmp_path_factory.mktemp("promises")
    with own_database() as settings, Site(folder, copied, MEMSITE_METRICS_TOKEN=METRICS_TOKEN, **settings) as site:
        yield site


def copied(folder: Path) -> bool:
    return copy_test_database(folder / "memsite.sqlite3")


@contextmanager
def own_database() -> Iterator[dict[str, str]]:
    """Its settings; none where the site makes a file."""
    if not database_url:
        yield {}
        return
    import psycopg

    name = f"promises_{uuid4().hex[:12]}"
    with psycopg.connect(database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield {"MEMSITE_DATABASE_URL": urlsplit(database_url)._replace(path=f"/{name}").geturl()}
        finally:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
