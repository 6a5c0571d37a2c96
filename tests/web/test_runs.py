"""Runs with real processes: carried out, killed, continued, cancelled, kept or removed; nothing is left behind."""

import asyncio
import os
import signal
import time
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fastapi import HTTPException

import fedpact as fp
from fedpact.protocol.home import hold_home
from fedpact.web import run_ledger as feeds
from fedpact.web.limits import Limits
from fedpact.web.run_ledger import Reader, read_statements, read_steps
from fedpact.web.run_record import Condition, RunNote
from fedpact.web.run_views import follow_run
from fedpact.web.runs import RunManager
from fedpact.web.worker import RunTask
from ledgers import fill, tampering
from web_runs import held, is_alive, prepare, read_entries, running

FED = fp.examples.alice_bob()


@asynccontextmanager
async def manager(folder=None, ledgers=(), limits=None):
    made = RunManager(limits or Limits(), folder, ledgers)
    await made.open()
    try:
        yield made
    finally:
        await made.close()


def run(test, *args):
    return asyncio.run(asyncio.wait_for(test(*args), 120))


def start(runs, fed=FED, **terms):
    task = RunTask(federation=fed, terms={"method": "tree", **terms}, seed=1)
    return runs.start(task, RunNote(federation="alice-bob", query="", teacher=None, seed=1, created=time.time()))


async def until(run, *conditions):
    while run.condition not in conditions:
        await run.change.wait()


def test_a_run_is_carried_out_in_another_process_and_followed_to_its_end():
    async def test():
        async with manager() as runs:
            made = start(runs)
            assert (made.condition, made.name) == (Condition.PREPARING, "alice-bob")
            events = [event async for event in follow_run(runs, made, 0)]
            assert made.condition is Condition.FINISHED
            written = read_entries(made.home / "ledger.db")
            assert [event.event for event in events].count("entry") == len(written)
            assert (events[-1].event, events[-1].data) == ("over", {"condition": "finished", "problems": []})
            seen = await runs.look_at(made)
            assert seen.outcome == fp.protocol.read_outcome(str(made.home)).to_dict()
            assert [(site.site, site.paid, site.statement) for site in seen.sites] == [
                ("alice", 3.0, "alice"),
                ("bob", 2.0, "bob"),
            ]

    run(test)


def test_a_run_whose_process_is_killed_is_continued_and_everybody_is_paid_once(new_workers):
    async def test():
        async with manager() as runs:
            made = start(runs)
            await until(made, Condition.RUNNING)
            (worker,) = new_workers()
            holding = held(made.home / "ledger.db")
            await asyncio.to_thread(holding.__enter__)
            os.kill(worker, signal.SIGKILL)
            await until(made, Condition.FAILED)
            holding.__exit__(None, None, None)
            assert made.problems == ("the process that carried out this run ended before the run did",)
            assert made.can_continue
            before = read_entries(made.home / "ledger.db")
            assert before[-1].kind != "close"
            runs.go_on(made)
            await until(made, Condition.FINISHED)
            after = read_entries(made.home / "ledger.db")
            assert after[: len(before)] == before
            assert [entry.kind for entry in after].count("resume") == 1
            assert [entry.body["site"] for entry in after if entry.kind == "pay"] == ["alice", "bob"]
            assert fp.protocol.check_books(str(made.home)).is_sound
            assert made.problems == ()

    run(test)


def test_a_run_that_is_cancelled_loses_its_process_and_can_be_continued(new_workers):
    async def test():
        async with manager() as runs:
            made = start(runs)
            await until(made, Condition.RUNNING)
            with_process = new_workers()
            holding = held(made.home / "ledger.db")
            await asyncio.to_thread(holding.__enter__)
            await runs.cancel(made)
            holding.__exit__(None, None, None)
            assert (made.condition, made.is_over, made.can_continue) == (Condition.CANCELLED, True, True)
            assert not any(map(is_alive, with_process))
            assert runs.say_how_to_go_on(made) is None, "the folder is gone when the server ends"
            await runs.cancel(made)
            runs.go_on(made)
            await until(made, Condition.FINISHED)
            with pytest.raises(fp.errors.ProtocolError, match="is finished; there is nothing to continue"):
                runs.go_on(made)

    run(test)


def test_a_run_can_be_cancelled_before_its_process_has_begun():
    async def test():
        async with manager() as runs:
            made, other = start(runs), start(runs)
            await runs.cancel(made)
            assert made.condition is Condition.CANCELLED
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await runs.cancel(other)
            assert other.condition is Condition.CANCELLED
            assert (await runs.look_at(made)).length == 0, "there is no ledger, and nothing wrong"
            runs.go_on(made)
            await until(made, Condition.FINISHED)

    run(test)


def test_a_third_run_at_once_is_refused():
    async def test():
        async with manager() as runs:
            first, second = start(runs), start(runs)
            with pytest.raises(HTTPException, match="2 runs are under way, which is the most"):
                start(runs)
            await runs.cancel(first)
            start(runs)
            with pytest.raises(HTTPException):
                runs.go_on(first)
            await runs.cancel(second)

    run(test)


def test_a_run_that_takes_too_long_is_stopped_with_a_sentence():
    async def test():
        async with manager(limits=Limits(job_seconds=0.01)) as runs:
            made = start(runs)
            await until(made, Condition.FAILED)
            assert made.problems == ("stopped after 0.01 seconds, the most that this server gives to a run",)

    run(test)


def test_what_a_process_refuses_is_a_sentence():
    async def test():
        async with manager() as runs:
            made = start(runs, rule="vcg")
            await until(made, Condition.FAILED)
            assert made.problems[0].startswith("rule 'vcg' cannot pay in a run")

    run(test)


def test_a_run_without_a_plan_is_stopped():
    async def test():
        async with manager() as runs:
            made = start(runs, FED.replace(capacity=1))
            await until(made, Condition.STOPPED)
            why = (await runs.look_at(made)).outcome["why"]
            assert (why["code"], why["values"]["refusal"]["code"]) == ("no-plan", "capacity")

    run(test)


def test_nothing_is_left_of_a_server_without_a_folder(new_workers):
    async def test():
        async with manager() as runs:
            made = start(runs)
            await until(made, Condition.RUNNING)
            return made, new_workers()

    made, left = run(test)
    assert left
    assert not any(map(is_alive, left))
    assert made.condition in (Condition.CANCELLED, Condition.FINISHED)
    assert not made.home.parent.exists()


def test_runs_of_a_folder_are_found_again_and_continued(tmp_path):
    finished = prepare(tmp_path / "by the command line")
    fp.protocol.run_home(finished)
    prepare(tmp_path / "never begun")
    (tmp_path / "no home").mkdir()
    Path(tmp_path, "a file").touch()

    async def first():
        async with manager(tmp_path) as runs:
            made = start(runs)
            await until(made, Condition.RUNNING)
            return made

    async def second(made):
        async with manager(tmp_path) as runs:
            found = {run.home.name: run for run in runs.runs()}
            assert set(found) == {"by the command line", "never begun", made.key}
            assert found["by the command line"].condition is Condition.FINISHED
            assert found["never begun"].condition is Condition.INTERRUPTED
            again = found[made.key]
            assert (again.key, again.note) == (made.key, made.note)
            if again.condition is not Condition.FINISHED:
                assert runs.say_how_to_go_on(again) == f"fedpact run --resume {again.home}"
                runs.go_on(again)
                await until(again, Condition.FINISHED)
            assert (await runs.look_at(again)).outcome["payments"] == {"alice": 3.0, "bob": 2.0}
            with pytest.raises(HTTPException):
                runs.find("by the command line")

    run(second, run(first))
    assert len(list(tmp_path.iterdir())) == 5


def test_somebody_else_s_run_in_the_folder_is_followed(tmp_path):
    home = prepare(tmp_path / "one")

    async def test():
        with hold_home(home.folder):
            async with manager(tmp_path) as runs:
                (made,) = runs.runs()
                assert (made.condition, made.can_continue) == (Condition.FOLLOWED, False)

    run(test)


def test_what_is_wrong_in_a_folder_is_said_of_its_run_alone(tmp_path):
    broken, good = prepare(tmp_path / "broken"), prepare(tmp_path / "good")
    for home in (broken, good):
        fp.protocol.run_home(home)
    with tampering(broken.ledger) as execute:
        execute("UPDATE entries SET hash = 'x' WHERE seq = 3")
    Path(tmp_path, "odd", "operator").mkdir(parents=True)
    Path(tmp_path, "odd", "operator", "run.json").write_text('{"pact": []}')

    async def test():
        async with manager(tmp_path) as runs:
            found = {run.home.name: run for run in runs.runs()}
            assert set(found) == {"broken", "good"}
            assert found["good"].condition is Condition.FINISHED
            assert found["broken"].condition is Condition.FAILED
            assert "entry 3 was changed" in found["broken"].problems[0]

    run(test)


def test_only_so_many_runs_are_kept():
    async def test():
        async with manager(limits=Limits(runs=2)) as runs:
            made = []
            for _ in range(3):
                made.append(start(runs))
                made[-1].home.mkdir()
                await runs.cancel(made[-1])
            assert runs.runs() == [made[2], made[1]]
            while made[0].home.exists():
                await asyncio.sleep(0.01)

    run(test)


def test_a_ledger_is_followed_while_another_process_writes_it(tmp_path):
    home = prepare(tmp_path)

    async def test():
        async with manager(ledgers=[home.ledger]) as runs:
            (made,) = runs.runs()
            seen = []
            with running(tmp_path):
                async for event in follow_run(runs, made, 0):
                    seen.append(event)
                    if event.data.get("kind") == "close":
                        break
            return [event.event for event in seen]

    seen = run(test)
    assert seen.count("entry") == len(read_entries(home.ledger))
    assert "over" not in seen


def test_who_follows_a_ledger_does_not_hold_up_the_end_of_the_server(tmp_path):
    fill(tmp_path / "one.db", 3)

    async def test():
        async with manager(ledgers=[str(tmp_path / "one.db")]) as runs:
            (made,) = runs.runs()
            said = []
            async for event in follow_run(runs, made, 0):
                said.append(event.event)
                if event.event == "entry":
                    asyncio.get_running_loop().call_soon(runs.hush)
            return said

    assert "over" not in run(test)


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    Path(tmp_path, "file").touch()
    with pytest.raises(fp.errors.ProtocolError, match=r": Not a directory; take another folder for the runs"):
        RunManager(Limits(), tmp_path / "file" / "runs")


def test_a_ledger_that_is_not_there_yet_is_trouble_until_it_is(tmp_path):
    async def test():
        async with manager(ledgers=[str(tmp_path / "ledger.db")]) as runs:
            (made,) = runs.runs()
            reader = follow_run(runs, made, 0)
            said = [await anext(reader), await anext(reader)]
            assert [event.event for event in said] == ["trouble", "run"]
            assert "there is no ledger at" in said[0].data["trouble"]
            fill(tmp_path / "ledger.db", 3)
            assert [(await anext(reader)).id for _ in range(3)] == ["1", "2", "3"]
            assert (await anext(reader)).data == {"trouble": None}
            await reader.aclose()

    run(test)


def test_a_ledger_that_another_program_holds_is_said_to_be_held(tmp_path, monkeypatch):
    monkeypatch.setattr(feeds, "PATIENCE", 0.2)
    home = prepare(tmp_path)
    fp.protocol.run_home(home)

    async def test():
        async with manager(ledgers=[home.ledger]) as runs:
            (made,) = runs.runs()
            with held(home.ledger, "EXCLUSIVE"):
                with pytest.raises(fp.errors.LedgerError, match="another program holds it"):
                    await runs.look_at(made)
                reader = follow_run(runs, made, 0)
                while "another program holds it" not in ((await anext(reader)).data.get("trouble") or ""):
                    pass
            while (await anext(reader)).event != "entry":
                pass
            await reader.aclose()

    run(test)


def test_a_ledger_that_is_replaced_while_it_is_read_is_said_to_be(tmp_path):
    fill(tmp_path / "one.db", 3)
    fill(tmp_path / "two.db", 5, run="another")

    async def test():
        async with manager(ledgers=[str(tmp_path / "one.db")]) as runs:
            reader = follow_run(runs, *runs.runs(), 0)
            assert [(await anext(reader)).event for _ in range(4)] == ["entry", "entry", "entry", "run"]
            Path(tmp_path, "two.db").replace(tmp_path / "one.db")
            said = "entry 3 is not there any more as it was read before: the ledger was replaced"
            assert (await anext(reader)).data == {"trouble": said}
            await reader.aclose()

    run(test)


def test_who_is_far_behind_catches_up_from_the_ledger(tmp_path):
    with fp.protocol.Ledger.create(tmp_path / "one.db") as ledger:
        ledger.append_all([("note", {"place": place}) for place in range(1_200)], run="r", at=0.0)

    async def test():
        async with manager(ledgers=[str(tmp_path / "one.db")]) as runs:
            (made,) = runs.runs()
            reader, numbers = follow_run(runs, made, 0), []
            while len(numbers) < 1_200:
                event = await anext(reader)
                numbers += [int(event.id)] if event.event == "entry" else []
            await reader.aclose()
            assert numbers == list(range(1, 1_201))

    run(test)
    assert [step.seq for step in read_steps(str(tmp_path / "one.db"), 700)] == list(range(701, 1_201))
    assert read_steps(str(tmp_path / "one.db"), None) == read_steps(str(tmp_path / "one.db"), 700)


def test_entries_that_no_run_writes_are_said_to_be_that(tmp_path):
    with fp.protocol.Ledger.create(tmp_path / "odd.db") as ledger:
        ledger.append("open", {"pact": []}, run="r", at=1e300)
        ledger.append("pay", [], run="r", at=0.0)

    async def test():
        async with manager(ledgers=[str(tmp_path / "odd.db")]) as runs:
            (made,) = runs.runs()
            with pytest.raises(fp.errors.LedgerError, match="is malformed"):
                await runs.look_at(made)

    run(test)
    steps = read_steps(str(tmp_path / "odd.db"), 0)
    assert [step.time for step in steps] == ["1e+300", "1970-01-01 00:00:00"]
    with pytest.raises(fp.errors.LedgerError, match="is malformed"):
        read_statements(str(tmp_path / "odd.db"))


def test_a_password_is_never_shown():
    runs = RunManager(Limits(), None, ["postgresql://me:secret@host/pacts", "runs/ledger.db"])
    assert [run.name for run in runs.runs()] == ["postgresql+psycopg://me:***@host/pacts", "runs/ledger.db"]
    assert runs.find("ledger-2").condition is Condition.FOLLOWED


def test_what_many_ask_is_read_once_until_something_changes():
    asked = []

    def read(after):
        asked.append(after)
        return after

    async def follow():
        reader = Reader()
        found = [reader.read_once(60, read, after, given=given) for given in "ab" for after in (1, 1, 2)]
        answers = await asyncio.gather(*found)
        reader.close()
        return answers

    assert asyncio.run(follow()) == [1, 1, 2] * 2
    assert sorted(asked) == [1, 1, 2, 2]
