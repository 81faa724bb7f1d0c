"""Language models, and the rules that answer without one. Plain Python: no Django."""
