"""A site: what it draws from, who labels, what it answers, what it remembers."""
