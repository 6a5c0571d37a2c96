"""A split of the cost in words: who bears how much, who would leave, and how the groups were looked at."""

from __future__ import annotations

from fedpact.coalition.result import LeavingGroup, Share
from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import explain_as, make_facts, make_table
from fedpact.explain.words import words_of
from fedpact.mechanism.payment.money import without_dust

_WORDS = words_of("share")
_GROUPS = 5


def _list_agents(split: Share) -> Table:
    errors = split.standard_errors
    rows = [
        (
            name,
            split.contributions[name],
            split.labelling[name],
            split.alone[name],
            without_dust(amount, split.cost),
            _WORDS.say("received", amount=without_dust(split.payments[name], split.cost)),
            *([] if errors is None else [errors[name]]),
        )
        for name, amount in split.shares.items()
    ]
    columns = "agent, samples count, labelling number, alone number, share number, receives number"
    return make_table(_WORDS, "agents", columns + ("" if errors is None else ", standard_error number"), rows)


def _say_group(group: LeavingGroup, split: Share) -> str:
    """Say who would leave and what that saves; of a large group who would not."""
    others = tuple(name for name in split.shares if name not in group.members)
    is_large = len(group.members) > len(others)
    who = _WORDS.say("all_but", names=others) if is_large else _WORDS.say("members", names=group.members)
    return _WORDS.say("group", who=who, cost=group.cost, share=group.share, saving=group.saving)


def _list_sentences(split: Share) -> tuple[str, ...]:
    e, is_sure = split.least_core_value, split.is_proved and split.looked_at == "all"
    known = {
        "more_groups": len(split.leaving) > _GROUPS,
        "saves": e is not None and e > 0,
        "loses" if is_sure else "loses_so_far": e is not None and e <= 0,
        f"looked_at.{split.looked_at}": True,
        "unproved": not split.is_proved,
        "drawn": split.standard_errors is not None,
    }
    values = {"n": len(split.leaving) - _GROUPS, "tried": split.groups_tried, "planned": split.groups_planned}
    groups = [_say_group(group, split) for group in split.leaving[:_GROUPS]]
    return (*groups, *_WORDS.say_those(known, e=abs(e or 0.0), **values))


def explain_share(split: Share) -> Explanation:
    """Explain a split of the cost."""
    return explain_as(
        split,
        facts=make_facts(_WORDS, {"rule": split.rule, "cost": split.cost}),
        sentences=_list_sentences(split),
        tables=(_list_agents(split),),
    )
