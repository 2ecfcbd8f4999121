"""Ctrl-C, and ranks that leave: nobody waits, and the interpreter goes on."""

import signal
import subprocess
import sys
import time

import pytest

import shardfft as sf

PROGRAM = """
import sys, time
import shardfft as sf
def work(comm):
    plan = sf.Plan((8, 8), comm=comm, input="slabs:0", output="slabs:1")
    u, v = plan.make_input(), plan.make_output()
    if comm.rank == 0:
        print("ready", flush=True)
    {work}
try:
    sf.on_ranks(3, work)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(sf.on_ranks(2, lambda comm: comm.sum(1.0)), flush=True)
"""

WORK = {
    "ranks wait in a call": "time.sleep(0) if comm.rank else [sum(range(1000)) for _ in range(10**9)]\n"
                            "    comm.barrier()",
    "all ranks compute": "[sum(range(1000)) for _ in range(10**9)]",
    "ranks wait in a run": "plan.forward(u, v) if comm.rank else [sum(range(1000)) for _ in range(10**9)]",
    "a rank sleeps": "time.sleep(60) if comm.rank else comm.barrier()",
}


@pytest.mark.parametrize("what", WORK)
def test_a_signal_ends_all_ranks(what):
    with subprocess.Popen([sys.executable, "-c", PROGRAM.format(work=WORK[what])], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as program:
        assert program.stdout.readline() == "ready\n"
        time.sleep(0.2)
        begin = time.monotonic()
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=30)
    assert out == "interrupted\n[2.0, 2.0]\n" and time.monotonic() - begin < 10


def started(comm):
    plan = sf.Plan((32, 32, 32), comm=comm, input="pencils:0", output="pencils:2", chunks=4)
    u, v = plan.make_input(), plan.make_output()
    plan.start(u, v)
    return plan, u, v


def raised_between(comm, error):
    plan, *_ = started(comm)
    if comm.rank == 1:
        raise error
    plan.wait()
    comm.barrier()


@pytest.mark.parametrize("error", [KeyboardInterrupt("mine"), ValueError("mine")])
def test_an_exception_between_start_and_wait_ends_all_ranks(error):
    with pytest.raises(type(error), match="mine"):
        sf.on_ranks(3, lambda comm: raised_between(comm, error))


def test_an_interrupt_inside_a_call_is_told():
    class Interrupts:
        def __float__(self):
            raise KeyboardInterrupt

    def work(comm):
        try:
            comm.sum(Interrupts() if comm.rank == 1 else 1.0)
        except KeyboardInterrupt:
            return "mine"
        except sf.TransportFailed as error:
            return str(error)

    assert sf.on_ranks(3, work) == ["rank 1: KeyboardInterrupt: ", "mine", "rank 1: KeyboardInterrupt: "]


@pytest.mark.parametrize("call", [lambda comm: sf.Plan((8, 8), comm=comm), lambda comm: comm.barrier(), started])
def test_a_rank_that_leaves_early_is_told(call):
    with pytest.raises(sf.Mismatch, match="has returned"):
        sf.on_ranks(3, lambda comm: None if comm.rank == 1 else call(comm))
