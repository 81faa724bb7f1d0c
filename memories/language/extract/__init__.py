"""Find statements in what people and agents say: sentences, clauses, who is meant, and whether it is worth keeping."""
