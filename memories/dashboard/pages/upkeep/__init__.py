"""What the server does by itself, what it could not do, and what waits for somebody's decision."""
