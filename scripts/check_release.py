"""Build a wheel and a source archive into dist/, install them where nothing else is, and use what was installed.

    python scripts/check_release.py [--python NAME]... [--extra NAME]... [--tests NAME]...

Every Python that is named (or found: python3.11 to 3.13) gets an environment without extras, and one in which a
part of the tests runs; the first of them then one from the source archive, one with the newest of everything, one
for each extra, and one for all extras. ``--extra`` and ``--tests`` check some of that alone. What was seen is kept
in docs/results/release.json, and release.md is written from it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from extra_uses import START, USES
from results_pages import keep, read
from time_start import ROUNDS, time_start

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = tuple(PROJECT["optional-dependencies"])
OTHERWISE = {"archive": "from the archive", "newest": "newest"}
PYTHONS = ("python3.11", "python3.12", "python3.13")
IN_SDIST = ("src", "tests", "fuzz", "reproduction", "examples", "docs", "scripts", "benchmarks")
BESIDE = (
    "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "constraints.txt",
    "mkdocs.yml", "pyproject.toml",
)  # fmt: skip
TESTS = (
    "describe", "planning/test_plan.py", "planning/test_exact.py", "statistics/test_verification.py", "game",
    "mechanism/payment", "cli/test_commands.py", "cli/test_complete.py", "test_paper.py", "test_public_names.py",
)  # fmt: skip


def run(*words: str | Path, folder: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program outside of the checkout, without what the environment says about Python's paths."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=env, capture_output=True, text=True, check=False, **options
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def install(python: Path, *what: str | Path, folder: Path, newest: bool = False) -> float:
    """Install with the tested versions, or the newest there are; returns the seconds."""
    began = time.perf_counter()
    tested = () if newest else ("-c", ROOT / "constraints.txt")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *tested, *what, folder=folder)
    run(python, "-m", "pip", "check", folder=folder)
    return time.perf_counter() - began


def make_environment(python: str, place: Path) -> Path:
    """Make an empty environment; returns its Python."""
    run(python, "-m", "venv", place, folder=place.parent)
    return place / "bin" / "python"


def build(folder: Path) -> tuple[Path, Path]:
    """Build the source archive, and the wheel from it."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    tools = make_environment(sys.executable, folder / "tools")
    run(tools, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build", folder=folder)
    run(tools, "-m", "build", "--outdir", ROOT / "dist", ROOT, folder=folder)
    (wheel,), (sdist,) = (list((ROOT / "dist").glob(ending)) for ending in ("*.whl", "*.tar.gz"))
    return wheel, sdist


def list_files(*places: str) -> set[str]:
    """List the files of the project in some folders, as git knows them."""
    return set(run("git", "ls-files", *places, folder=ROOT).stdout.splitlines())


def insist(needed: Iterable[str], held: Iterable[str], where: Path) -> None:
    """Stop if something is missing."""
    if missing := sorted(set(needed) - set(held)):
        sys.exit(f"{where.name} lacks {', '.join(missing)}")


def look_into(wheel: Path, sdist: Path) -> dict[str, Any]:
    """Check that both hold what they should, and measure them."""
    in_wheel = zipfile.ZipFile(wheel).namelist()
    insist((name.removeprefix("src/") for name in list_files("src")), in_wheel, wheel)
    with tarfile.open(sdist) as archive:
        in_sdist = [name.partition("/")[2] for name in archive.getnames()]
    insist(list_files(*IN_SDIST, *BESIDE), in_sdist, sdist)
    held = {"wheel": (wheel, in_wheel), "sdist": (sdist, in_sdist)}
    return {
        what: {"kilobytes": round(path.stat().st_size / 1000), "files": len(names)}
        for what, (path, names) in held.items()
    }


def time_import(python: Path, folder: Path) -> dict[str, float]:
    """Time ``import fedpact``, with Python's own start, and without any warning."""
    taken, used = time_start(lambda: run(python, "-W", "error", "-c", "import fedpact", folder=folder))
    return {"import_seconds": taken, "import_processor": used}


def ask_for_extras(python: Path, folder: Path) -> int:
    """Ask for everything that needs an extra, where there is none; returns how many requests that are."""
    answers = json.loads(run(python, ROOT / "tests" / "core_only.py", folder=folder).stdout)
    left, failed = (answers.pop(what)[0] for what in ("files left behind", "failed alone"))
    wrong = {
        asked: said for asked, (code, said) in answers.items() if code != 1 or 'pip install "fedpact[' not in said
    }
    if wrong or left or failed:
        sys.exit(f"without extras, {left} files are left behind, and this is said: {wrong | failed}")
    return len(answers)


def check_core(python: Path, what: Path, folder: Path, *, newest: bool = False) -> dict[str, Any]:
    """Install the wheel or the archive without extras, and use what is there."""
    seconds = install(python, what, folder=folder, newest=newest)
    program = python.with_name("fedpact")
    if run(program, "--version", folder=folder).stdout.split() != ["fedpact", PROJECT["version"]]:
        sys.exit("fedpact --version says something else")
    run(program, "demo", folder=folder)
    run(program, "plan", "alice-bob", "--json", folder=folder)
    return {"seconds": seconds, "told": ask_for_extras(python, folder)} | time_import(python, folder)


def check_extra(core: Path, wheel: Path, extras: str, uses: Iterable[str]) -> dict[str, Any]:
    """Install extras on top of a copy of the environment without any, and use them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(core, folder / "env", symlinks=True)
        python = folder / "env" / "bin" / "python"
        seconds = install(python, f"{wheel}[{extras}]", folder=folder)
        listed = json.loads(run(python, "-m", "pip", "list", "--format", "json", folder=folder).stdout)
        works = None
        for use in uses:
            (folder / use).mkdir()
            run(python, "-W", "default", "-c", START + USES[use], folder=folder / use, timeout=600)
            works = True
        return {"seconds": seconds, "packages": len(listed), "works": works}


def run_tests(python: Path, wheel: Path, folder: Path) -> dict[str, Any]:
    """Run a part of the tests against the wheel."""
    install(python, f"{wheel}[test]", folder=folder)
    began = time.perf_counter()
    words = (python, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT, "-p", "no:cacheprovider")
    words += ("-n", "auto", "--dist", "loadscope", "-m", "not slow")
    said = run(*words, *(ROOT / "tests" / test for test in TESTS), folder=folder).stdout.splitlines()[-1]
    counts = {what: int(number) for number, what in re.findall(r"(\d+) (passed|skipped)", said)}
    return {"skipped": 0} | counts | {"seconds": time.perf_counter() - began}


def find_pythons(named: list[str]) -> dict[str, str]:
    """Return version -> program, of those named or else of those that are there."""
    found = {}
    for name in named or PYTHONS:
        try:
            words = [name, "-c", "import platform; print(platform.python_version())"]
            found[subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()] = name
        except (OSError, subprocess.CalledProcessError):
            if named:
                sys.exit(f"{name} does not run")
    return found


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", action="append", default=[], help="a Python to check with; may be repeated")
    only = 'only this, "all", "archive", "newest" or "none", and no tests'
    parser.add_argument("--extra", action="append", default=[], help=only)
    parser.add_argument("--tests", action="append", default=[], help="a Python to run tests with, if not with all")
    return parser.parse_args()


def main() -> None:
    """Build, look, install, use."""
    options = read_options()
    found = {"pythons": {}, "extras": {}} | read("release")
    found["extras"] = {name: seen for name, seen in found["extras"].items() if name in {*EXTRAS, "all"}}
    tested = find_pythons(options.tests) if options.tests else {}
    pythons = find_pythons(options.python or options.tests) | tested
    if not options.tests and not options.extra:
        tested = pythons
    parts = options.extra or [*OTHERWISE, *EXTRAS, "all"]
    first = next(iter(pythons))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("building into dist/", flush=True)
        wheel, sdist = build(folder)
        found |= look_into(wheel, sdist)
        found |= {"command": "make release", "version": PROJECT["version"], "imports": ROUNDS}
        for version, program in pythons.items():
            print(f"Python {version}, without extras", flush=True)
            python = make_environment(program, folder / version)
            found["pythons"][version] = found["pythons"].get(version, {}) | check_core(python, wheel, folder)
            keep("release", found)
        for part in [one for one in parts if one != "none"]:
            print(f"{part}, in Python {first}", flush=True)
            if part in OTHERWISE:
                python = make_environment(pythons[first], folder / part)
                what = sdist if part == "archive" else wheel
                seen = check_core(python, what, folder, newest=part == "newest")
                found["pythons"][f"{first}, {OTHERWISE[part]}"] = seen
            else:
                extras, uses = (",".join(EXTRAS), USES) if part == "all" else (part, {part} & USES.keys())
                found["extras"][part] = {"python": first} | check_extra(folder / first, wheel, extras, uses)
            keep("release", found)
        for version, program in tested.items():
            print(f"Python {version}, tests", flush=True)
            python = make_environment(program, folder / f"tests-{version}")
            found["pythons"][version]["tests"] = run_tests(python, wheel, folder)
            keep("release", found)


if __name__ == "__main__":
    main()
