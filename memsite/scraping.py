"""`/metrics`, for Prometheus: what the processes have counted, and what the database tells when it is asked."""

from __future__ import annotations

from hmac import compare_digest
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from memsite.conf import get_conf
from memsite.gauges import Asked
from memsite.metrics import registry
from memsite.metrics.sharing import counts_of_all
from memsite.problems import problem_response

SCHEME = "Bearer"


@csrf_exempt
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """404 unless `MEMSITE_METRICS_TOKEN` is set, 401 without it in `Authorization`."""
    token = get_conf().metrics_token
    if not token:
        raise Http404
    if not knows(request, token):
        refused = problem_response(HTTPStatus.UNAUTHORIZED, "Authorization: Bearer and the metrics token, please.")
        refused["WWW-Authenticate"] = SCHEME
        return refused
    asked = CollectorRegistry()
    asked.register(Asked(timezone.now()))
    return HttpResponse(counts_of_all(registry) + generate_latest(asked), content_type=CONTENT_TYPE_LATEST)


def knows(request: HttpRequest, token: str) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    return scheme.lower() == SCHEME.lower() and compare_digest(given.strip().encode(), token.encode())
