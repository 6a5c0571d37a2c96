"""What was agreed, answered and decided, in one chain of entries that nobody can change unseen."""
