"""What is malformed is refused in one line that says what is wrong with it."""

import pytest

from fedpact.errors import FederationError


def check_refused(message, ask, *given, **options):
    """Ask, and find the message in the one line that comes back."""
    with pytest.raises(FederationError) as caught:
        ask(*given, **options)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
