"""What one must know about a remote model by its name: its prefixes, and what its cosines mean."""

from dataclasses import dataclass

from .base import Thresholds

# all-MiniLM-L6-v2's, calibrated by the benchmark
USUAL = Thresholds(same=0.85, related=0.45, relevant=0.25)


@dataclass(frozen=True)
class Family:
    """Prefixes are put before each text; models trained with them rank worse without. Without `thresholds` the model is
    asked (`bands`).
    """

    document_prefix: str = ""
    query_prefix: str = ""
    thresholds: Thresholds | None = None


REPRESENT = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
NOMIC = Family(document_prefix="search_document: ", query_prefix="search_query: ")

# The first whose name occurs in the model's.
FAMILIES = {
    "nomic-embed-text-v2": NOMIC,
    # a narrow band: similar pairs at 0.60 to 0.65, dissimilar ones at 0.30 to 0.55
    "nomic-embed-text": Family(
        NOMIC.document_prefix,
        NOMIC.query_prefix,
        Thresholds(same=0.85, related=0.60, relevant=0.55, usual=(0.45, 0.07)),
    ),
    "text-embedding-3": Family(thresholds=USUAL),
    "all-minilm": Family(thresholds=USUAL),
    "mxbai-embed": Family(query_prefix=REPRESENT),
    "snowflake-arctic-embed2": Family(query_prefix="query: "),
    "snowflake-arctic-embed-l-v2": Family(query_prefix="query: "),
    "snowflake-arctic-embed-m-v2": Family(query_prefix="query: "),
    "snowflake-arctic-embed": Family(query_prefix=REPRESENT),
    "bge-m3": Family(),
    "bge-small-en": Family(query_prefix=REPRESENT),
    "bge-base-en": Family(query_prefix=REPRESENT),
    "bge-large-en": Family(query_prefix=REPRESENT),
    "e5-mistral": Family(query_prefix=INSTRUCT),
    "e5-large-instruct": Family(query_prefix=INSTRUCT),
    "e5-small": Family("passage: ", "query: "),
    "e5-base": Family("passage: ", "query: "),
    "e5-large": Family("passage: ", "query: "),
    "embeddinggemma": Family("title: none | text: ", "task: search result | query: "),
    "qwen3-embedding": Family(query_prefix=INSTRUCT),
}


def family_of(model: str) -> Family:
    """The family whose name occurs in `model` ("library/nomic-embed-text:v1.5"), or a plain one."""
    return next((family for name, family in FAMILIES.items() if name in model.lower()), Family())
