"""What a process remembers of rows, forgotten: rolled-back rows take their numbers with them."""

from memories.compat import proxy
from memories.maintain import summaries
from memories.retrieve import filters, hits
from memories.retrieve.pipeline import indexes
from memories.services import apps
from memories.store import damage


def clear_caches() -> None:
    indexes.by_key.clear()
    hits.recent_memories.clear()
    filters.cached_filters.clear()
    summaries.computed_summaries.clear()
    apps.shown_lately.clear()
    proxy.greetings.clear()
    damage.reported.clear()
