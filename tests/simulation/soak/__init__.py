"""Whole runs of the protocol in real processes that are killed, with real files: ``make soak``.

A seed draws a federation, its sites, and what goes wrong. The operator is a process of its own that carries out
``fedpact run --resume`` on a home with a ledger in SQLite or PostgreSQL; it is killed with -9 and started again
until the run is over. The simulator (:mod:`simulation.simulate_world`) tries more worlds; here nothing is
made up but the sites and their mischief.
"""
