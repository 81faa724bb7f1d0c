"""What is counted as it happens, for Prometheus: each thing has one function, called from the one place it passes.

Labels are taken from sets that the code knows; never a path, a name, or a text of anybody's. All have some: what has
none would be kept in memory from the moment it is defined, before it is known whether processes count together.
"""

from __future__ import annotations

from collections.abc import Iterable

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

from memories.providers.embeddings import watchers
from memsite.config.conf import get_conf
from memsite.ops.metrics_files import join

log = structlog.get_logger("memsite.ops.metrics")
disable_created_metrics()  # type: ignore[no-untyped-call]
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"
"""Of a request that no pattern fits: what is not there, and static files."""
OTHER_METHOD = "other"
REQUEST_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
EMBEDDING_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30)
MODEL_BUCKETS = (0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120)
JOB_BUCKETS = (0.01, 0.1, 1, 10, 60, 300, 600, 900)

registry = CollectorRegistry()


def counter(name: str, description: str, *labels: str) -> Counter:
    return Counter(name, description, labels, registry=registry)


def histogram(name: str, description: str, buckets: Iterable[float], *labels: str) -> Histogram:
    return Histogram(name, description, labels, buckets=tuple(buckets), registry=registry)


REQUESTS = counter("memsite_http_requests_total", "Requests answered.", "method", "route", "status")
REQUEST_SECONDS = histogram(
    "memsite_http_request_seconds",
    "From a request's arrival until its answer began.",
    REQUEST_BUCKETS,
    "method",
    "route",
)
SEARCH_SECONDS = histogram(
    "memsite_search_seconds", "Searches of memories, by what answered them.", REQUEST_BUCKETS, "tier"
)
SEARCHES_DEGRADED = counter(
    "memsite_searches_degraded_total", "Searches without a retriever that could not answer in time.", "arm"
)
EMBEDDING_SECONDS = histogram(
    "memsite_embedding_seconds",
    "Calls to the embedder; a question that was just asked needs none.",
    EMBEDDING_BUCKETS,
    "embedder",
    "outcome",
)
EMBEDDED_TEXTS = counter("memsite_embedded_texts_total", "Texts that were given to the embedder.", "embedder")
MODEL_CALLS = counter("memsite_model_calls_total", "Calls to a language model.", "provider", "operation", "outcome")
MODEL_SECONDS = histogram("memsite_model_seconds", "Calls to a language model.", MODEL_BUCKETS, "provider")
MODEL_TOKENS = counter("memsite_model_tokens_total", "Tokens as the service tells them.", "provider", "direction")
MODEL_DOLLARS = counter("memsite_model_cost_dollars_total", "What calls cost, as far as prices are known.", "provider")
CREATED = counter("memsite_memories_created_total", "Memories that were stored anew.", "source")
JOB_RUNS = counter("memsite_job_runs_total", "Runs of jobs, each time that a worker was at one.", "job", "outcome")
JOB_SECONDS = histogram("memsite_job_seconds", "How long a worker was at a run.", JOB_BUCKETS, "job")
DELIVERIES = counter("memsite_webhook_deliveries_total", "Attempts to send a message to a webhook.", "outcome")
REPLICA_READS = counter(
    "memsite_replica_reads_total", "Reads that a replica may answer, by why it did (replica) or did not.", "outcome"
)
STARTS = counter("memsite_process_starts_total", "Processes that began to count.", "process")


def count_together(process: str) -> None:
    """Let this process, of the kind `process`, count for others too from here on. Before anything is counted.

    Without a token nobody asks, and it counts for itself.
    """
    if not get_conf().metrics_token:
        return
    try:
        join(get_conf().data_dir / "metrics", process)
    except OSError as error:
        log.error("counts_for_itself", process=process, error=str(error))
    STARTS.labels(process).inc()


def count_request(method: str | None, route: str | None, status: int, seconds: float) -> None:
    known = method if method in METHODS else OTHER_METHOD
    place = route or NO_ROUTE
    REQUESTS.labels(known, place, status).inc()
    REQUEST_SECONDS.labels(known, place).observe(seconds)


def count_search(tier: str, degraded: Iterable[str], seconds: float) -> None:
    SEARCH_SECONDS.labels(tier).observe(seconds)
    for retriever in set(degraded):
        SEARCHES_DEGRADED.labels(retriever).inc()


def count_embedding(embedder: str, texts: int, seconds: float, outcome: str) -> None:
    EMBEDDING_SECONDS.labels(embedder, outcome).observe(seconds)
    EMBEDDED_TEXTS.labels(embedder).inc(texts)


def count_model_call(
    provider: str, operation: str, outcome: str, seconds: float, tokens: tuple[int, int], dollars: float
) -> None:
    """Count a call; `tokens` are those of the question and those of the answer."""
    MODEL_CALLS.labels(provider, operation, outcome).inc()
    MODEL_SECONDS.labels(provider).observe(seconds)
    MODEL_TOKENS.labels(provider, "input").inc(tokens[0])
    MODEL_TOKENS.labels(provider, "output").inc(tokens[1])
    MODEL_DOLLARS.labels(provider).inc(dollars)


def count_created(sources: Iterable[str]) -> None:
    """Count memories by which way they came in."""
    for source in sources:
        CREATED.labels(source).inc()


def count_run(job: str, outcome: str, seconds: float) -> None:
    JOB_RUNS.labels(job, outcome).inc()
    JOB_SECONDS.labels(job).observe(seconds)


def count_delivery(outcome: str) -> None:
    DELIVERIES.labels(outcome).inc()


watchers.append(count_embedding)


def count_replica_read(outcome: str) -> None:
    """Count a read by its outcome: `replica`, or why the primary answered: `behind`, `failed`, `resting` after them."""
    REPLICA_READS.labels(outcome).inc()
