"""What a process remembers of rows, forgotten: rolled-back rows take their numbers with them."""

from memories.maintain import by_rule
from memories.retrieve import hit_rows, let_in
from memories.retrieve.pipeline import indexes
from memories.store import damage


def clear_caches() -> None:
    indexes.kept.clear()
    hit_rows.kept.clear()
    let_in.kept.clear()
    by_rule.computed_summaries.clear()
    damage.reports.told.clear()
