"""Keys: what operator and sites sign with, and what Flower and TLS know them by."""
