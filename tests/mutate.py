"""Changes a line of a module that is already imported, for as long as a test lasts."""

import gc
import inspect
from types import CodeType, FunctionType


def _codes(code):
    """Every code object within one, by its name and first line."""
    yield (code.co_qualname, code.co_firstlineno), code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def mutate(monkeypatch, module, snippet, replacement):
    """Replace a snippet of a module's source inside its functions, wherever these are used already.

    Functions keep their identity and get other code, so it does not matter who has imported them from where.
    """
    source = inspect.getsource(module)
    assert source.count(snippet) == 1, f"{module.__name__} has this {source.count(snippet)} times: {snippet}"
    assert snippet.count("\n") == replacement.count("\n"), "lines must keep their numbers"
    changed = dict(_codes(compile(source.replace(snippet, replacement), module.__file__, "exec")))
    touched = 0
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__globals__ is vars(module):
            code = changed.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
            if code is not None and code != function.__code__:
                monkeypatch.setattr(function, "__code__", code)
                touched += 1
    assert touched, f"no function of {module.__name__} changed"
