"""What happened next: feedback on what was shown, and what is to come."""
