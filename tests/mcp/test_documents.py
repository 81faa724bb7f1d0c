"""Documents by the tools of `/mcp`."""

from base64 import b64encode
from uuid import uuid4

from tests.conftest import Caller
from tests.documents import pdf, read_all
from tests.mcp.asking import refused, use

ROUTER = "# Network\n\nThe router hands out addresses from 10.0.0.0/24.\n"


def test_a_document_is_added_found_and_forgotten(alice: Caller) -> None:
    uid = use(alice, "add_document", name="router.md", content=ROUTER)["id"]
    read_all(alice)
    (hit,) = use(alice, "search", query="which addresses does the router hand out")["memories"]
    assert (hit["quoted_from"], hit["document_id"]) == ("router.md, Network", uid)
    assert use(alice, "forget", ids=[uid]) == {"deleted_count": 1}
    assert use(alice, "documents")["documents"] == []


def test_a_context_quotes_it(alice: Caller) -> None:
    use(alice, "add_document", name="router.md", content=ROUTER)
    read_all(alice)
    context = use(alice, "context", query="which addresses does the router hand out")
    assert "10.0.0.0/24" in context["text"].partition("## Quoted from documents")[2]


def test_the_bytes_of_a_file_come_in_base64(alice: Caller) -> None:
    data = b64encode(pdf("The router hands out addresses.")).decode()
    uid = use(alice, "add_document", name="router.pdf", content=data)["id"]
    read_all(alice)
    assert use(alice, "documents", id=uid)["said"] == [
        {"quoted_from": "router.pdf, page 1", "content": "The router hands out addresses."}
    ]


def test_what_is_not_base64_is_refused(alice: Caller) -> None:
    assert "Not base64" in refused(alice, "add_document", name="router.pdf", content="%PDF")


def test_a_document_is_replaced_by_its_id(alice: Caller) -> None:
    uid = use(alice, "add_document", name="router.md", content=ROUTER)["id"]
    assert use(alice, "add_document", name="new.md", content="# New\n\nText.", id=uid)["id"] == uid
    read_all(alice)
    (row,) = use(alice, "documents")["documents"]
    assert (row["name"], row["status"], row["passages"]) == ("new.md", "ready", 1)


def test_its_passages_are_told_page_by_page(alice: Caller) -> None:
    uid = use(alice, "add_document", name="x.md", content="\n".join(f"# {n}\n\ntext {n}" for n in range(21)))["id"]
    read_all(alice)
    first = use(alice, "documents", id=uid)
    rest = use(alice, "documents", id=uid, cursor=first["next"])
    assert [passage["quoted_from"] for passage in first["said"] + rest["said"]] == [f"x.md, {n}" for n in range(21)]
    assert "next" not in rest


def test_another_apps_document_is_as_none_at_all(alice: Caller, charlie: Caller) -> None:
    uid = use(charlie, "add_document", name="router.md", content=ROUTER)["id"]
    refusals = {refused(alice, "documents", id=uid_of_other) for uid_of_other in (uid, str(uuid4()))}
    assert refusals == {"There is nothing with this id."}
    assert use(alice, "forget", ids=[uid]) == {"deleted_count": 0}
