"""The client's names, fields and types are those of the server's own description."""

from __future__ import annotations

import inspect
import json
import typing
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from memsite_client import AsyncMemsite, Memsite, shapes
from tools.sync_client import TARGET, written

# Where the client's name for it is another one than the server's.
SERVERS_NAME = {
    "MemoryStored": "MemoryStored",
    "BatchAnswer": "BatchAnswer",
    "Deleted": "Deleted",
    "Context": "ContextAnswer",
    "SearchAnswer": "SearchAnswer",
    "ExplainedHit": "HitShown",
    "Hit": "HitShown",
    "SessionStarted": "SessionStarted",
    "SessionEnded": "SessionEnded",
    "JobsRun": "JobsRun",
    "Greeting": "Greeting",
    "TurnStored": "TurnStored",
    "Replay": "ReplayShown",
    "Recovered": "Recovered",
    "MessagesStored": "MessagesStored",
    "ExtractionQueued": "ExtractionQueued",
    "CaptureCounts": "CaptureCounts",
    "StreamReport": "StreamReport",
    "AgentWithKey": "AgentWithKey",
    "NewMemoryFields": "NewMemoryOnceRequest",
    "NewMemory": "NewMemoryOnceRequest",
    "MemoryFields": "NewMemoryOnceRequest",
    "MemoryChanges": "PatchedMemoryChangesRequest",
    "SearchOptions": "SearchQuestionRequest",
    "ContextOptions": "ContextQuestionRequest",
    "ContextMessage": "ContextMessageRequest",
    "NewSession": "NewSessionRequest",
    "Checkpoint": "CheckpointRequest",
    "Message": "MessageRequest",
    "KnownMessage": "MessageRequest",
    "TriggerFields": "NewTriggerRequest",
    "Counted": "Counted",
    "Reviewed": "Reviewed",
    "Decided": "Decided",
    "MemoryHeld": "MemoryHeld",
    "TaggedMemory": "MemoryTagged",
    "NewTriggerFields": "NewTriggerRequest",
    "TriggerChanges": "PatchedTriggerChangesRequest",
    "WebhookWithSecret": "WebhookWithSecret",
    "BridgeWithSecret": "BridgeWithSecret",
    "Secret": "Secret",
    "WebhookChanges": "PatchedWebhookChangesRequest",
    "DocumentFields": "UploadFormRequest",
    "FileFields": "UploadFormRequest",
    "Citation": "Citation",
    "NewCooldown": "NewCooldownRequest",
    "AgentChanges": "PatchedAgentChangesRequest",
    "AlertRuleChanges": "PatchedAlertRuleChangesRequest",
}
ARE_QUERIES = {"MemoryFilters", "Times"}
WITHOUT_METHOD = {
    "what people do by hand: the dashboard": """
    change_app_memories change_app_memory create_app_memory delete_app_memories delete_app_memory get_app_memory
    list_app_revisions merge_app_memories undo_app_memory overrule_rejection rewrite_category get_category_text
    get_category_version list_category_versions compare_category_versions preview_extraction""",
    "upkeep and figures: the dashboard, and `request` in scripts": """
    get_energy get_health_report get_health_report_as_text get_stats get_usage get_version list_extractions
    list_health_reports list_job_runs list_jobs list_purges retry_extraction retry_job_run run_job stop_job_run""",
    "a part of what a method answers": """
    get_alert_rule get_site_alert_rule get_trigger list_entity_memories list_keys""",
}
OWN_METHODS = {"search_all", "survey_import", "follow_changes"}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    generated: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return json.loads(json.dumps(generated, default=str))  # type: ignore[no-any-return]


SHAPES = {name: shape for name, shape in vars(shapes).items() if typing.is_typeddict(shape)}


@pytest.mark.parametrize("name", sorted(SHAPES.keys() - ARE_QUERIES))
def test_a_shape_has_no_field_that_the_server_does_not_know(schema: dict[str, Any], name: str) -> None:
    described = schema["components"]["schemas"]
    theirs = described.get(SERVERS_NAME.get(name, f"{name}Shown"))
    assert theirs is not None, f"the server describes nothing like {name}"
    assert typing.get_type_hints(SHAPES[name]).keys() <= theirs["properties"].keys()


def methods(client: type) -> dict[str, Any]:
    inherited = {"request", "create", "pages", "upload", "download", "patience", "close", "aclose"}
    results = inspect.getmembers(client, inspect.isfunction)
    return {name: method for name, method in results if not name.startswith("_") and name not in inherited}


def test_every_operation_has_a_method_of_its_name_or_a_reason_to_have_none(schema: dict[str, Any]) -> None:
    operations = {
        operation["operationId"]
        for path, item in schema["paths"].items()
        for operation in item.values()
        if path.startswith("/api/v1/") and isinstance(operation, dict) and "operationId" in operation
    }
    without = {name for names in WITHOUT_METHOD.values() for name in names.split()}
    assert methods(Memsite).keys() - operations == OWN_METHODS
    assert operations - methods(Memsite).keys() == without


def test_both_clients_take_the_same() -> None:
    def parameters_of(method: Any) -> list[tuple[str, Any]]:
        return [(name, parameter.default) for name, parameter in inspect.signature(method).parameters.items()]

    ours, theirs = methods(Memsite), methods(AsyncMemsite)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if parameters_of(ours[name]) != parameters_of(theirs[name])] == []


def test_the_synchronous_client_is_the_one_that_make_client_writes() -> None:
    assert TARGET.read_text() == written(), "run `make client`"
