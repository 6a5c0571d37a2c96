"""Answers in words, one module for each page; a test can read them, which it could not in a template."""
