"""Operators' endpoints for jobs: when each is due, what came of it, and running it now."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import OperatorView, or_404
from memories.api.pagination import chosen, page
from memories.api.schema import lists, operation
from memories.api.serializers.usage import JobAnswer, JobFired, JobsShown, RunShown, show_job, show_run
from memories.jobs import JOBS, jobs_of
from memsite.http.exceptions import Conflict
from memsite.jobs.claims import ask_to_stop, retry
from memsite.jobs.engine import WORK, fire_now
from memsite.jobs.models import JobRun, JobRunQuerySet, RunStatus
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.models import App

APP_ID = OpenApiParameter("app_id", str, description="Of this app. Without it, of the key's app or of the whole site.")


class JobView(OperatorView):
    """Jobs of the apps that the caller operates; those of the whole site are for who operates all of it."""

    def app_asked(self, app_id: str | None) -> App | None:
        """Return the app that is meant; None for the whole site."""
        if app_id is not None:
            return self.app_named(app_id)
        own = self.caller().app
        if own:
            return self.app_named(own.app_id)
        self.check_site()
        return None

    def check_site(self) -> None:
        if not self.caller().governs_all:
            raise PermissionDenied("The upkeep of the whole site is for who operates all of it: name an app_id.")

    def runs(self) -> JobRunQuerySet:
        rows = JobRun.objects.select_related("app__policy")
        if self.caller().governs_all:
            return rows
        return rows.filter(app__in=self.apps())

    def run(self, uid: UUID) -> JobRun:
        run: JobRun = or_404(self.runs().filter(uid=uid).first())
        if run.app:
            self.check_right(run.app)
        return run


class Jobs(JobView):
    @operation(responses=JobsShown, parameters=[APP_ID], operation_id="list_jobs")
    def get(self, request: Request) -> Response:
        """Each job of an app, or of the whole site: when it is due, and its last run."""
        app = self.app_asked(request.query_params.get("app_id"))
        return Response({"results": [show_job(listed) for listed in jobs_of(app, timezone.now())]})


class FireJob(JobView):
    @extend_schema(request=JobFired, responses={202: JobAnswer}, operation_id="run_job")
    def post(self, request: Request, name: str) -> Response:
        """Sets going the run of the last period that is due. Once per period: a second call answers the same run."""
        job = or_404(JOBS.get(name))
        app_id = self.read(JobFired).get("app_id")
        if job.of_site:
            if app_id is not None:
                raise ValidationError({"app_id": ["This job is for the whole site."]})
            self.check_site()
            app = None
        else:
            app = self.app_asked(app_id)
            if app is None:
                raise ValidationError({"app_id": ["Which app?"]})
        run, is_new = fire_now(job, app, timezone.now(), self.caller().actor)
        return Response({"is_new": is_new, "run": show_run(run)}, status=202)


class Runs(JobView):
    @lists(
        RunShown,
        "list_job_runs",
        APP_ID,
        OpenApiParameter("job", str, enum=list(JOBS)),
        OpenApiParameter("status", str, enum=RunStatus.values),
    )
    def get(self, request: Request) -> Response:
        """The latest first, of all apps that the caller operates unless one is named."""
        rows = chosen(self.runs(), request, job=list(JOBS), status=RunStatus.values)
        if "app_id" in request.query_params:
            rows = rows.filter(app=self.app_named(request.query_params["app_id"]))
        return page(self, rows, show_run)


class RetryRun(JobView):
    @operation(request=None, responses={202: RunShown}, operation_id="retry_job_run")
    def post(self, request: Request, uid: UUID) -> Response:
        """Due at once, from where it was. 409 for one that is done or under way."""
        run = self.run(uid)
        if not retry(run, timezone.now()):
            raise Conflict("This run is done or under way; nothing to retry.")
        enqueue(WORK)
        run.refresh_from_db()
        return Response(show_run(run), status=202)


class StopRun(JobView):
    @operation(request=None, responses={202: RunShown}, operation_id="stop_job_run")
    def post(self, request: Request, uid: UUID) -> Response:
        """After the batch under way; what is done stays done, and a retry goes on from there. 409 if it ended."""
        run = self.run(uid)
        if not ask_to_stop(run, timezone.now()):
            raise Conflict("It has ended already.")
        run.refresh_from_db()
        return Response(show_run(run), status=202)
