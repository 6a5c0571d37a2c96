"""The parameters of an experiment: one TOML file each, with every parameter and what ``--quick`` changes.

    seeds = 100
    epochs = 50

    [quick]
    seeds = 3
    leaves_out = "97 of 100 seeds"
    without_data = "digits instead of letters"

A file of one's own names only what differs, for quick runs alone under ``[quick]``; what it gives as it stood
changes nothing. A parameter keeps its kind: a number stays a number, a list a list.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import fedpact as fp
from reproduction.values import nearest, read_whole_number, shorten

QUICK = "quick"
LEAVES_OUT = "leaves_out"
WITHOUT_DATA = "without_data"
SEEDS = "seeds"


def _load_own(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise fp.FederationError(f"settings cannot be read from {str(path)!r}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise fp.FederationError(f"settings must be a TOML file; {str(path)!r} is not: {error}") from None


_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a table",
}


def _kind(value: Any) -> str:
    return next((name for kind, name in _KINDS.items() if isinstance(value, kind)), f"a {type(value).__name__}")


def _say(value: Any) -> str:
    """Write a value, and before it what it is, if that is nothing that a parameter can be: a date, a time."""
    kind = _kind(value)
    return shorten(value) if kind in _KINDS.values() else f"{kind}, {shorten(str(value))}"


def _check(known: Mapping[str, Any], key: str, value: Any) -> Any:
    """Take a value for a parameter if it is of the parameter's kind."""
    if key not in known:
        raise fp.FederationError(f"settings: there is no parameter {key!r}; {nearest(key, known)}")
    value = list(value) if isinstance(value, tuple) else value
    wanted, given = _kind(known[key]), _kind(value)
    if wanted == given:
        return value
    if wanted == "a number" and given == "a whole number":
        return float(value)
    raise fp.FederationError(f"settings: {key} must be {wanted}, such as {known[key]!r}; it is {_say(value)}")


def read_change(text: str) -> tuple[str, Any]:
    """Read ``KEY=VALUE`` with the value as TOML writes it; what is not TOML is a text.

    Examples
    --------
    >>> read_change("epsilon=[0.1, 0.2]"), read_change("writer=f1255_13")
    (('epsilon', [0.1, 0.2]), ('writer', 'f1255_13'))
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise fp.FederationError(f"a change must be KEY=VALUE, such as epochs=10; it is {text!r}")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value


def show_settings(name: str) -> str:
    """Every parameter of an experiment, as a TOML file that can be changed and given back."""
    return (Path(__file__).parent / "settings" / f"{name}.toml").read_text(encoding="utf-8")


def _find_changed(own: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Find what is not as it stood in the file that one began with."""
    return {key: value for key, value in own.items() if key not in known or value != known[key]}


def _say_left_out(texts: Mapping[str, str], is_changed: bool, has_data: bool) -> str:
    said = [f"{texts[LEAVES_OUT]}, but for what was changed" if is_changed else texts[LEAVES_OUT]]
    return "; ".join(said if has_data or not texts[WITHOUT_DATA] else [*said, f"has {texts[WITHOUT_DATA]}"])


def read_settings(
    name: str,
    *,
    quick: bool = False,
    file: str | PathLike[str] | None = None,
    changes: Mapping[str, Any] | None = None,
    seeds: int | None = None,
    has_data: bool = False,
) -> dict[str, Any]:
    """Read the settings of an experiment, with one's own on top.

    Parameters
    ----------
    name
        Of the experiment.
    quick
        Make it small; what that leaves out stands in ``leaves_out``.
    file, changes
        One's own parameters, from a TOML file and then one by one.
    seeds
        How many seeds, 0, 1, ...
    has_data
        Whether data are given, so that a quick run need not do with embedded ones.

    Examples
    --------
    >>> read_settings("price-of-stability", changes={"epsilon": ["1/8"]})
    {'epsilon': ['1/8'], 'delta': 0.5, 'leaves_out': ''}
    """
    known = tomllib.loads(show_settings(name))
    small = known.pop(QUICK)
    own = {} if file is None else _load_own(Path(file))
    own_small = own.pop(QUICK, {})
    if not isinstance(own_small, dict):
        raise fp.FederationError(f"settings: {QUICK} must be a table; it is {shorten(own_small)}")
    texts = {key: small.pop(key, "") for key in (LEAVES_OUT, WITHOUT_DATA)}
    own = _find_changed(own, known)
    own_small = _find_changed(own_small, small | texts)
    layers = [small, own, own_small] if quick else [own]
    settings = dict(known)
    for key, value in (pair for layer in (*layers, dict(changes or {})) for pair in layer.items()):
        settings[key] = _check(known, key, value)
    is_changed = bool(own or own_small or changes or seeds is not None)
    settings[LEAVES_OUT] = _say_left_out(texts, is_changed, has_data) if quick else ""
    if seeds is not None:
        if SEEDS not in known:
            raise fp.FederationError(f"{name} draws nothing at random; leave out seeds")
        settings[SEEDS] = seeds
    if SEEDS in known:
        settings[SEEDS] = read_whole_number(settings[SEEDS], SEEDS, least=1)
    return settings
