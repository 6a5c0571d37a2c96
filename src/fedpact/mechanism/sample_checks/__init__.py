"""Checks of what a site contributed against what it reported."""
