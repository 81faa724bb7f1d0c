"""Names by which clients say whose a text is: each is understood as ours, or refused with the right one.

A name that is ignored would store for everybody what was meant for one. Case, `_`, `-` and a plural do not matter.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

USER, SESSION, AGENT, APP, GROUP = "user_id", "session", "agent", "app", "group"
ALIASES: Mapping[str, str] = {
    USER: "user userid uid username useremail enduser enduserid customer customerid person personid owner ownerid"
    " member memberid actor actorid peer peerid account accountid contactid profileid",
    SESSION: "session sessionid run runid conversation conversationid thread threadid chat chatid channelid dialogid",
    AGENT: "agent agentid agentname assistantid botid",
    APP: "app appid appname application applicationid",
    GROUP: "project projectid projectname namespace workspace workspaceid repository repo group groupid team teamid"
    " tenant tenantid org orgid organization organizationid scope container containerid containertag bank bankid",
}
MEANINGS = {alias: meaning for meaning, aliases in ALIASES.items() for alias in aliases.split()}
WRAPPERS = ("filters", "filter", "context", "options", "params", "where", "identity")
"""Objects in which some clients put them."""
IN_METADATA = ("user_id", "userId", "userid", "user", "uid")
ELSEWHERE = {
    USER: "An id is enough for what has one; search, store and context take user_id.",
    SESSION: "context, store and feedback take session.",
}
SESSION_FIELDS = ("session_id", "external_id", "session")


class ScopeNameRefused(Exception):
    """A name that means a scope cannot be followed here; the text says which one can."""


def plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(".", "").casefold()


def meaning_of(name: str) -> str | None:
    """Return USER, SESSION, AGENT, APP or GROUP; None for a name that means no scope."""
    return MEANINGS.get(plain(name)) or MEANINGS.get(plain(name).removesuffix("s"))


def tag_of(name: str, value: str) -> str:
    """Return the tag that stands for a project, namespace or team: `project:acme`."""
    return f"{plain(name).removesuffix('id').removesuffix('name') or plain(name)}:{value}"


def scope_names_in(given: Mapping[str, Any], takes: Collection[str]) -> dict[str, Any]:
    """Return what `given` says of scopes by names that are not taken, also in an object such as `filters`."""
    unknown = {name: value for name, value in given.items() if name not in takes and value not in (None, "", [], {})}
    wrapped = (value for name, value in unknown.items() if name in WRAPPERS and isinstance(value, Mapping))
    inner = {name: value for item in wrapped for name, value in item.items() if value not in (None, "", [], {})}
    return {name: value for name, value in {**inner, **unknown}.items() if meaning_of(str(name))}


def with_our_names(
    given: Mapping[str, Any], takes: Collection[str], of_key: Mapping[str, str], where: str
) -> dict[str, Any]:
    """Return `given` with scopes under our names. ScopeNameRefused for one that `where` cannot follow.

    `takes` are the names that are taken there; `of_key` the agent and the app of the key, which may be repeated.
    A user of what is stored may be named in its `metadata`, too.
    """
    read = dict(given)
    for name, value in scope_names_in(given, takes).items():
        follow(read, name, value, takes, of_key, where)
    if where == "store" and not read.get(USER) and isinstance(about := read.get("metadata"), Mapping):
        read[USER] = next((about[name] for name in IN_METADATA if isinstance(about.get(name), str)), None)
    return read


def follow(
    read: dict[str, Any], name: str, value: Any, takes: Collection[str], of_key: Mapping[str, str], where: str
) -> None:
    meaning = meaning_of(name) or ""
    if isinstance(value, list) and len(value) == 1:
        [value] = value
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ScopeNameRefused(f"{name}: takes one text.")
    text = str(value)
    if meaning in (AGENT, APP):
        if text != of_key[meaning]:
            whose = f"the key names the {meaning}, {of_key[meaning]!r}"
            raise ScopeNameRefused(f"{name}: {whose}. Leave it out, or take that one's key.")
    elif meaning == GROUP:
        tag = tag_of(name, text)
        if "tags" not in takes or where == "update":
            raise ScopeNameRefused(f"{name}: {where} takes none. Store and search with tags: [{tag!r}].")
        read["tags"] = [*(labels(read.get("tags")) or []), tag]
    elif meaning not in takes:
        raise ScopeNameRefused(f"{name}: {where} takes no {meaning}. {ELSEWHERE[meaning]}")
    elif read.get(meaning) not in (None, "", value, text):
        raise ScopeNameRefused(f"{name} differs from {meaning}.")
    else:
        read[meaning] = text


def labels(value: Any) -> Any:
    """Return the list that a text of labels or ids means: `"docs, web"`, `"lint"`. Anything else stays."""
    if not isinstance(value, str):
        return value
    with suppress(ValueError, RecursionError):
        if isinstance(parsed := json.loads(value), list):
            return parsed
    return [part.strip() for part in value.split(",") if part.strip()]


def as_list(value: Any) -> Any:
    """Return one object, or one text, as the list that was asked for."""
    return [value] if isinstance(value, Mapping | str) and value != "" else value


def hint(name: str, known: Collection[str]) -> str:
    """Return which of the `known` fields is meant by a name that means a scope; empty for any other."""
    session = next((f" The session is {field}." for field in SESSION_FIELDS if field in known), "")
    advice = {
        USER: " The end user is user_id." if USER in known else "",
        SESSION: session,
        AGENT: " The key names the agent.",
        APP: " The key names the app.",
        GROUP: f" Take a tag, such as {tag_of(name, 'NAME')}." if "tags" in known else "",
    }
    return advice.get(meaning_of(name) or "", "")
