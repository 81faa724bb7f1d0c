"""Leaving and coming: an app as a file, for an operator's key or that of an agent with the scope `operator`."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import cast

from memsite_client.aio.connection import AsyncConnection
from memsite_client.shapes import Import, ImportSource, Survey
from memsite_client.wire import part


class AsyncPortable(AsyncConnection):
    def export_app(
        self, app_id: str, *, user_id: str | None = None, vectors: bool = False
    ) -> AsyncIterator[bytes]:  # fmt: skip
        """The app's file (NDJSON), piece by piece; with `user_id`, what is that end user's. Its last line is an end."""
        return self.download(f"apps/{part(app_id)}/export", {"user_id": user_id, "vectors": vectors})

    def export_app_as_markdown(self, app_id: str, *, user_id: str | None = None) -> AsyncIterator[bytes]:
        """A zip file with a page per category, piece by piece."""
        return self.download(f"apps/{part(app_id)}/export.zip", {"user_id": user_id})

    async def import_into_app(
        self, app_id: str, file: AsyncIterable[bytes] | bytes, *, source: ImportSource = "memsite",
        agent: str | None = None, user_id: str | None = None, trust: bool = False,
    ) -> Import:  # fmt: skip
        """The import, which may go on: `get_import` tells how far it is. Raises InvalidRequest, and nothing is kept.

        `trust`: an operator vouches for an export that the server has not signed.
        """
        query = {"source": source, "agent": agent, "user_id": user_id, "trust": trust or None}
        path = f"apps/{part(app_id)}/import"
        return cast(Import, await self.upload(path, file, query, timeout=self.patience()))

    async def survey_import(
        self, app_id: str, file: AsyncIterable[bytes] | bytes, *, source: ImportSource = "memsite",
        trust: bool = False,
    ) -> Survey:  # fmt: skip
        """What the file would bring. Keeps nothing."""
        query = {"source": source, "dry_run": True, "trust": trust or None}
        path = f"apps/{part(app_id)}/import"
        return cast(Survey, await self.upload(path, file, query, timeout=self.patience()))

    async def get_import(self, app_id: str, import_id: str) -> Import:
        return cast(Import, await self.request("GET", f"apps/{part(app_id)}/imports/{part(import_id)}"))

    def list_imports(self, app_id: str) -> AsyncIterator[Import]:
        """The latest first."""
        return self.pages(f"apps/{part(app_id)}/imports", {})
