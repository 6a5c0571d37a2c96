"""The paper's experiments and our own, computed with the public names of fedpact.

``python -m reproduction NAME``, or ``make reproduce NAME=planner-table``: one TOML in (``settings/NAME.toml``),
one JSON out (``docs/results/NAME.json``), with a page and a figure that are written from the JSON alone.
"""
