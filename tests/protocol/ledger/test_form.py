import pytest

from fedpact.errors import FederationError, LedgerError
from fedpact.protocol.ledger.form import well_formed


@pytest.mark.parametrize(
    "read",
    [lambda: {}["site"], lambda: dict(None), lambda: [][0], lambda: int("x"), lambda: None.body, lambda: 1 // 0],
)
def test_what_goes_wrong_in_reading_is_a_fault_of_what_is_read(read):
    with pytest.raises(LedgerError, match="entry 7 is malformed"), well_formed("entry 7"):
        read()


def test_what_is_said_already_is_not_said_again():
    with pytest.raises(FederationError, match=r"^north is not there$"), well_formed("entry 7"):
        raise FederationError("north is not there")


def test_a_long_fault_takes_one_line():
    with pytest.raises(LedgerError) as caught, well_formed("entry 7"):
        raise KeyError("a\nb\n" * 1000)
    assert "\n" not in str(caught.value)
