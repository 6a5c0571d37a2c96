"""The paper's claims, computed."""
