"""Files of each kind as text, and files that are broken, hostile or too much."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from unittest.mock import patch

import pytest

from memories.providers import documents
from memories.providers.documents import Limits, Unreadable, read_document
from memories.providers.documents.formats import Block, read
from memories.providers.documents.passages import LEAST_CHARACTERS, MOST_CHARACTERS, passages_of
from tests.documents import docx, encrypted, paragraph, pdf, table

LIMITS = Limits(pages=10, characters=100_000, seconds=30)
Told = tuple[str, int | None, tuple[str, ...]]
DOCUMENT = docx(
    paragraph("Network", "berschrift1")
    + paragraph("The router hands out addresses.")
    + paragraph("Ports", "berschrift2")
    + table(("Port", "Use"), ("443", "web"))
)
PAGE = """<!doctype html><html><head><title>no</title><style>p {}</style></head><body><nav>Home</nav>
<h1>Network</h1><p>The router <b>hands</b> out
addresses.<script>alert(1)</script></p><h2>Ports</h2><table><tr><th>Port<th>Use</tr><tr><td>443<td>web</table>"""
NOTES = """# Network

The router hands out addresses.

Ports
-----

```sh
# no heading
```
"""
NETWORK, PORTS = ("Network",), ("Network", "Ports")


def told(data: bytes, name: str = "x") -> list[Told]:
    return [(block.text, block.page, block.headings) for block in read(data, name, LIMITS).blocks]


def why(data: bytes, name: str = "x", limits: Limits = LIMITS) -> str:
    with pytest.raises(Unreadable) as refused:
        read(data, name, limits)
    return str(refused.value)


def test_a_pdf_tells_its_pages_and_bookmarks() -> None:
    data = pdf("Network\nThe router hands out addresses.", "Ports\n443 is for the web.", bookmarks=True)
    assert told(data) == [
        ("The router hands out addresses.", 1, NETWORK),
        ("443 is for the web.", 2, ("Ports",)),
    ]


def test_a_docx_tells_its_headings_and_the_rows_of_its_tables() -> None:
    assert told(DOCUMENT) == [
        ("The router hands out addresses.", None, NETWORK),
        ("Port | Use", None, PORTS),
        ("443 | web", None, PORTS),
    ]


def test_a_docx_tells_the_pages_that_word_saw() -> None:
    broken = '<w:p><w:r><w:lastRenderedPageBreak/><w:t xml:space="preserve">Next</w:t></w:r></w:p>'
    assert told(docx(paragraph("First") + broken + paragraph("Last"))) == [
        ("First", 1, ()),
        ("Next", 2, ()),
        ("Last", 2, ()),
    ]


def test_a_page_tells_its_headings_and_no_script() -> None:
    assert told(PAGE.encode()) == [
        ("Home", None, ()),
        ("The router hands out addresses.", None, NETWORK),
        ("Port | Use", None, PORTS),
        ("443 | web", None, PORTS),
    ]


def test_markdown_tells_its_headings_and_code_has_none() -> None:
    assert told(NOTES.encode(), "x.md") == [
        ("The router hands out addresses.", None, NETWORK),
        ("```sh\n# no heading\n```", None, PORTS),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_a_text_is_read_in_its_encoding(encoding: str) -> None:
    assert told("Grüße\r\n\r\nzwei".encode(encoding)) == [("Grüße", None, ()), ("zwei", None, ())]


def test_a_page_is_read_in_the_encoding_it_names() -> None:
    assert told('<html><meta charset="iso-8859-2"><p>Łódź'.encode("iso-8859-2")) == [("Łódź", None, ())]


def test_what_no_database_takes_is_left_out() -> None:
    assert told(b"<html><h1>A&#0;b</h1><p>x&#0;y") == [("x\ufffdy", None, ("A\ufffdb",))]


def test_a_form_feed_begins_a_page_of_a_text() -> None:
    assert told(b"one\ftwo") == [("one", 1, ()), ("two", 2, ())]


@pytest.mark.parametrize(
    ("make", "name", "reason"),
    [
        (lambda: b" \n", "x.txt", "There is no text in it."),
        (lambda: pdf("", ""), "x.pdf", "scanned pages are not read"),
        (lambda: encrypted(pdf("secret")), "x.pdf", "It is encrypted"),
        (lambda: b"no PDF", "x.pdf", "the file is broken"),
        (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "x.docx", "an encrypted or an old Office file"),
        (lambda: b"\x00\x01\x02\x03", "x.bin", "It is no PDF, DOCX, HTML, Markdown or text file."),
        (lambda: pdf(*["page"] * 11), "x.pdf", "It has 11 pages, and 10 are read at most"),
        (lambda: b"x" * 100_001, "x.txt", "It has more than 100,000 characters"),
        (lambda: docx(paragraph("x" * 40_000_000)), "x.docx", "It unpacks to more"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(make: Callable[[], bytes], name: str, reason: str) -> None:
    assert reason in why(make(), name)


def test_a_zip_file_is_no_docx() -> None:
    other = docx("").replace(b"word/document.xml", b"word/documenT.xml")
    assert "It is no PDF, DOCX" in why(other, "x.docx")


def test_a_docx_declares_no_entities() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document><w:body>&b;</w:body></w:document>'
    assert "the file is broken" in why(docx("", document=bomb), "x.docx")


@pytest.mark.parametrize("data", [b"%PDF-1.7 and nothing else", DOCUMENT[:200], b"PK\x03\x04"])
def test_a_broken_file_ends_the_process_that_reads_it_and_no_other(data: bytes) -> None:
    with pytest.raises(Unreadable, match="the file is broken"):
        read_document(data, "x", LIMITS)


def test_what_a_process_has_read_is_what_the_file_says() -> None:
    assert read_document(DOCUMENT, "x.docx", LIMITS) == read(DOCUMENT, "x.docx", LIMITS)


def test_reading_that_takes_too_long_is_ended() -> None:
    late = subprocess.TimeoutExpired("read", 30)
    with patch.object(documents.subprocess, "run", side_effect=late), pytest.raises(Unreadable, match="30 seconds"):
        read_document(b"x", "x", LIMITS)


def test_what_reads_a_file_is_told_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSITE_SECRET_KEY", "a secret")
    with patch.object(documents.subprocess, "run", wraps=subprocess.run) as run:
        read_document(b"x", "x", LIMITS)
    assert not any(name.startswith("MEMSITE_") for name in run.call_args.kwargs["env"])


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.socket().connect(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('localhost', 9)",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
    ],
)
def test_what_reads_a_file_reaches_nothing(attempt: str) -> None:
    code = f"from memories.providers.documents.formats import Limits, confine; confine(Limits(1, 1, 9)); {attempt}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=documents.ROOT)  # noqa: S603
    assert b"PermissionError" in done.stderr


def test_a_passage_has_whole_blocks_of_one_page_and_heading() -> None:
    blocks = [Block("a" * 300, 1, NETWORK), Block("b" * 300, 1, NETWORK), Block("c", 2, NETWORK), Block("d", 2, PORTS)]
    assert [(len(one.text), one.page, one.heading) for one in passages_of(blocks)] == [
        (601, 1, "Network"),
        (1, 2, "Network"),
        (1, 2, "Network › Ports"),
    ]


def test_a_long_block_is_cut_behind_a_sentence() -> None:
    passages = list(passages_of([Block("Whales sing in the sea. " * 100)]))
    assert {one.text[-4:] for one in passages} == {"sea."}
    assert max(len(one.text) for one in passages) <= MOST_CHARACTERS + LEAST_CHARACTERS


def test_a_word_without_an_end_is_cut_all_the_same() -> None:
    assert {len(one.text) for one in passages_of([Block("x" * 2 * MOST_CHARACTERS)])} == {MOST_CHARACTERS}


def test_a_passage_says_its_heading_once() -> None:
    contents = [one.content for one in passages_of([Block("Ports\n443", None, PORTS), Block("web", None, NETWORK)])]
    assert contents == ["Ports\n443", "Network\nweb"]
