"""Tools as plain functions: listed with the schema of their arguments, called with what a model made of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import mcp_types as mcp
import orjson
import structlog
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata
from pydantic import TypeAdapter, ValidationError

from memories.api.base import agent_of, check_scope
from memories.api.fields import app_zone
from memories.api.scope_names import AGENT, APP, ScopeNameRefused, scope_names_in, with_our_names
from memories.learn.trigger_span import WrongTrigger
from memories.services import BothSuperseded, ForeignSession, MemoryAgent
from memories.store import LimitReached
from memsite.http.json_body import dump_json
from memsite.http.problems import BROKEN, as_api_exception, explain
from memsite.tenancy.authentication import Principal
from memsite.tenancy.models import Scope

Work = Callable[..., "dict[str, Any] | ToolAnswer"]
log = structlog.get_logger("memories.mcp")


@dataclass(frozen=True)
class ToolContext:
    """Who calls: `agent` are the services for the app of the caller's key, made when they are first used.

    `root` is the server's own address, for tools that tell one.
    """

    caller: Principal
    root: str = ""

    @cached_property
    def agent(self) -> MemoryAgent:
        return agent_of(self.caller)

    @property
    def of_key(self) -> dict[str, str]:
        """Return the names of the agent and the app of the key."""
        assert self.caller.app is not None, "the endpoint refuses operators"
        assert self.caller.agent is not None, "the endpoint refuses operators"
        return {AGENT: self.caller.agent.name, APP: self.caller.app.app_id}


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer whose text differs from its document. `more` is a further text."""

    text: str
    document: Any = None
    more: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. `work` is called with the context and the arguments."""

    listed: mcp.Tool
    scope: Scope
    arguments: FuncMetadata
    work: Work


@dataclass(eq=False)
class Toolbox:
    """Tools by name. Where it `keeps_apart_nobody`, no part of an argument may name a user, either."""

    keeps_apart_nobody: bool = False
    tools: dict[str, Tool] = field(default_factory=dict)

    def reads(self, title: str, *, answers: Any = None) -> Callable[[Work], Work]:
        """Register a tool that changes nothing. `answers` is the type of its document, if clients should know it."""
        return self.adding(title, Scope.READ, answers, read_only=True, idempotent=True)

    def writes(
        self,
        title: str,
        *,
        only_adds: bool = False,
        destroys: bool = False,
        repeatable: bool = False,
        answers: Any = None,
    ) -> Callable[[Work], Work]:
        """Register a tool that changes something, or `only_adds` to what is there."""
        scope = Scope.CREATE if only_adds else Scope.WRITE
        return self.adding(title, scope, answers, destructive=destroys, idempotent=repeatable)

    def adding(
        self,
        title: str,
        scope: Scope,
        answers: Any,
        *,
        read_only: bool = False,
        destructive: bool = False,
        idempotent: bool,
    ) -> Callable[[Work], Work]:
        hints = mcp.ToolAnnotations(
            title=title,
            read_only_hint=read_only,
            destructive_hint=destructive,
            idempotent_hint=idempotent,
            open_world_hint=False,
        )

        def add(work: Work) -> Work:
            arguments = func_metadata(work, skip_names=["ctx"], structured_output=False)
            listed = mcp.Tool(
                name=work.__name__.rstrip("_"),
                title=title,
                description=" ".join((work.__doc__ or "").split()),
                input_schema=plain_schema(arguments.arg_model.model_json_schema(by_alias=True)),
                output_schema=plain_schema(TypeAdapter(answers).json_schema()) if answers else None,
                annotations=hints,
            )
            self.tools[listed.name] = Tool(listed, scope, arguments, work)
            return work

        return add

    def call(self, ctx: ToolContext, name: str, given: Mapping[str, Any]) -> mcp.CallToolResult:
        """Call a tool. An error is returned in the result, so that the model can correct it."""
        tool = self.tools.get(name)
        if tool is None:
            return failed(f"There is no tool {name!r}. There are: {', '.join(self.tools)}.")
        try:
            given = self.with_scopes(ctx, tool, given)
            check_scope(ctx.caller, tool.scope)
            # Models fill in all arguments: null, "", and 0 of optional ones that begin at 1 mean nothing.
            schema = tool.listed.input_schema
            required = schema.get("required", ())
            from_one = {argument for argument, field in schema["properties"].items() if field.get("minimum") == 1}
            meant = {
                argument: value
                for argument, value in given.items()
                if argument in required or not (value in (None, "") or (value in (0, "0") and argument in from_one))
            }
            app_zone.set(ctx.agent.app.policy.time_zone)
            answer = tool.work(ctx, **tool.arguments.validate_arguments(meant))
        except ScopeNameRefused as refusal:
            return failed(str(refusal))
        except ValidationError as error:
            wrong = [(".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()[:5]]
            return failed("; ".join(f"{path.removeprefix('field_')}: {message}" for path, message in wrong))
        except Exception as error:
            return failed(error_text(error, name))
        # The document in both forms: as text for models, as an object for programs.
        document = answer.document if isinstance(answer, ToolAnswer) else answer
        encoded = dump_json(document)
        text = answer.text if isinstance(answer, ToolAnswer) else encoded.decode()
        structured = None if document is None else orjson.loads(encoded)
        texts = [text, answer.more] if isinstance(answer, ToolAnswer) and answer.more else [text]
        content: list[Any] = [mcp.TextContent(type="text", text=text) for text in texts]
        return mcp.CallToolResult(content=content, structured_content=structured)

    def with_scopes(self, ctx: ToolContext, tool: Tool, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments with scopes under our names. ScopeNameRefused for one that cannot be followed."""
        takes = tool.listed.input_schema["properties"].keys()
        if self.keeps_apart_nobody and (name := next(iter(names_inside(given, takes)), None)):
            raise ScopeNameRefused(f"{name}: what is stored here is shared by all agents of the app. Leave it out.")
        return with_our_names(given, takes, ctx.of_key, tool.listed.name)


def names_inside(given: Mapping[str, Any], takes: Collection[str]) -> list[str]:
    """Return the names that mean a scope, of arguments and of the objects in them."""
    lists = [value if isinstance(value, list) else [value] for value in given.values()]
    items = [item for some in lists for item in some if isinstance(item, Mapping)]
    return [*scope_names_in(given, takes), *(name for item in items for name in scope_names_in(item, ()))]


def plain_schema(node: Any) -> Any:
    """Return the schema without what a model does not need: every session of every client reads it.

    That is titles, defaults of null, and null for optional arguments.
    """
    if isinstance(node, list):
        return [plain_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "anyOf" in node and {"type": "null"} in node["anyOf"] and len(node["anyOf"]) == 2:
        (other,) = (choice for choice in node["anyOf"] if choice != {"type": "null"})
        return plain_schema({**other, **{name: value for name, value in node.items() if name != "anyOf"}})
    properties = {name: plain_schema(value) for name, value in node.get("properties", {}).items()}
    schema = {name: plain_schema(value) for name, value in node.items() if name not in ("properties", "title")}
    if schema.get("default", "") is None:
        del schema["default"]
    return schema | ({"properties": properties} if "properties" in node else {})


def error_text(error: Exception, name: str) -> str:
    """Return one sentence about an error; of an unexpected one only that it happened."""
    if isinstance(error, LimitReached | BothSuperseded | ForeignSession):
        return str(error)
    if isinstance(error, WrongTrigger):
        return f"{error.field}: {error.reason}"
    known = as_api_exception(error)
    if known is None:
        log.exception("tool_failed", tool=name)
        return BROKEN
    seconds = getattr(known, "wait", None)
    return explain(known)[0] + (f" Try again in {seconds:.0f} seconds." if seconds else "")


def failed(text: str) -> mcp.CallToolResult:
    return mcp.CallToolResult(content=[mcp.TextContent(type="text", text=text)], is_error=True)
