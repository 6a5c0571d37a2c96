"""What an install without extras says to whoever needs one, as JSON: for each request a code and the error.

``make release`` runs this program where no extra is installed. ``--hide`` is for a place where they are: nothing
but Python itself and what fedpact cannot do without is found then.
"""

import contextlib
import io
import json
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

CORE = {
    "click", "fedpact", "highspy", "llvmlite", "markdown_it", "mdurl", "numba", "numpy", "pygments", "rich",
    "scipy", "shellingham", "tomli_w", "typer", "typing_extensions",
}  # fmt: skip
COMMANDS = {
    "plan FILE --plot plan.png": "plot",
    "compare FILE --plot compared.svg": "plot",
    "frontier FILE --plot frontier.pdf": "plot",
    "game FILE --plot path.png": "plot",
    "share FILE --plot share.png": "plot",
    "run FILE --plot run.png": "plot",
    "game FILE --mixed": "game",
    "report table.parquet --name alice": "parquet",
    "report table.csv --name alice --classes 0,1 --privacy 1,0.00001": "privacy",
    "run FILE": "protocol",
    "run --resume fedpact-runs/alice-bob": "protocol",
    "ledger verify books.sqlite": "protocol",
    "ledger show books.sqlite": "protocol",
    "ledger export books.sqlite -o books.csv": "protocol",
    "keys make keys --sites alice,bob": "protocol",
    "keys check keys": "protocol",
    "site check alice": "protocol",
    "label status alice": "protocol",
    "label export alice -o asked.csv": "protocol",
    "label import alice answers.csv": "protocol",
    "run FILE --engine flower": "flower",
    "run FILE --engine flower-sim": "flower",
    "site join alice --superlink 127.0.0.1:9092": "flower",
    "serve FILE": "web",
    "export-html FILE -o plan.html": "web",
}
FUNCTIONS = {
    "fp.plan(fed).plot()": "plot",
    "fp.plan(fed).to_dataframe()": "notebook",
    "fp.mixed_equilibrium(fed)": "game",
    "fp.sites.predict({'net': 'net.onnx'}, [[0]])": "onnx",
    "fp.sites.read_predictions('table.parquet')": "parquet",
    "fp.sites.add_noise(fp.report([[0], [1]], name='a'), privacy_epsilon=1, privacy_delta=1e-5)": "privacy",
    "fp.protocol.run(fed)": "protocol",
    "fp.web.make_app()": "web",
}

ALONE = (
    "examples", "check FILE", "plan FILE", "verify FILE --m 3,2", "compare FILE", "frontier FILE", "prices FILE",
    "game FILE --dynamics", "share FILE", "pay FILE", "audit FILE --n-misreports 20", "--help", "select --help",
    "select FILE --truth nowhere", "forecast FILE --assume realizable --batch 9",
)  # fmt: skip
"""What needs no extra."""


class CoreFinder:
    """Finds what another finder finds, if it belongs to Python or to the core."""

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        is_shown = path is not None or name[0] == "_" or name in sys.stdlib_module_names or name in CORE
        return self.finder.find_spec(name, path, target) if is_shown else None

    def find_distributions(self, context):
        is_shown = context.name is None or context.name.replace("-", "_") in CORE
        look = getattr(self.finder, "find_distributions", None)
        return look(context) if look and is_shown else ()


def command(words):
    """Exit code and stderr of the command line."""
    from fedpact.cli import main

    sys.argv = ["fedpact", *("alice-bob" if word == "FILE" else word for word in words.split())]
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as stopped:
            return stopped.code, said.getvalue()
        except BaseException:
            return None, traceback.format_exc()
    return 0, said.getvalue()


def function(code):
    """One and what is said, if an extra is missing as it should be."""
    import numpy as np

    import fedpact as fp

    try:
        eval(code, {"fp": fp, "np": np, "fed": fp.examples.alice_bob()})
    except fp.errors.MissingExtraError as error:
        return 1, f"error: {error}\n"
    except BaseException:
        return None, traceback.format_exc()
    return 0, ""


def ask_all():
    """Answers by request, in a folder with the files that requests name."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("table.csv").write_text("one,two\n0,1\n1,1\n")
        Path("table.parquet").touch()
        Path("net.onnx").touch()
        asked = {words: command(words) for words in COMMANDS}
        asked |= {code: function(code) for code in FUNCTIONS}
        failed = {words: answer for words in ALONE if (answer := command(words))[0] != 0}
        return asked | {
            "files left behind": (len(list(Path.cwd().iterdir())) - 3, ""),
            "failed alone": (failed, ""),
        }


if __name__ == "__main__":
    if "--hide" in sys.argv:
        sys.meta_path[:] = [CoreFinder(finder) for finder in sys.meta_path]
    print(json.dumps(ask_all()))
