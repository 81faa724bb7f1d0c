"""Revisions are never changed, and go only with a purge; nothing joins two apps."""

from django.db import migrations

from memsite.tenancy.append_only import AppendOnly, SameApp


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0001_memories_vectors_revisions_links"),
        ("agent_sessions", "0002_append_only"),
    ]

    operations = [
        AppendOnly("memories_revision"),
        SameApp("memories_memory", "agent_id", "tenancy_agent"),
        SameApp("memories_memory", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_memory", "resource_id", "agent_sessions_resource"),
        SameApp("memories_vector", "memory_id", "memories_memory"),
        SameApp("memories_revision", "memory_id", "memories_memory"),
        SameApp("memories_link", "from_memory_id", "memories_memory"),
        SameApp("memories_link", "to_memory_id", "memories_memory"),
        SameApp("memories_injection", "memory_id", "memories_memory"),
        SameApp("memories_injection", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_rejection", "session_id", "agent_sessions_agentsession"),
        SameApp("memories_rejection", "resource_id", "agent_sessions_resource"),
    ]
