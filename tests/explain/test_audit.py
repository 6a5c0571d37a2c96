"""A misreport is told in full: who reports what, what that changes, what it brings."""

import fedpact as fp
from fedpact.explain.audit import list_witness


def test_a_lie_is_told_in_full():
    seen = fp.audit(fp.examples.pwyc_not_dominant("1/20"), rule="vcg", n_misreports=100)
    said = " ".join(list_witness(seen.witness))
    for part in ("agent-1 reports", "instead of the truth", "misses the target of agent-2", "a gain of 0.15"):
        assert part in said


def test_an_agent_under_two_names_is_not_said_to_lie_about_its_data():
    seen = fp.audit(fp.examples.alice_bob(), rule="vcg", n_misreports=40)
    said = list_witness(seen.split.witness)
    assert said[0].startswith("alice takes part under 2 names and reports as alice: ")
    assert "instead of the truth" not in " ".join(said)
