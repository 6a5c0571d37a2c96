"""How results show themselves: a table in plain values becomes text, HTML, or a DataFrame."""
