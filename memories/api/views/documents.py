"""Agents' endpoints for documents: upload, replace, list, read passage by passage, delete."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from typing import Any
from uuid import UUID

from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, count_writes, or_404
from memories.api.fields import StrictSerializer, validated
from memories.api.pagination import chosen, page, user_asked
from memories.api.schema import lists, of_user, operation
from memories.api.serializers.documents import (
    DocumentFields,
    DocumentShown,
    FileFields,
    PassageShown,
    ReplacementForm,
    UploadForm,
    show_passage,
)
from memories.api.serializers.memories import ORIGINS_OF_AGENTS, Deleted
from memories.api.streaming import file_chunks
from memories.models import Document, DocumentStatus
from memories.services import DocumentLimit, OtherUsersDocument, Upload
from memsite.config.conf import get_conf
from memsite.http.exceptions import Conflict, TooLarge
from memsite.http.middleware import length_of

FORM_BYTES = 64 * 1024
"""What a form may have around its file."""
MULTIPART = "multipart/form-data"
DIGEST = ""
"""Under this name `request.data` has the digest of the file."""
OF_FILE = [
    OpenApiParameter("name", str, description="The name of the file, where the body is the file itself."),
    OpenApiParameter("tags", str, description="With commas between."),
    OpenApiParameter("origin", str, enum=[name for name, _ in ORIGINS_OF_AGENTS], description="Whose words it has."),
]
OF_DOCUMENT = [
    *OF_FILE,
    OpenApiParameter("external_id", str, description="Your own name for it: the same again replaces the file."),
    of_user("The end user it is of."),
]
BYTES = {"application/octet-stream": OpenApiTypes.BINARY}


class FileBody(BaseParser):
    """Read a file, or a form with one; `request.data` has the other fields of the form, and a digest of the file."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        view, request = parser_context["view"], parser_context["request"]
        most = get_conf().document_megabytes * 1024 * 1024
        if request.content_type.partition(";")[0].strip().lower() != MULTIPART:
            view.file, fields = bounded(request, most), {}
        else:
            form, file = form_in(request, bounded(request, most + FORM_BYTES))
            data: bytes = file.read()
            if len(data) > most:
                raise too_large(most)
            view.file, fields = data, {"name": str(file.name), **form}
        return {**fields, DIGEST: sha256(view.file).hexdigest()}


class DocumentView(AgentView):
    file = b""
    """What the body brought."""

    def get_parsers(self) -> list[Any]:
        method = getattr(self.request, "method", "")  # there is no request where the schema is made
        return [FileBody()] if method in ("POST", "PUT") else super().get_parsers()

    def document(self, uid: UUID) -> Document:
        return or_404(self.memory_agent().documents().filter(uid=uid).first())

    def take(self, request: Request, document: Document | None = None) -> dict[str, Any]:
        form: Any = request.data
        fields: dict[str, Any] = {**dict(request.query_params.items()), **form}
        fields.pop(DIGEST, None)
        if document:
            fields.setdefault("name", document.name)
        upload = upload_of(self.file, fields, FileFields if document else DocumentFields)
        agent = self.memory_agent()
        count_writes(agent, 1)
        try:
            return DocumentShown.show(agent.upload_document(upload, document))
        except (DocumentLimit, OtherUsersDocument) as error:
            raise Conflict(str(error)) from error


class Documents(DocumentView):
    creates = True
    only_adds = ("POST",)

    @lists(DocumentShown, "list_documents", OpenApiParameter("status", str, enum=DocumentStatus.values), of_user())
    def get(self, request: Request) -> Response:
        """The latest first."""
        rows = self.memory_agent().documents(user_asked(request))
        if user := user_asked(request):
            rows = rows.of_users((user,))
        return page(self, chosen(rows, request, status=DocumentStatus.values), DocumentShown.show)

    @operation(
        request={MULTIPART: UploadForm, **BYTES},
        responses={202: DocumentShown},
        parameters=OF_DOCUMENT,
        operation_id="create_document",
    )
    def post(self, request: Request) -> Response:
        """Takes a PDF, DOCX, HTML, Markdown or text file, as a form with `file` or as the body itself.

        202: a worker reads it. Then its passages are found beside memories, each with page and heading.
        """
        return self.create_in_transaction(lambda: (202, self.take(request)))


class OneDocument(DocumentView):
    @extend_schema(responses=DocumentShown, operation_id="get_document")
    def get(self, request: Request, uid: UUID) -> Response:
        """How far it is."""
        return Response(DocumentShown.show(self.document(uid)))

    @operation(
        request={MULTIPART: ReplacementForm, **BYTES},
        responses={202: DocumentShown},
        parameters=OF_FILE,
        operation_id="replace_document",
    )
    def put(self, request: Request, uid: UUID) -> Response:
        """Takes another file in its place. The passages of the one before are found until this one is read."""
        return Response(self.take(request, self.document(uid)), status=202)

    @extend_schema(responses={200: Deleted}, operation_id="delete_document")
    def delete(self, request: Request, uid: UUID) -> Response:
        """Deletes it with its passages, for good."""
        self.memory_agent().delete_document(self.document(uid))
        return Response({"success": True, "deleted_count": 1})


class Passages(DocumentView):
    @lists(PassageShown, "list_passages")
    def get(self, request: Request, uid: UUID) -> Response:
        """What it says, in order."""
        return page(self, self.memory_agent().passages_of(self.document(uid)), show_passage, "uid")


def upload_of(file: bytes, fields: dict[str, Any], serializer: type[StrictSerializer]) -> Upload:
    if "tags" in fields:
        fields["tags"] = [tag.strip() for tag in fields["tags"].split(",") if tag.strip()]
    fields = validated(serializer, fields)
    if not fields.get("name"):
        raise ValidationError({"name": ["The name of the file is missing."]})
    if not file:
        raise ValidationError({"file": ["The file is empty."]})
    return Upload(data=file, **fields)


def bounded(request: Request, most: int) -> bytes:
    if length_of(request._request) > most:
        raise too_large(most)
    return b"".join(file_chunks(request))


def too_large(most: int) -> TooLarge:
    return TooLarge(f"The file is larger than {most:,} bytes.")


class InMemory(FileUploadHandler):
    """Keep a file in memory: the whole body is bounded."""

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        self.pieces: list[bytes] = []

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.pieces.append(raw_data)

    def file_complete(self, file_size: int) -> SimpleUploadedFile:
        return SimpleUploadedFile(self.file_name or "document", b"".join(self.pieces))


def form_in(request: Request, body: bytes) -> tuple[Mapping[str, str], SimpleUploadedFile]:
    """Return the texts of a form, each once, and its file."""
    about = {"CONTENT_TYPE": request.content_type, "CONTENT_LENGTH": len(body)}
    try:
        texts, files = MultiPartParser(about, BytesIO(body), [InMemory()], "utf-8").parse()
    except (MultiPartParserError, SuspiciousOperation) as error:
        raise ParseError("The body is no form that can be read.") from error
    given = [(name, values) for name, values in (*texts.lists(), *files.lists())]
    if twice := [name for name, values in given if len(values) > 1]:
        raise ValidationError({name[:100]: ["Given more than once."] for name in twice})
    file = files.get("file")
    if len(files) != 1 or not isinstance(file, SimpleUploadedFile):
        raise ValidationError({"file": ["One file, under this name."]})
    return {name: str(value) for name, value in texts.items()}, file
