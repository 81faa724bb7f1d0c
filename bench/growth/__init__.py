"""What searches and writes cost in apps of so many memories, on SQLite and on PostgreSQL."""
