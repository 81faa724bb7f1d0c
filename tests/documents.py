"""Small files of each kind, made here, and the worker's part: reading what was uploaded."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

from memories.services import MemoryAgent
from memsite.jobs.job import Unclaimed
from tests.conftest import NOON, Caller

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MANUAL = """# Router manual

The router hands out addresses from 10.0.0.0/24.

## Resetting

Hold the reset button for twelve seconds. The lamp turns amber.
"""


def pdf(*pages: str, bookmarks: bool = False) -> bytes:
    """Return a PDF with a line of text for each line of its pages; with the first line of each page as a bookmark."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = DictionaryObject({NameObject(f"/{name}"): NameObject(f"/{value}") for name, value in FONT.items()})
    for text in pages:
        page = writer.add_blank_page(612, 792)
        stream = DecodedStreamObject()
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.split("\n") if line)
        stream.set_data(f"BT /F1 12 Tf 72 720 Td {lines}ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    if bookmarks:
        for number, text in enumerate(pages):
            writer.add_outline_item(title=text.split("\n")[0], page_number=number)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


FONT = {"Type": "Font", "Subtype": "Type1", "BaseFont": "Helvetica", "Encoding": "WinAnsiEncoding"}


def encrypted(data: bytes) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    writer.encrypt("secret", algorithm="AES-256")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(body: str, **parts: str) -> bytes:
    """Return a DOCX with this body, and styles whose ids are in German."""
    styles = (
        f'<w:styles xmlns:w="{W}"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>'
    )
    document = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"document": document, "styles": styles, **parts}.items():
            archive.writestr(f"word/{name}.xml", text)
    return out.getvalue()


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    cells = ["".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows]
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def upload(caller: Caller, data: bytes | str, name: str = "manual.md", **fields: str) -> Any:
    """Upload a file as the body itself."""
    body = data.encode() if isinstance(data, str) else data
    return send(caller, "POST", "documents", body, name=name, **fields)


def send(caller: Caller, method: str, path: str, body: bytes, **query: str) -> Any:
    from urllib.parse import urlencode

    address = f"/api/v1/{path}?{urlencode(query)}" if query else f"/api/v1/{path}"
    return caller.client.generic(method, address, body, content_type="application/octet-stream")


def read_all(caller: Caller) -> int:
    """Do what the worker does."""
    return MemoryAgent(caller.app, None, "worker").read_documents(Unclaimed(until=NOON))


def added(caller: Caller, data: bytes | str = MANUAL, name: str = "manual.md", **fields: str) -> dict[str, Any]:
    """Upload a file, have it read, and return the document."""
    answer = upload(caller, data, name, **fields)
    assert answer.status_code == 202, answer.content
    read_all(caller)
    document: dict[str, Any] = caller.get(f"documents/{answer.json()['id']}").json()
    return document
