"""Operators' endpoints for exports and imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO
from uuid import UUID

from django.http import FileResponse, HttpRequest
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ParseError, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import Answer, AnyAnswer, OperatorView, or_404
from memories.api.pagination import flag, one_of, page, user_asked
from memories.api.schema import lists, of_user, operation
from memories.api.serializers.apps import ImportShown, SurveyShown, show_counts, show_import
from memories.api.streaming import Unread, file_chunks
from memories.import_export.files import is_gzip
from memories.import_export.sources import MEMSITE, SOURCES
from memories.models import Import
from memories.services import BadFile, CannotImport, StillPurging
from memsite.config.conf import get_conf
from memsite.http.exceptions import Busy, Conflict, TooLarge, Unprocessable
from memsite.http.middleware import encoding_of, length_of
from memsite.ops.files import without_name
from memsite.tenancy.access import Right
from memsite.tenancy.idempotency import Slot
from memsite.tenancy.models import AGENT_NAME_PATTERN

NDJSON, ZIP = "application/x-ndjson", "application/zip"
AGENT = {"type": "string", "pattern": f"^({AGENT_NAME_PATTERN})?$"}
USER_ID = of_user("Only what this end user said, and what is known of them.")


class ExportView(OperatorView):
    right_to_look = Right.GOVERN
    content_negotiation_class = AnyAnswer


class Export(ExportView):
    @operation(
        responses={(200, NDJSON): OpenApiTypes.BINARY},
        parameters=[USER_ID, OpenApiParameter("vectors", bool, description="With the vectors of memories.")],
        operation_id="export_app",
    )
    def get(self, request: Request, app_id: str) -> FileResponse:
        """Everything the app knows and was told, with its policy: NDJSON, to be imported here or elsewhere."""
        agent = self.agent_of(self.app_named(app_id))
        try:
            file = agent.export(user_id=user_asked(request), vectors=flag(request, "vectors"))
        except StillPurging as error:
            raise Busy("Something is being deleted for good all the while: export in a moment.") from error
        return FileResponse(file, content_type=NDJSON, as_attachment=True, filename=f"{agent.app.app_id}.ndjson")


class MarkdownExport(ExportView):
    @operation(responses={(200, ZIP): OpenApiTypes.BINARY}, parameters=[USER_ID], operation_id="export_app_as_markdown")
    def get(self, request: Request, app_id: str) -> FileResponse:
        """What the app knows, for people: a page of Markdown per category, and one with the lessons."""
        agent = self.agent_of(self.app_named(app_id))
        file = agent.export_markdown(user_id=user_asked(request))
        return FileResponse(file, content_type=ZIP, as_attachment=True, filename=f"{agent.app.app_id}.zip")


class ImportView(OperatorView):
    creates = True
    parser_classes = [Unread]
    takes_endless_bodies = True
    takes_encoded_as = ("gzip", "x-gzip")

    @operation(
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={202: ImportShown, 200: SurveyShown},
        parameters=[
            OpenApiParameter("source", str, enum=list(SOURCES), description="What has written the file."),
            OpenApiParameter("agent", AGENT, description="Whose conversations they become: import-SOURCE unless said."),
            of_user("The end user they were with, where the file does not tell."),
            OpenApiParameter(
                "trust",
                bool,
                description="Believe an app's file that this server has not signed in who said and "
                "reviewed what. Operators only, not agents with the scope `operator`.",
            ),
            OpenApiParameter("dry_run", bool, description="Only print what the file would bring."),
        ],
        operation_id="import_into_app",
    )
    def post(self, request: Request, app_id: str) -> Response:
        """Takes a file in, plain, gzip or zip. All of it is looked at first: where anything is wrong, nothing is kept.

        Secrets are taken out. An app's file is believed in who said what if this server has signed it.

        202 with the import; a worker goes on with a long one. What the app has already stays as it is.
        """
        agent = self.agent_of(self.app_named(app_id))
        source = one_of("source", request.query_params.get("source", MEMSITE), list(SOURCES))
        name: str = request.query_params.get("agent", "")
        if name and source == MEMSITE:
            raise ValidationError({"agent": ["An app's export tells its agents itself."]})
        if name and not re.fullmatch(AGENT_NAME_PATTERN, name):
            raise ValidationError({"agent": ["Letters, digits, . - and _, 64 at most."]})
        user_id, trust = user_asked(request), self.trust_asked(source)

        def take(_: Slot, chunks: Iterator[bytes]) -> Answer:
            with received(chunks, request._request) as file:
                if flag(request, "dry_run"):
                    return 200, {"counts": show_counts(agent.survey_import(file, source, trust=trust))}
                return 202, show_import(agent.begin_import(file, source, name, user_id, trust=trust))

        try:
            return self.create_as_read(file_chunks(request), take)
        except BadFile as error:
            raise Unprocessable(str(error)) from error
        except CannotImport as error:
            raise Conflict(str(error)) from error

    def trust_asked(self, source: str) -> bool:
        """PermissionDenied to an agent: with its own file it would make its words an operator's."""
        if not flag(self.request, "trust"):
            return False
        if source != MEMSITE:
            raise ValidationError({"trust": ["Only an app's export tells who is to be trusted."]})
        if self.caller().agent:
            raise PermissionDenied("Only an operator says that a file is to be trusted: no agent's key does.")
        return True


class Imports(OperatorView):
    @lists(ImportShown, "list_imports")
    def get(self, request: Request, app_id: str) -> Response:
        """The latest first."""
        return page(self, Import.objects.for_app(self.app_named(app_id)), show_import)


class OneImport(OperatorView):
    @extend_schema(responses=ImportShown, operation_id="get_import")
    def get(self, request: Request, app_id: str, uid: UUID) -> Response:
        """How far it is."""
        rows = Import.objects.for_app(self.app_named(app_id))
        return Response(show_import(or_404(rows.filter(uid=uid).first())))


@contextmanager
def received(chunks: Iterator[bytes], request: HttpRequest) -> Iterator[IO[bytes]]:
    """Write the body to a file on the disk that has no name, and yield it."""
    most, encoding = get_conf().import_megabytes * 1024 * 1024, encoding_of(request)
    if length_of(request) > most:
        raise TooLarge(f"The file is larger than {most:,} bytes.")
    with without_name() as file:
        for chunk in chunks:
            if file.tell() + len(chunk) > most:
                raise TooLarge(f"The file is larger than {most:,} bytes.")
            file.write(chunk)
        file.seek(0)
        if encoding and not is_gzip(file):
            raise ParseError("Its Content-Encoding says gzip, and the body is not packed so.")
        yield file
