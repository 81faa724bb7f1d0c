"""Choose the embedder that serves an app: the one whose vectors its memories have.

Settings that name another one change nothing at once. The app stays with the one before, which embeds its questions
too, until every memory has a vector of the new one (`memories.maintain.embedding`). Vectors of two are never compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import structlog

from memories.providers.embeddings import PACKAGED, Embedder, EmbedderMisconfigured, EmbedderSettings, make_embedder
from memsite.config.conf import get_conf
from memsite.tenancy.models import App

log = structlog.get_logger("memories.retrieve")


def current_embedder() -> Embedder:
    """Return the embedder that the settings name."""
    return make_embedder(get_conf().embedder_settings)


def serving_embedder(app: App, at_hand: Embedder) -> Embedder:
    """Return the embedder of the app's vectors; `at_hand` if it has none yet, or if theirs cannot be made any more.

    What `at_hand` has no vector of is found by words then, until it has one.
    """
    embedder = embedder_called(app.vector_model, at_hand) if app.vector_model else at_hand
    if embedder is None:
        warn_gone(app.app_id, app.vector_model)
    return embedder or at_hand


def is_partial(app: App, embedder: Embedder) -> bool:
    """Tell whether memories wait for a vector of this embedder because the one before is gone."""
    return app.vectors_lost or app.vector_model not in ("", embedder.name)


def embedder_called(name: str, at_hand: Embedder) -> Embedder | None:
    """Return the embedder of this name; None if no settings lead to it. Asks no service."""
    if at_hand.name == name:
        return at_hand
    return next((embedder for embedder in known_embedders(name) if embedder.name == name), None)


def known_embedders(name: str) -> Iterator[Embedder]:
    """Return the known embedders: those of the settings, now and before, those that need none, and this one."""
    conf = get_conf()
    provider, _, model = name.partition("/")
    settings = [conf.embedder_settings, conf.previous_embedder_settings, EmbedderSettings("hash")]
    if name in PACKAGED:
        settings.append(EmbedderSettings(PACKAGED[name]))
    if model and provider == conf.embedder:
        settings.append(replace(conf.embedder_settings, model=model))
    for candidate in filter(None, settings):
        try:
            yield make_embedder(candidate)
        except EmbedderMisconfigured as error:
            log.warning("embedder_misconfigured", kind=candidate.kind, error=str(error))


@cache
def warn_gone(app_id: str, model: str) -> None:
    """Log it once per process: every search would say it again."""
    log.warning("serving_embedder_gone", app=app_id, model=model, hint="MEMSITE_PREVIOUS_EMBEDDER names the one before")
