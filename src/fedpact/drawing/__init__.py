"""Figures: plain values in, a matplotlib figure out."""
