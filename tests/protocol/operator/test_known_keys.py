"""Books are held against keys from elsewhere: whoever writes them all anew can name others in them."""

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.protocol.home import find_public_keys
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.runs import run_home
from protocol_runs import make_home


@pytest.fixture
def two(tmp_path):
    """A run, and the same run by somebody else with keys of his own, at a hundred times the cost."""
    true, forged = (
        make_home(tmp_path / "true", alice_bob()),
        make_home(tmp_path / "forged", alice_bob().replace(cost=100)),
    )
    run_home(true)
    run_home(forged)
    return true, forged


def test_forged_books_are_sound_by_their_own_keys_alone(two):
    true, forged = two
    assert check_books(forged.ledger).is_sound
    assert not check_books(forged.ledger).are_keys_known
    keys = find_public_keys("elsewhere.db", true.keys)
    seen = check_books(forged.ledger, keys=keys)
    assert {problem.code for problem in seen.problems} == {"other-operator-key", "other-site-key"}
    assert check_books(true.ledger, keys=keys).is_sound


def test_the_keys_of_the_home_are_found(two, tmp_path):
    true, _ = two
    for where in (true.folder, true.ledger):
        assert find_public_keys(where, None) == find_public_keys("x", true.keys / "public-keys.json")
    assert find_public_keys(tmp_path / "apart.db", None) is None
    assert find_public_keys("postgresql://h/db", None) is None
