"""The memories of an app: a table that keeps itself up to date, and what one does in it."""
