"""Anthropic's memory tool on our store: exact replies, nothing outside of /memories."""

from itertools import product
from typing import Any

from memories.models import Memory
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_caller
from tests.tables import each_row


def run(caller: Caller, command: str, user: str = "", **fields: Any) -> Any:
    address = "/compat/memory-tool" + (f"?user_id={user}" if user else "")
    return caller.client.post(address, {"command": command, **fields})


def tell(caller: Caller, command: str, user: str = "", **fields: Any) -> str:
    answer = run(caller, command, user, **fields)
    assert (answer.status_code, answer.json()["is_error"]) == (200, False), answer.content
    return str(answer.json()["content"])


def refused(caller: Caller, command: str, **fields: Any) -> str:
    answer = run(caller, command, **fields)
    assert (answer.status_code, answer.json()["is_error"]) == (200, True), answer.content
    return str(answer.json()["content"])


NOTES = "/memories/notes.md"


def test_a_file_is_written_and_read_line_by_line(alice: Caller) -> None:
    text = "  indented\n\nlast line\n"
    assert tell(alice, "create", path=NOTES, file_text=text) == f"File created successfully at: {NOTES}"
    assert tell(alice, "view", path=NOTES) == (
        f"Here's the content of {NOTES} with line numbers:\n     1\t  indented\n     2\t\n     3\tlast line\n     4\t"
    )
    assert tell(alice, "view", path=NOTES, view_range=[2, 3]).endswith(":\n     2\t\n     3\tlast line")
    assert tell(alice, "view", path=NOTES, view_range=[3, -1]).endswith(":\n     3\tlast line\n     4\t")


def test_a_folder_shows_two_levels_and_nothing_hidden(alice: Caller) -> None:
    assert tell(alice, "view", path="/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n0B\t/memories"
    )
    sizes = {"b.txt": 1536, "a/c.txt": 5, "a/d/e.txt": 1024, "a/d/f/g.txt": 1, ".hidden/x": 1, "a/.env": 1}
    for path, size in sizes.items():
        tell(alice, "create", path=f"/memories/{path}", file_text="x" * size)
    assert tell(alice, "view", path="/memories").split("\n")[1:] == [
        "2.5K\t/memories",
        "1.0K\t/memories/a/",
        "5B\t/memories/a/c.txt",
        "1.0K\t/memories/a/d/",
        "1.5K\t/memories/b.txt",
    ]
    assert tell(alice, "view", path="/memories/a/d").split("\n")[1:] == [
        "1.0K\t/memories/a/d",
        "1K\t/memories/a/d/e.txt",
        "1B\t/memories/a/d/f/",
        "1B\t/memories/a/d/f/g.txt",
    ]


def test_a_text_is_replaced_where_it_stands_once(alice: Caller) -> None:
    tell(alice, "create", path=NOTES, file_text="one\ntwo\nthree\nfour\nfive\nsix\ntwo two")
    assert refused(alice, "str_replace", path=NOTES, old_str="seven", new_str="") == (
        f"No replacement was performed, old_str `seven` did not appear verbatim in {NOTES}."
    )
    assert refused(alice, "str_replace", path=NOTES, old_str="two", new_str="2") == (
        "No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 7, 7. "
        "Please ensure it is unique"
    )
    assert tell(alice, "str_replace", path=NOTES, old_str="four", new_str="4\n4") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\ttwo\n     3\tthree\n     4\t4\n     5\t4\n     6\tfive"
    )
    assert tell(alice, "str_replace", path=NOTES, old_str="4\n4\n").endswith(
        "     3\tthree\n     4\tfive\n     5\tsix\n     6\ttwo two"
    )


def test_lines_are_inserted_between_others(alice: Caller) -> None:
    tell(alice, "create", path=NOTES, file_text="one\ntwo\n")
    assert refused(alice, "insert", path=NOTES, insert_line=3, insert_text="x") == (
        "Invalid `insert_line` parameter: 3. It should be within the range [0, 2]."
    )
    assert (
        tell(alice, "insert", path=NOTES, insert_line=0, insert_text="zero\n") == f"The file {NOTES} has been edited."
    )
    tell(alice, "insert", path=NOTES, insert_line=3, insert_text="three")
    displayed = tell(alice, "view", path=NOTES)
    assert [line[7:] for line in displayed.split("\n")[1:]] == ["zero", "one", "two", "three", ""]


def test_files_and_folders_are_renamed_and_deleted(alice: Caller) -> None:
    for name in ("a/one", "a/b/two", "three"):
        tell(alice, "create", path=f"/memories/{name}", file_text=name)
    assert refused(alice, "rename", old_path="/memories/three", new_path="/memories/a") == (
        "The destination /memories/a already exists"
    )
    assert refused(alice, "rename", old_path="/memories/no", new_path="/memories/x") == (
        "The path /memories/no does not exist"
    )
    moved = tell(alice, "rename", old_path="/memories/a", new_path="/memories/z/y")
    assert moved == "Successfully renamed /memories/a to /memories/z/y"
    assert tell(alice, "view", path="/memories/z/y/b/two").endswith("\ta/b/two")
    assert refused(alice, "delete", path="/memories") == "Cannot delete the /memories directory itself"
    assert tell(alice, "delete", path="/memories/z") == "Successfully deleted /memories/z"
    assert refused(alice, "delete", path="/memories/z") == "The path /memories/z does not exist"
    assert Memory.objects.count() == 1


@each_row(
    "command, fields, text",
    [
        ("view", {"path": "/memories/no"}, "The path /memories/no does not exist. Please provide a valid path."),
        ("create", {"path": NOTES, "file_text": "x"}, f"File {NOTES} already exists"),
        ("create", {"path": f"{NOTES}/x", "file_text": "x"}, f"The path {NOTES} is not a directory"),
        ("create", {"path": "/memories", "file_text": "x"}, "File /memories already exists"),
        ("str_replace", {"path": "/memories", "old_str": "a"}, "The path /memories is not a file."),
        (
            "insert",
            {"path": "/memories/no", "insert_line": 0, "insert_text": "x"},
            "The path /memories/no does not exist. Please provide a valid path.",
        ),
        (
            "rename",
            {"old_path": "/memories", "new_path": "/memories/x/y"},
            "The path /memories cannot be moved into itself",
        ),
    ],
    rolled_back=True,
)
def test_what_cannot_be_done_is_told(alice: Caller, command: str, fields: dict[str, Any], text: str) -> None:
    tell(alice, "create", path=NOTES, file_text="there")
    assert refused(alice, command, **fields) == text
    assert tell(alice, "view", path=NOTES).endswith("     1\tthere")


@each_row(
    "path, command",
    product(
        [
            "/etc/passwd",
            "",
            "memories/x",
            "/memories/..",
            "/memories/../etc/passwd",
            "/memories/a/../../x",
            "/memoriesx/y",
            "/memories/%2e%2e/%2e%2e/etc",
            "/memories/..\\..\\etc",
            "/memories/%2e%2e%2fetc",
            "/memories\\..\\x",
        ],
        ["view", "create", "delete", "rename"],
    ),
    rolled_back=True,
)
def test_no_path_leads_out_of_the_folder(alice: Caller, command: str, path: str) -> None:
    fields = {"path": path, "file_text": "x"} if command != "rename" else {"old_path": "/memories/x", "new_path": path}
    answer = refused(alice, command, **({"path": path} if command in ("view", "delete") else fields))
    assert answer in (f"Path must start with /memories, got: {path}", f"Path {path} would escape /memories directory")
    assert not Memory.objects.exists()


def test_a_path_in_other_words_is_the_same_file(alice: Caller) -> None:
    tell(alice, "create", path="/memories//a/./b/../c.txt", file_text="x")
    assert "     1\tx" in tell(alice, "view", path="/memories/a/c.txt")


def test_files_are_found_by_search_and_kept_out_of_upkeeps_way(alice: Caller) -> None:
    tell(alice, "create", path=NOTES, file_text="Jellyfin takes 60s to start\n" + "x " * 3000)
    (hit,) = alice.post("memories/search", {"query": "how long does jellyfin take to start"}).json()["results"]
    assert hit["content"].startswith("Jellyfin takes 60s to start")
    row = Memory.objects.get()
    assert (row.pinned, row.visibility, row.subject) == (True, "agent", NOTES)
    tell(alice, "str_replace", path=NOTES, old_str="60s", new_str="90s")
    row.refresh_from_db()
    assert row.content.startswith("Jellyfin takes 90s")
    assert len(tell(alice, "view", path=NOTES)) > 6000


def test_secrets_and_private_parts_are_not_kept(alice: Caller) -> None:
    tell(alice, "create", path=NOTES, file_text="  <private>mine</private>\npassword: hunter2hunter2\n")
    displayed = tell(alice, "view", path=NOTES)
    assert "mine" not in displayed
    assert "hunter2" not in displayed
    assert "hunter2" not in str(list(Memory.objects.values()))


def test_each_agent_and_each_end_user_has_files_of_its_own(alice: Caller, bob: Caller, charlie: Caller) -> None:
    for caller in (alice, bob, charlie):
        tell(caller, "create", path=NOTES, file_text=caller.agent.name)
    for user in ("u1", "u2"):
        tell(alice, "create", user, path=NOTES, file_text=user)
    for caller in (alice, bob, charlie):
        assert tell(caller, "view", path=NOTES).endswith(f"\t{caller.agent.name}")
    assert tell(alice, "view", "u1", path=NOTES).endswith("\tu1")
    tell(alice, "delete", path=NOTES)
    assert tell(alice, "view", "u2", path=NOTES).endswith("\tu2")
    assert tell(bob, "view", path=NOTES).endswith("\tbob")


def test_a_reading_key_may_look_and_no_more(alice: Caller) -> None:
    reader = make_caller(alice.app, "reader", ("read",))
    assert "/memories" in tell(reader, "view", path="/memories")
    assert_problem(run(reader, "create", path=NOTES, file_text="x"), 403)


@each_row(
    "body, text",
    [
        ({}, "command: This field is required."),
        ({"command": "explode"}, "command: One of view, create, str_replace, insert, delete, rename."),
        ({"command": "create", "path": NOTES}, "file_text: create needs it."),
        ({"command": "create", "path": NOTES, "file_text": "x" * 200_001}, "file_text: "),
        ({"command": "insert", "path": NOTES, "insert_line": "3", "insert_text": "x"}, "insert_line: "),
        ({"command": "view", "path": 5}, "path: Not a valid string."),
        ({"command": "view", "path": NOTES, "view_range": [1]}, "view_range: "),
        ({"command": "view", "path": NOTES, "x": 1}, "x: Unknown field."),
    ],
    rolled_back=True,
)
def test_what_is_no_command_is_told_the_model_which_wrote_it(alice: Caller, body: dict[str, Any], text: str) -> None:
    answer = alice.client.post("/compat/memory-tool", body)
    assert (answer.status_code, answer.json()["is_error"]) == (200, True)
    assert answer.json()["content"].startswith(text)
    assert not Memory.objects.exists()


def test_what_is_no_json_is_the_programs_fault(alice: Caller) -> None:
    assert_problem(alice.client.post("/compat/memory-tool", b"{", content_type="application/json"), 400)
    assert_problem(alice.client.post("/compat/memory-tool?nobody=x", {"command": "view", "path": NOTES}), 400)
