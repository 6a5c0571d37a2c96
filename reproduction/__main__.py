"""``python -m reproduction NAME``: run an experiment, or list them all."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import fedpact as fp
from reproduction.catalogue import list_experiments
from reproduction.page import write_results, write_text
from reproduction.read_settings import read_change, show_settings
from reproduction.sweep import reproduce

_KEPT = ("data", "seeds", "quick", "engine", "address", "workers", "settings", "store", "fresh")


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reproduction", description=__doc__)
    parser.add_argument("name", nargs="?", help="the experiment; all are listed without it")
    parser.add_argument("--quick", action="store_true", help="a small version, on embedded data without --data")
    parser.add_argument("--data", metavar="DIR", help='folder with the data, or "hub" to fetch them')
    parser.add_argument("--seeds", type=int, help="how many seeds, instead of what the settings say")
    parser.add_argument("--engine", default="local", help='"local", or "ray" for a Ray cluster')
    parser.add_argument("--address", metavar="HOST:PORT", help="of the Ray cluster; one of its own if not given")
    parser.add_argument("--workers", type=int, help="cells at once; all processors if not given")
    parser.add_argument("--settings", metavar="FILE", help="TOML with parameters of your own")
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="KEY=VALUE", help="one parameter"
    )
    parser.add_argument(
        "--show-settings", action="store_true", help="print every parameter as TOML, and do no more"
    )
    parser.add_argument("--store", metavar="DIR", help="where answers are kept; your cache if not given")
    parser.add_argument("--fresh", action="store_true", help="compute again what is kept")
    parser.add_argument("--out", type=Path, metavar="DIR", help="also write NAME.json, NAME.md and NAME.svg there")
    parser.add_argument("--json", action="store_true", help="print the JSON instead of the tables")
    return parser


def _say_command(asked: argparse.Namespace) -> str:
    """Write the command that gives the same results to anybody who has the data."""
    words = ["--quick"] if asked.quick else []
    words += [] if asked.seeds is None else ["--seeds", str(asked.seeds)]
    words += [] if asked.settings is None else ["--settings", Path(asked.settings).name]
    words += [word for change in asked.changes for word in ("--set", change)]
    words += [] if asked.data is None else ["--data", "DIR"]
    said = f"make reproduce NAME={asked.name}"
    return f'{said} ARGS="{shlex.join(words)}"' if words else said


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} cells", end="\n" if done == total else "", file=sys.stderr, flush=True)


def _run(asked: argparse.Namespace) -> None:
    if asked.name is None:
        print("\n".join(f"{name:24} {about}" for name, about in list_experiments().items()))
        return
    if asked.show_settings:
        print(show_settings(asked.name), end="")
        return
    if asked.out is not None and not asked.out.is_dir():
        raise fp.FederationError(f"out must be a folder; there is no folder {str(asked.out)!r}")
    changes = dict(map(read_change, asked.changes))
    options = {key: getattr(asked, key) for key in _KEPT}
    found = reproduce(asked.name, changes=changes, progress=_tell, **options)
    print(json.dumps(found, indent=1) if asked.json else write_text(found))
    if asked.out is not None:
        write_results(found | {"command": _say_command(asked)}, asked.out)


def main(words: Sequence[str] | None = None) -> int:
    """Run the program; what is wrong with the request is one line."""
    try:
        _run(_make_parser().parse_args(words))
    except fp.FedpactError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3 if isinstance(error, fp.InfeasibleError) else 1
    except KeyboardInterrupt:
        print("interrupted; what is computed is kept, and the same command goes on from there", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
