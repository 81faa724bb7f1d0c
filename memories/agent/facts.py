"""Facts of an import: the vectors of one part are made while the part before it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from memories.capture.candidates import EmbeddingPrefetch
from memories.capture.quarantine import Screened, screen
from memories.import_export.files import FACT
from memories.import_export.staging import candidates_of, known_facts
from memories.import_export.tables import Line
from memories.models import Import, ImportPart


@dataclass(frozen=True, slots=True)
class Facts:
    """`known` are the ids that the app had when this was made ready, `sifted` is what was new then.

    Its vectors are there once `embedded` is done.
    """

    lines: Sequence[Line]
    known: set[str]
    sifted: Screened
    embedded: Future[None]


class ComingFacts:
    """The facts of an import in their order. Besides the part that is asked for, one is held: the next.

    Nothing of what is made ready is kept anywhere: whoever goes on with the import makes it anew.
    """

    def __init__(self, row: Import, ahead: EmbeddingPrefetch) -> None:
        self.row, self.ahead = row, ahead
        self.ready: dict[int, Facts] = {}

    def of(self, part: ImportPart, lines: Sequence[Line]) -> Facts:
        """Waits for their vectors; those of the next part are made from then on."""
        facts = self.ready.pop(part.pk, None) or self.make_ready(lines)
        waiting = ImportPart.objects.for_app(self.row.app).filter(of=self.row, pk__gt=part.pk)
        following = waiting.order_by("pk").first()
        if following and (lines := following.read())[0]["type"] == FACT:
            self.ready = {following.pk: self.make_ready(lines)}
        facts.embedded.result()
        return facts

    def make_ready(self, lines: Sequence[Line]) -> Facts:
        known = known_facts(self.row.app, list(lines))
        sifted = screen(candidates_of(self.row, lines, known), self.row.app.policy)
        return Facts(lines, known, sifted, self.ahead.embed(sifted.free))
