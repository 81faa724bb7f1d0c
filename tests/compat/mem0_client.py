"""Run by mem0's own Python, with its client: does what a program does, prints what it saw."""

import json
import os
import sys

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import MemoryClient
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError


def main(host: str, key: str) -> None:
    client = MemoryClient(api_key=key, host=host)
    output = [
        {"role": "user", "content": "I am vegan and I live in Porto."},
        {"role": "assistant", "content": "Noted."},
    ]
    saw = {"added": client.add(output, user_id="alice", run_id="r1", metadata={"source": "chat"})}
    saw["verbatim"] = client.add("Whales sing at night", user_id="alice", infer=False)
    client.add("Bears sleep in winter", filters={"user_id": "bob"}, infer=False)
    saw["all"] = client.get_all(filters={"user_id": "alice"})
    saw["page"] = client.get_all(filters={"user_id": "alice"}, page=2, page_size=1)
    saw["found"] = client.search("what do whales do at night?", filters={"user_id": "alice"})
    saw["of_run"] = client.get_all(filters={"AND": [{"user_id": "alice"}, {"run_id": "r1"}]})
    uid = saw["verbatim"]["results"][0]["id"]
    saw["got"] = client.get(uid)
    saw["updated"] = client.update(uid, text="Whales sing at dawn", metadata={"a": 1})
    saw["history"] = client.history(uid)
    saw["users"] = client.users()
    saw["deleted"] = client.delete(uid)
    saw["errors"] = [
        refusal(client.get, uid),
        refusal(client.delete, "no-id"),
        refusal(client.add, "x"),
        refusal(client.search, "x", filters={"memory": {"icontains": "x"}}),
        refusal(MemoryClient, api_key="mst_wrong", host=host),
    ]
    saw["deleted_all"] = client.delete_all(user_id="alice")
    client.delete_all(user_id="bob", metadata={"source": "chat"})
    saw["left"] = [client.get_all(filters={"user_id": name})["count"] for name in ("alice", "bob")]
    client.delete_all(filters={"user_id": "bob"})
    saw["left"].append(client.get_all(filters={"user_id": "bob"})["count"])
    json.dump(saw, sys.stdout)


def refusal(call, *args, **options) -> str:
    try:
        call(*args, **options)
    except (AuthenticationError, MemoryNotFoundError, ValidationError, ValueError) as error:
        return type(error).__name__
    return "none"


main(*sys.argv[1:])
