"""Documents: uploaded, replaced and deleted by curators, and read passage by passage."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from memories.dashboard.access import DashboardRequest, page
from memories.dashboard.lists import KeysetPage, keyset_page
from memories.dashboard.responses import fingerprint, go, is_seen, render_page, unchanged
from memories.models import Document
from memories.models.document import citation_of
from memories.services import DocumentLimit, Upload
from memsite.config.conf import get_conf
from memsite.tenancy.access import Right

PASSAGES_SHOWN = 200


class FileForm(forms.Form):
    file = forms.FileField(help_text="PDF, DOCX, HTML, Markdown or text.")

    def clean_file(self) -> Any:
        file, most = self.cleaned_data["file"], get_conf().document_megabytes
        if file.size > most * 1024 * 1024:
            raise forms.ValidationError(f"The file is larger than {most:,} MB.")
        return file


class DocumentForm(FileForm):
    user_id = forms.CharField(
        label="End user", required=False, max_length=200, help_text="Whose it is; empty: nobody's in particular."
    )


@page(write=Right.CURATE)
def documents(request: DashboardRequest) -> HttpResponse:
    """Show what was uploaded and how far it is read; curators upload files."""
    form = DocumentForm(request.POST or None, request.FILES or None, auto_id="document-%s")
    if request.method == "POST" and form.is_valid():
        try:
            request.dashboard.agent().upload_document(upload_of(form))
        except DocumentLimit as error:
            form.add_error(None, str(error))
        else:
            return go(request, request.dashboard.address("knowledge-documents"), "Uploaded. A worker reads it now.")
    slice: KeysetPage[Document] = keyset_page(request.dashboard.agent().documents(), request.GET)
    seen = fingerprint([(row.uid, row.status, row.updated_at) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"form": form, "slice": slice, "seen": seen}
    return render_page(request, "documents/page", context, part="documents/list")


@page(write=Right.CURATE)
def document(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Show what a document says; curators upload another file in its place."""
    agent = request.dashboard.agent()
    row = get_object_or_404(agent.documents(), uid=uid)
    form = FileForm(request.POST or None, request.FILES or None, auto_id="document-%s")
    if request.method == "POST" and form.is_valid():
        agent.upload_document(upload_of(form), row)
        there = request.dashboard.address("knowledge-documents-one", uid)
        return go(request, there, "Uploaded. What it said before is found until a worker has read it.")
    rows = agent.passages_of(row)[:PASSAGES_SHOWN]
    passages = [(passage, (citation_of(passage) or {}).get("citation", "")) for passage in rows]
    return render_page(request, "documents/one", {"row": row, "form": form, "passages": passages})


@page(read=None, write=Right.CURATE)
def delete(request: DashboardRequest, uid: UUID) -> HttpResponse:
    agent = request.dashboard.agent()
    agent.delete_document(get_object_or_404(agent.documents(), uid=uid))
    return go(request, request.dashboard.address("knowledge-documents"), "Deleted for good.")


def upload_of(form: forms.Form) -> Upload:
    file = form.cleaned_data["file"]
    return Upload(data=file.read(), name=file.name, user_id=form.cleaned_data.get("user_id") or None)
