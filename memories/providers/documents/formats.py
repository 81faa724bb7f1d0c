"""Read PDF, DOCX, HTML, Markdown and plain text as blocks with page and headings.

Run as a program it reads a file from stdin and writes JSON, with limits on memory and time and without network, so that
a broken or hostile file ends this process and no other (`memories.providers.documents`).
"""

from __future__ import annotations

import codecs
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from html.parser import HTMLParser
from io import BytesIO
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from memories.language.scripts import without_surrogates

PDF, HTML, MARKDOWN, TEXT = "application/pdf", "text/html", "text/markdown", "text/plain"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SUFFIXES = {
    ".pdf": PDF,
    ".docx": DOCX,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
}
MEMORY_BYTES = 1024**3
XML_BYTES = 32 * 1024**2
"""Of one part of a DOCX file, unpacked."""
HEADING_CHARACTERS = 120
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BROKEN = "It cannot be read: the file is broken."
NO_TEXT = "There is no text in it."
SCANNED = "It has pages and no text: scanned pages are not read. Run text recognition (OCR) over it first."
ENCRYPTED = "It is encrypted: save it without a password."
OLD_OFFICE = "It is an encrypted or an old Office file: save it as .docx without a password."
UNKNOWN = "It is no PDF, DOCX, HTML, Markdown or text file."
REFUSED = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "urllib.")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset=["']?([\w-]{1,40})""", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HYPHENATED = re.compile(r"(?<=[a-zß-öø-ÿ])-\n(?=[a-zß-öø-ÿ])")
_WORD_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


class Unreadable(Exception):
    """The file cannot be read; the text says why and what to do."""


@dataclass(slots=True)
class Block:
    """Hold a paragraph, a list item or a table row, the page it stands on, and the headings above it, outermost first.

    `page` is None where the format has no pages.
    """

    text: str
    page: int | None = None
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """Hold what a file says. `pages` is None where the format has none."""

    content_type: str
    blocks: list[Block]
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    pages: int
    characters: int
    seconds: int


@dataclass(slots=True)
class Outline:
    """Collect blocks under the headings that are open."""

    limits: Limits
    blocks: list[Block] = field(default_factory=list)
    open: list[tuple[int, str]] = field(default_factory=list)
    page: int | None = None
    characters: int = 0

    def heading(self, level: int, title: str) -> None:
        title = " ".join(storable(title).split())[:HEADING_CHARACTERS]
        self.open = [entry for entry in self.open if entry[0] < level] + ([(level, title)] if title else [])

    def add(self, text: str) -> None:
        """Add a block, unless there is nothing in it. Raise Unreadable above the limit of characters."""
        text = storable(text).strip()
        if not text:
            return
        self.characters += len(text)
        if self.characters > self.limits.characters:
            raise Unreadable(f"It has more than {self.limits.characters:,} characters: split it.")
        self.blocks.append(Block(text, self.page, tuple(title for _, title in self.open)))


def storable(text: str) -> str:
    """Return a text that every database takes."""
    return without_surrogates(text.replace("\0", ""))


def read(data: bytes, name: str, limits: Limits) -> Content:
    """Return what a file says. Raise Unreadable."""
    if not data.strip():
        raise Unreadable(NO_TEXT)
    content_type = type_of(data, name)
    outline = Outline(limits)
    pages = READERS[content_type](data, outline)
    if not outline.blocks and outline.open:
        # Headings alone are a text, too.
        outline.add("\n".join(title for _, title in outline.open))
    if not outline.blocks:
        raise Unreadable(SCANNED if pages else NO_TEXT)
    return Content(content_type, outline.blocks, pages)


def type_of(data: bytes, name: str) -> str:
    """Return the type by what the file begins with; of texts by the end of its name."""
    head = data[:1024]
    if b"%PDF-" in head:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return DOCX
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise Unreadable(OLD_OFFICE)
    by_name = SUFFIXES.get(PurePath(name).suffix.lower(), TEXT)
    if by_name in (PDF, DOCX):
        raise Unreadable(BROKEN)
    begins = decode(data)[:1024].lstrip().lower()
    return HTML if begins.startswith(("<!doctype html", "<html")) else by_name


def decode(data: bytes) -> str:
    """Return a text in UTF-8, UTF-16 or UTF-32 with its mark, the encoding that an HTML page names, or Windows-1252."""
    encodings = [encoding for mark, encoding in MARKS if data.startswith(mark)][:1]
    if not encodings:
        named = _CHARSET.search(data[:2048])
        encodings = ["utf-8", *([named[1].decode()] if named else []), "cp1252"]
    for encoding in encodings:
        with suppress(UnicodeDecodeError, LookupError):
            text = data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
            if _CONTROL.search(text):
                break
            return text
    raise Unreadable(UNKNOWN)


# --- PDF


def read_pdf(data: bytes, outline: Outline) -> int:
    from pypdf import PdfReader  # a fifth of a second that the other formats do not need

    reader = PdfReader(BytesIO(data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable(ENCRYPTED)
    pages = len(reader.pages)
    if pages > outline.limits.pages:
        raise Unreadable(f"It has {pages:,} pages, and {outline.limits.pages:,} are read at most: split it.")
    marks = bookmarks(reader)
    for number, page in enumerate(reader.pages, 1):
        outline.page = number
        read_page(_HYPHENATED.sub("", page.extract_text()), marks.get(number, []), outline)
    return pages


def bookmarks(reader: Any) -> dict[int, list[tuple[int, str]]]:
    """Return the (level, title) of the bookmarks of each page, counted from 1; nothing where they are broken."""
    marks: dict[int, list[tuple[int, str]]] = {}

    def walk(entries: list[Any], level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry, level + 1)
            elif (number := reader.get_destination_page_number(entry)) is not None and number >= 0:
                marks.setdefault(number + 1, []).append((level, str(entry.title)))

    with suppress(Exception):
        walk(reader.outline, 1)
    return marks


def read_page(text: str, marks: list[tuple[int, str]], outline: Outline) -> None:
    """Add a page. A bookmark begins at the line that says its title; one whose line is not found, with its page."""
    lines: list[str] = []
    squeezed_lines = [squeezed(line) for line in text.split("\n")]
    for level, title in [mark for mark in marks if squeezed(mark[1]) not in squeezed_lines]:
        outline.heading(level, title)
    left = [mark for mark in marks if squeezed(mark[1]) in squeezed_lines]
    for line in text.split("\n"):
        if left and squeezed(line) == squeezed(left[0][1]):
            outline.add("\n".join(lines))
            lines = []
            outline.heading(*left.pop(0))
        else:
            lines.append(line)
    outline.add("\n".join(lines))
    for mark in left:
        outline.heading(*mark)


def squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


# --- DOCX

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class WithoutDoctype(ElementTree.TreeBuilder):
    """Refuse a document type: no part of a DOCX file has one, and only there entities can be declared."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise Unreadable(BROKEN)


def read_docx(data: bytes, outline: Outline) -> None:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        names = set(archive.namelist())
        if "word/document.xml" not in names:
            raise Unreadable(UNKNOWN)
        levels = heading_levels(part_of(archive, "word/styles.xml")) if "word/styles.xml" in names else {}
        body = part_of(archive, "word/document.xml").find(f"{W}body")
    if body is not None:
        if body.find(f".//{W}lastRenderedPageBreak") is not None:
            outline.page = 1
        for item in body_items(body):
            read_item(item, levels, outline)


def part_of(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    """Return a part as XML. What its header says of its size is not believed."""
    with archive.open(name) as file:
        xml = file.read(XML_BYTES + 1)
    if len(xml) > XML_BYTES:
        raise Unreadable("It unpacks to more than a text of this kind has: split it.")
    parser = ElementTree.XMLParser(target=WithoutDoctype())  # noqa: S314  # a document type is refused
    parser.feed(xml)
    root: ElementTree.Element = parser.close()
    return root


def heading_levels(styles: ElementTree.Element) -> dict[str, int]:
    """Return the level of each style that is a heading: its id may be in any language, its name is in English."""
    levels = {}
    for style in styles.iter(f"{W}style"):
        name = value_of(style.find(f"{W}name"))
        outlined = value_of(style.find(f"{W}pPr/{W}outlineLvl"))
        if named := _WORD_HEADING.fullmatch(name):
            levels[style.get(f"{W}styleId", "")] = int(named[1])
        elif name.casefold() == "title":
            levels[style.get(f"{W}styleId", "")] = 0
        elif outlined.isdecimal() and int(outlined) < 9:
            levels[style.get(f"{W}styleId", "")] = int(outlined) + 1
    return levels


def value_of(element: ElementTree.Element | None) -> str:
    return "" if element is None else element.get(f"{W}val", "")


def body_items(parent: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Yield paragraphs and tables in order, also those in content controls."""
    for child in parent:
        if child.tag in (f"{W}p", f"{W}tbl"):
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}smartTag", f"{W}customXml"):
            yield from body_items(child)


def read_item(item: ElementTree.Element, levels: dict[str, int], outline: Outline) -> None:
    if item.tag == f"{W}tbl":
        for row in item.iter(f"{W}tr"):
            cells = [" ".join(text_of(p, outline).split()) for cell in row.iter(f"{W}tc") for p in cell.iter(f"{W}p")]
            outline.add(" | ".join(filter(None, cells)))
        return
    properties = item.find(f"{W}pPr")
    style = value_of(properties.find(f"{W}pStyle")) if properties is not None else ""
    outlined = value_of(properties.find(f"{W}outlineLvl")) if properties is not None else ""
    level = int(outlined) + 1 if outlined.isdecimal() and int(outlined) < 9 else levels.get(style)
    text = text_of(item, outline)
    if level is None:
        outline.add(text)
    else:
        outline.heading(level, text)


def text_of(paragraph: ElementTree.Element, outline: Outline) -> str:
    """Return the text of a paragraph, and count the pages that Word last saw begin in it."""
    pieces = []
    for node in paragraph.iter():
        if node.tag == f"{W}t":
            pieces.append(node.text or "")
        elif node.tag == f"{W}tab":
            pieces.append("\t")
        elif node.tag in (f"{W}br", f"{W}cr"):
            pieces.append("\n")
        elif node.tag == f"{W}lastRenderedPageBreak" and outline.page:
            outline.page += 1
    return "".join(pieces)


# --- HTML


class Page(HTMLParser):
    """Read the text of an HTML page, without scripts and styles."""

    BLOCKS = re.compile(
        "address|article|aside|blockquote|body|caption|d[dlt]|div|fieldset|figcaption|figure|footer|form|header|hr|li"
        "|main|nav|ol|p|pre|section|table|tbody|tfoot|thead|tr|ul"
    )
    SKIPPED = frozenset(("script", "style", "template", "noscript", "svg", "title", "select", "iframe", "object"))

    def __init__(self, outline: Outline) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = outline
        self.pieces: list[str] = []
        self.level = 0
        self.skipped = ""
        self.is_pre = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.skipped:
            return
        if tag in self.SKIPPED:
            self.skipped = tag
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.flush()
            self.level = int(tag[1])
        elif self.BLOCKS.fullmatch(tag):
            self.flush()
            self.is_pre = tag == "pre"
        elif tag == "br":
            self.pieces.append("\n")
        elif tag in ("td", "th") and "".join(self.pieces).strip():
            self.pieces.append(" | ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.SKIPPED:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            self.skipped = "" if tag == self.skipped else self.skipped
        elif self.BLOCKS.fullmatch(tag) or re.fullmatch("h[1-6]", tag):
            self.flush()

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            self.pieces.append(data if self.is_pre else re.sub(r"\s+", " ", data))

    def flush(self) -> None:
        text = "".join(self.pieces)
        self.pieces, self.is_pre = [], False
        if self.level:
            self.outline.heading(self.level, text)
            self.level = 0
        else:
            self.outline.add(text)


def read_html(data: bytes, outline: Outline) -> None:
    page = Page(outline)
    page.feed(decode(data))
    page.close()
    page.flush()


# --- Markdown and text


def read_markdown(data: bytes, outline: Outline) -> None:
    """Add the paragraphs of a Markdown file as they are written; a fenced block of code stays one."""
    lines: list[str] = []
    fence = ""

    def flush() -> None:
        outline.add("\n".join(lines))
        lines.clear()

    for line in decode(data).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
            lines.append(line)
        elif heading := _ATX.fullmatch(line):
            flush()
            outline.heading(len(heading[1]), heading[2] or "")
        elif (underlined := _SETEXT.fullmatch(line)) and len(lines) == 1:
            title = lines.pop()
            outline.heading(1 if underlined[1][0] == "=" else 2, title)
        elif line.strip():
            lines.append(line)
        else:
            flush()
    flush()


def read_text(data: bytes, outline: Outline) -> None:
    """Add the paragraphs of a text; a form feed begins a page."""
    pages = decode(data).split("\f")
    for number, page in enumerate(pages, 1):
        outline.page = number if len(pages) > 1 else None
        for paragraph in re.split(r"\n[^\S\n]*\n", page):
            outline.add(paragraph)


READERS: dict[str, Any] = {
    PDF: read_pdf,
    DOCX: read_docx,
    HTML: read_html,
    MARKDOWN: read_markdown,
    TEXT: read_text,
}


# --- the program


def confine(limits: Limits) -> None:
    """Bound this process: memory, processor time, no file written, no network, no other program."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        bounds = {
            resource.RLIMIT_AS: MEMORY_BYTES,
            resource.RLIMIT_CPU: limits.seconds,
            resource.RLIMIT_FSIZE: 0,
            resource.RLIMIT_CORE: 0,
        }
        for what, most in bounds.items():
            resource.setrlimit(what, (most, most))

    def refuse(event: str, _: Any) -> None:
        if event.startswith(REFUSED):
            raise PermissionError(event)

    sys.addaudithook(refuse)


def main() -> None:
    name, *numbers = sys.argv[1:]
    limits = Limits(*map(int, numbers))
    data = sys.stdin.buffer.read()
    confine(limits)
    try:
        answer: dict[str, Any] = asdict(read(data, name, limits))
    except Unreadable as error:
        answer = {"reason": str(error)}
    except Exception:
        # Whatever a parser stumbles over, the file is to blame.
        answer = {"reason": BROKEN}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
