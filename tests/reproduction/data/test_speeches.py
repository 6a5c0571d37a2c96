"""Who says what in a play."""

import pytest

from reproduction.data.speeches import read_speeches

PLAY = """THE PLAY

PERSONS REPRESENTED.

Ann, a lady.

ACT I.

Scene I. A wood.

[Enter Ann
and Ben.]

Ann.
Good day.
   Farewell.
[Aside.] He is [points] mad.

P. Ann.
I play Ann.

Ann and Ben.
We both speak.

1 Clown.
Ha!

Ben.
Ann.

[Exit.]

She is gone.

Ann.
I am not.

Act II.

Scene II. A room,
dark.

[Enter Ben.]

Ben.
Nobody.
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Ann", "Good day.\nFarewell.\nHe is  mad.\nI am not."),
        ("Ben", "Ann.\nShe is gone.\nNobody."),
        ("P. Ann", "I play Ann."),
        ("Ann and Ben", "We both speak."),
        ("1 Clown", "Ha!"),
        ("Cid", ""),
    ],
)
def test_every_line_is_its_speaker_s(name, said):
    assert read_speeches(PLAY, name) == said
