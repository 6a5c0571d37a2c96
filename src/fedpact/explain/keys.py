"""Keys in words: which file goes to whom, which command takes it, and what is wrong with a folder of keys."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from fedpact.describe.parsing import one_line
from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import explain_as, make_points, make_table
from fedpact.explain.words import words_of
from fedpact.protocol.keys.check_keys import KeysCheck, KeysProblem
from fedpact.protocol.keys.key_set import KeySet

_SET = words_of("key-set")
_CHECK = words_of("keys-check")
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_PORT, _OWN_PORT = 9092, 9093


def _say_day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _say_minute(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _list_sentences(keys: KeySet) -> Iterator[str]:
    """Say under which names the server can be reached, and what to do if that is from nowhere else."""
    if not keys.hosts:
        return
    yield _SET.say("server", day=_say_day(keys.valid_until), hosts=", ".join(keys.hosts))
    if set(keys.hosts) <= _LOOPBACK:
        yield _SET.say("local", command=f"{shlex.join(['fedpact', 'keys', 'renew', keys.folder])} --host NAME")


def _list_commands(keys: KeySet) -> Iterator[tuple[str, str]]:
    """Give the commands that take the files, in the order in which they are run."""
    folder, host = keys.folder, f"[{keys.hosts[0]}]" if ":" in keys.hosts[0] else keys.hosts[0]
    own = f"--superlink 127.0.0.1:{_OWN_PORT}"
    if len(keys.new_sites) == len(keys.sites):
        yield "start", f"fedpact superlink --keys {shlex.quote(folder)} --listen 0.0.0.0:{_PORT}"
    yield "register", f"fedpact keys register {shlex.quote(folder)} {own}"
    yield "run", f"fedpact run FILE --engine flower {own} --keys {shlex.quote(folder)}"
    yield "join", f"fedpact site join SITE_FOLDER --superlink {host}:{_PORT} --keys KEYS"


def _list_files(keys: KeySet) -> Table:
    folder = Path(keys.folder)
    rows = [
        (str(folder / "operator"), _SET.say("for.operator")),
        *((str(folder / keys.folders[name]), _SET.say("for.site", site=name)) for name in keys.new_sites),
        (str(folder / "public-keys.json"), _SET.say("for.everybody")),
    ]
    return make_table(_SET, "files", "what, for", rows)


def explain_key_set(keys: KeySet) -> Explanation:
    """Explain a set of keys: after new ones were made, which file goes to whom and what to run next."""
    commands = _list_commands(keys) if keys.new_sites and keys.hosts else ()
    return explain_as(
        keys,
        tables=(_list_files(keys),) if keys.new_sites else (),
        sentences=tuple(_list_sentences(keys)),
        points=make_points(_SET, dict(commands), "next"),
    )


def _say_problem(problem: KeysProblem) -> str:
    at = problem.values.get("at")
    values = problem.values if at is None else {**problem.values, "at": _say_minute(at)}
    return _CHECK.say(f"problem_of.{problem.code}", **values)


def say_keys_problem(problem: KeysProblem) -> str:
    """Say which file is wrong, in what, and what to do."""
    return one_line(_CHECK.say("problem", file=problem.file, what=_say_problem(problem)))


def explain_keys_check(found: KeysCheck) -> Explanation:
    """Explain whether a folder of keys can be used."""
    wrong = [(problem.file, _say_problem(problem)) for problem in found.problems]
    places = dict.fromkeys(found.sites, "here")
    places |= dict.fromkeys(found.handed_over, "handed_over") | dict.fromkeys(found.incomplete, "incomplete")
    sites = [(name, _CHECK.say(f"private.{place}")) for name, place in places.items()]
    valid = [
        _CHECK.say("certificate", file=one.file, start=_say_day(one.valid_from), end=_say_day(one.valid_until))
        for one in found.certificates
    ]
    tables = [make_table(_CHECK, "sites", "site, private", sites)]
    tables += [make_table(_CHECK, "problems", "file, what", wrong)] if wrong else []
    return explain_as(found, tables=tuple(tables), sentences=tuple(valid))
