"""Runs an agent's program with memory: told before it starts, heard while it speaks. `memsite run`, `run_session`."""
