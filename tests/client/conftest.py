from __future__ import annotations

from collections.abc import Iterator

import pytest

from memsite_client import Memsite
from tests.authorities import trust_one_authority
from tests.serving import Server


@pytest.fixture(scope="package", autouse=True)
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        trust_one_authority(tmp_path_factory.mktemp("authority"), patch)
        yield


@pytest.fixture
def key(db: None, server: Server) -> str:
    return server.new_app()


@pytest.fixture
def memsite(server: Server, key: str) -> Iterator[Memsite]:
    """A client of an app of its own."""
    with Memsite(server.url, key) as client:
        yield client
