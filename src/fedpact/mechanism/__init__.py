"""Payments, audits and checks that keep reports honest."""
