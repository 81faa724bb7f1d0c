"""What one must know about a remote model by its name: its prefixes, and what its cosines mean."""

from dataclasses import dataclass

from .base import Thresholds

# starting values, calibrated by the benchmark
USUAL = Thresholds(same=0.85, related=0.45, relevant=0.25)


@dataclass(frozen=True)
class Family:
    """Prefixes are put before each text; models trained with them rank worse without."""

    document_prefix: str = ""
    query_prefix: str = ""
    thresholds: Thresholds = USUAL


FAMILIES = {
    # a narrow band: similar pairs at 0.60 to 0.65, dissimilar ones at 0.30 to 0.55
    "nomic-embed-text": Family(
        document_prefix="search_document: ",
        query_prefix="search_query: ",
        thresholds=Thresholds(same=0.85, related=0.60, relevant=0.55, usual=(0.45, 0.07)),
    ),
    "mxbai-embed": Family(query_prefix="Represent this sentence for searching relevant passages: "),
}


def family_of(model: str) -> Family:
    """The family whose name occurs in `model` ("library/nomic-embed-text:v1.5"), or a plain one."""
    return next((family for name, family in FAMILIES.items() if name in model.lower()), Family())
