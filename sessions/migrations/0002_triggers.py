from django.db import migrations

from memsite.tenancy.append_only import Anew, SameApp


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0001_initial")]
    operations = [
        Anew(SameApp("agent_sessions_agentsession", "agent_id", "tenancy_agent")),
        Anew(SameApp("agent_sessions_turn", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("agent_sessions_resource", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("agent_sessions_event", "session_id", "agent_sessions_agentsession")),
        Anew(SameApp("agent_sessions_cooldown", "agent_id", "tenancy_agent")),
        Anew(SameApp("agent_sessions_cooldown", "session_id", "agent_sessions_agentsession")),
    ]
