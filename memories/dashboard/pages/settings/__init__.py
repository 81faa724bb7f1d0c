"""What is allowed in an app, to whom, and what has been changed about that."""
