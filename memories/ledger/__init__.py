"""What the server spends, and whether it may."""
