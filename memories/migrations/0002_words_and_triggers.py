from django.db import migrations

from memories.models.fulltext import AtOnce
from memsite.tenancy.append_only import Anew, SameApp


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial")]
    operations = [
        AtOnce(),
        Anew(SameApp("memories_memory", "agent_id", "tenancy_agent")),
        Anew(SameApp("memories_memory", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("memories_memory", "resource_id", "agent_sessions_resource")),
        Anew(SameApp("memories_vector", "memory_id", "memories_memory")),
        Anew(SameApp("memories_revision", "memory_id", "memories_memory")),
        Anew(SameApp("memories_link", "from_memory_id", "memories_memory")),
        Anew(SameApp("memories_link", "to_memory_id", "memories_memory")),
        Anew(SameApp("memories_injection", "memory_id", "memories_memory")),
        Anew(SameApp("memories_injection", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("memories_rejection", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("memories_rejection", "resource_id", "agent_sessions_resource")),
        Anew(SameApp("memories_mention", "entity_id", "memories_entity")),
        Anew(SameApp("memories_mention", "memory_id", "memories_memory")),
        Anew(SameApp("memories_passage", "summary_id", "memories_summary")),
        Anew(SameApp("memories_passage", "memory_id", "memories_memory")),
        Anew(SameApp("memories_extraction", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("memories_extraction", "resource_id", "agent_sessions_resource")),
        Anew(SameApp("memories_futuretrigger", "agent_id", "tenancy_agent")),
        Anew(SameApp("memories_futuretrigger", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("memories_futuretrigger", "resource_id", "agent_sessions_resource")),
        Anew(SameApp("memories_preload", "trigger_id", "memories_futuretrigger")),
        Anew(SameApp("memories_preload", "memory_id", "memories_memory")),
        Anew(SameApp("memories_ledgerentry", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("memories_rejection", "memory_id", "memories_memory")),
        Anew(SameApp("memories_coldtext", "memory_id", "memories_memory")),
        Anew(SameApp("memories_importpart", "of_id", "memories_import")),
        Anew(SameApp("memories_forgotten", "agent_id", "tenancy_agent")),
        Anew(SameApp("memories_delivery", "webhook_id", "memories_webhook")),
        Anew(SameApp("memories_bridge", "agent_id", "tenancy_agent")),
        Anew(SameApp("memories_rejection", "edits_id", "memories_memory")),
        Anew(SameApp("memories_rejection", "agent_id", "tenancy_agent")),
    ]
