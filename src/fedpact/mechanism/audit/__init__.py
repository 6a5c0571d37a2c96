"""Audits: the search for misreports that pay."""
