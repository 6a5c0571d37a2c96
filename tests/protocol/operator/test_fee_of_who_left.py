"""Who left has no target any more, saves nothing by taking part, and must not be asked for a fee."""

from dataclasses import replace

from fedpact.describe.federation import Federation
from fedpact.protocol.messages import read_request
from fedpact.protocol.operator.operator import start_run
from fedpact.protocol.operator.run_state import RunStatus
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import memory_ledger
from fedpact.protocol.site.simulated_sites import simulate_sites


def run_without_answers_to(silent, fed, sites):
    operator, now = start_run(memory_ledger(), make_pact(fed, method="tree", fee=0.25, patience=60), now=0.0), 0.0
    while not operator.is_over:
        for outgoing in operator.advance(now):
            if read_request(outgoing.data).request not in silent:
                operator.receive(sites[outgoing.site].answer(outgoing.data), now)
        now += 10.0
    return operator.state


def test_a_run_goes_on_without_a_site_that_gave_and_left_and_pays_it_in_full():
    """Its fee was compared with what it saves, which is nothing, and the run stopped though there was a plan."""
    fed = Federation.from_table(
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]],
        [[0.5, 0.5, 0.0], [0.1, 0.1, 0.8], [0.3, 0.2, 0.5]],
        epsilon=[0.6, 0.05, 0.1],
        delta=0.1,
        names=["giver", "taker", "other"],
        cost=[1.0, 4.0, 2.0],
    )
    sites = simulate_sites(fed)
    sites["giver"] = replace(sites["giver"], most=1)
    state = run_without_answers_to({"contribute/other/2"}, fed, sites)
    assert state.gone["other"].step == "contribute"
    assert state.status is RunStatus.FINISHED, state.why
    given = state.contributed["other"]
    assert given > 0
    assert (state.payments["other"]["amount"], state.payments["other"]["fee"]) == (2.0 * given, 0.0)
    assert state.payments["giver"]["amount"] == 1.0 * 1 - 0.25
