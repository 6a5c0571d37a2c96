"""The operator: what it knows, what it does next, what it writes down, what it pays."""
