"""What a split says and draws."""

import fedpact as fp

GROUP = fp.mechanism.LeavingGroup(
    members=("alice", "bob"), share=8.0, cost=5.0, contributions={"alice": 3, "bob": 2}
)


def test_a_group_says_what_it_would_save():
    assert GROUP.saving == 3


def test_the_dictionary_has_the_keys_of_the_contract():
    split = fp.share(fp.examples.alice_bob())
    entry = split.to_dict()
    assert entry["cost"] == 5
    assert entry["contributions"] == {"alice": 3, "bob": 2}
    assert entry["payments"] == {"alice": 0.5, "bob": -0.5}
    assert entry["method"] == "auto"
    assert entry["status"] == fp.mechanism.ShareStatus.STABLE.value


def test_the_figure_marks_who_would_leave():
    axes = fp.share(fp.examples.build("price-of-stability"), rule="equal").plot().axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["alice", "bob"]
    hatched = [bar.get_hatch() is not None for bar in axes.patches]
    assert hatched == [False, True]
    assert axes.get_legend().get_texts()[0].get_text() == "would do better by leaving together"
