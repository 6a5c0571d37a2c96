from dataclasses import replace

import fedpact as fp
from fedpact.explain import explain


def test_of_a_large_group_those_who_stay_are_named():
    said = explain(fp.share(fp.examples.no_pure_equilibrium()))
    assert "All but agent-3 would pay 0.5 instead of 0.666667 and save 0.166667." in said.sentences


def test_of_many_groups_five_are_named():
    split = fp.share(fp.examples.no_pure_equilibrium())
    said = explain(replace(split, leaving=split.leaving * 3))
    assert any(sentence.startswith("4 more groups") for sentence in said.sentences)


def test_shares_from_drawn_orders_have_standard_errors():
    split = replace(fp.share(fp.examples.alice_bob()), standard_errors={"alice": 0.25, "bob": 0.5})
    said = explain(split)
    assert [row[-1] for row in said.tables[0].rows] == [0.25, 0.5]
    assert "--max-groups" in said.sentences[-1]
