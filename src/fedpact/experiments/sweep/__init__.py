"""Sweeps: an experiment is cut into cells, which are computed anywhere, kept, and put together again."""
