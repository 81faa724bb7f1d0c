"""What a client of the reference memory server asks for. `recorded_graph.json` is what version 2026.8.31 answered."""

from __future__ import annotations

from typing import Any

ALICE = {"name": "Alice", "entityType": "person", "observations": ["Likes tea", "Speaks Portuguese"]}
ACME = {"name": "Acme", "entityType": "organization", "observations": []}
CAFE = {"name": "Café Ñ", "entityType": "place", "observations": ["Größe: 10 m²"]}
WORKS = {"from": "Alice", "to": "Acme", "relationType": "works_at"}
SEEN = {"entityName": "Alice", "contents": ["Likes tea", "Lives in Porto"]}
UNSEEN = {"entityName": "Alice", "observations": ["Likes tea", "never said"]}
KNOWS = {"from": "Alice", "to": "Bob", "relationType": "knows"}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_graph", {}),
    ("create_entities", {"entities": [ALICE, ACME]}),
    ("create_entities", {"entities": [{**ALICE, "entityType": "robot"}, CAFE]}),
    ("create_relations", {"relations": [WORKS, KNOWS]}),
    ("create_relations", {"relations": [WORKS]}),
    ("add_observations", {"observations": [SEEN, {"entityName": "Acme", "contents": ["Makes anvils"]}]}),
    ("add_observations", {"observations": [{"entityName": "Nobody", "contents": ["x"]}]}),
    ("read_graph", {}),
    ("search_nodes", {"query": "ANVIL"}),
    ("search_nodes", {"query": "person"}),
    ("search_nodes", {"query": "nothing of the sort"}),
    ("open_nodes", {"names": ["Acme", "Nobody"]}),
    ("open_nodes", {"names": []}),
    ("delete_observations", {"deletions": [UNSEEN, {"entityName": "Nobody", "observations": ["x"]}]}),
    ("delete_relations", {"relations": [KNOWS, {**KNOWS, "to": "Nobody"}]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Acme", "Nobody"]}),
    ("read_graph", {}),
    ("create_entities", {"entities": []}),
]
