"""Labelling that asks only what matters: which candidate each site should use, proved from few labels."""
