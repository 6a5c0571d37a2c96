from fedpact.describe.compiled import compiled


def test_a_loop_of_no_file_is_compiled_and_not_kept():
    scope = {}
    exec("def add_up(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total", scope)
    add_up = compiled(scope["add_up"])
    assert add_up(101) == 5050
    assert add_up.signatures
    assert not add_up.stats.cache_path
