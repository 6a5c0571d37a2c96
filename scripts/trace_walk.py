"""Trace the walk of one federation through the files: how many it touches, and how often it goes to another.

    python scripts/trace_walk.py            # this checkout
    python scripts/trace_walk.py DIR        # another checkout, by the same tracer

Follows ``fedpact.plan`` on Alice and Bob, then ``fedpact plan alice-bob``, call by call and without the bodies of
modules. Prints files touched, switches between files, and modules of fedpact that are imported; with ``--files``
also how often the walk enters each file.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
WALKS = ("python", "command line")


class Walk:
    """The files that calls go to, in order."""

    def __init__(self, source: Path) -> None:
        self.source, self.entered, self._last = f"{source}{os.sep}", collections.Counter[str](), ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; what :func:`sys.setprofile` wants."""
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(self.source) and frame.f_code.co_name != "<module>":
            if path != self._last:
                self.entered[path.removeprefix(self.source)] += 1
            self._last = path


def follow(source: Path, walk: str) -> dict[str, Any]:
    """Walk in this process; fedpact comes from ``source``."""
    sys.path.insert(0, str(source.parent))
    import fedpact

    assert Path(fedpact.__file__).is_relative_to(source), f"fedpact is {fedpact.__file__}"
    seen = Walk(source)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        if walk == "python":
            sys.setprofile(seen)
            fedpact.plan(fedpact.examples.alice_bob())
        else:
            from fedpact.cli import main

            sys.argv = ["fedpact", "plan", "alice-bob"]
            sys.setprofile(seen)
            main()
    sys.setprofile(None)
    modules = sum(name.partition(".")[0] == "fedpact" for name in sys.modules)
    return {"entered": dict(seen.entered.most_common()), "modules": modules}


def main() -> None:
    """Follow both walks, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--files", action="store_true", help="also list how often each file is entered")
    parser.add_argument("--walk", choices=WALKS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    source = asked.checkout.resolve() / "src" / "fedpact"
    if asked.walk:
        print(json.dumps(follow(source, asked.walk)))
        return
    for walk in WALKS:
        command = [sys.executable, __file__, str(asked.checkout), "--walk", walk]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        entered = found["entered"]
        counts = f"{len(entered)} files, {sum(entered.values()):,} switches, {found['modules']} modules imported"
        print(f"{walk}: {counts}")
        for path, count in entered.items() if asked.files else ():
            print(f"  {count:5}  {path}")


if __name__ == "__main__":
    main()
