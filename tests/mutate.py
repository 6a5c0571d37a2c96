"""Changes a function that is already imported, in its parsed form, for as long as a test lasts.

A change is a pair: what stands in the function, and what stands there instead, each an expression or statements in
Python. They are compared as trees, so that neither lines nor brackets nor quotes matter.
"""

import ast
import importlib
import inspect
from types import CodeType


def never(condition):
    """A condition that does not hold any more."""
    return condition, "False"


def always(condition):
    """A condition that always holds."""
    return condition, "True"


def drop(statement):
    """A statement that is not there."""
    return statement, "pass"


class _Swap(ast.NodeTransformer):
    """Replaces every node that equals another, and counts."""

    def __init__(self, old, new):
        old, new = ast.parse(old).body, ast.parse(new).body
        is_value = isinstance(old[0], ast.Expr)
        self.old, self.new = ast.dump(old[0].value if is_value else old[0]), new[0].value if is_value else new
        self.count = 0

    def visit(self, node):
        if ast.dump(node) != self.old:
            return self.generic_visit(node)
        self.count += 1
        for made in self.new if isinstance(self.new, list) else [self.new]:
            for part in ast.walk(made):
                ast.copy_location(part, node)
        return self.new


def _find(body, name):
    """The function of a qualified name in a module's statements."""
    first, _, rest = name.partition(".")
    found = [node for node in body if getattr(node, "name", None) == first]
    assert len(found) == 1, f"{len(found)} times {first}"
    return _find(found[0].body, rest) if rest else found[0]


def _code(code, name):
    """The code of a qualified name within a module's."""
    if code.co_qualname == name:
        return code
    inner = (_code(one, name) for one in code.co_consts if isinstance(one, CodeType))
    return next((found for found in inner if found is not None), None)


def mutate(monkeypatch, where, change):
    """Change a function, ``module:name``, at the one place that is as ``change`` says, or raise.

    The function keeps its identity and gets other code, so it does not matter who has imported it from where.
    """
    path, _, name = where.partition(":")
    module = importlib.import_module(f"fedpact.protocol.{path}")
    tree, swap = ast.parse(inspect.getsource(module)), _Swap(*change)
    swap.visit(_find(tree.body, name))
    assert swap.count == 1, f"{where} has this {swap.count} times: {change[0]}"
    function = module
    for part in name.split("."):
        function = inspect.getattr_static(function, part)
    function = inspect.unwrap(getattr(function, "fget", function))
    monkeypatch.setattr(function, "__code__", _code(compile(tree, module.__file__, "exec"), name))
