"""What is known, in other shapes than a list: written down by category, as a graph, as lessons, as days to come."""
