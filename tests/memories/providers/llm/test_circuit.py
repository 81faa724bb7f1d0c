import threading

import pytest

from memories.providers.llm.circuit import Circuit
from memories.providers.llm.provider import LLMMisconfigured, LLMUnavailable


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def circuit(clock):
    return Circuit("host", clock=clock)


def fail(circuit, times=1, error=LLMUnavailable):
    for _ in range(times):
        with pytest.raises(error, match="away"), circuit.guard():
            raise error("away")


def work(circuit):
    with circuit.guard():
        pass


def test_it_opens_after_five_failures_in_a_row(circuit):
    fail(circuit, 4)
    assert (circuit.state(), circuit.wait_seconds()) == ("closed", 0.0)
    fail(circuit)
    assert (circuit.state(), circuit.wait_seconds()) == ("open", 30.0)


def test_an_answer_in_between_begins_the_count_anew(circuit):
    fail(circuit, 4)
    work(circuit)
    fail(circuit, 4)
    assert circuit.state() == "closed"


def test_a_refusal_is_an_answer(circuit):
    fail(circuit, 4)
    fail(circuit, 1, LLMMisconfigured)
    fail(circuit, 4)
    assert circuit.state() == "closed"


def test_open_it_says_when_to_come_back(circuit, clock):
    fail(circuit, 5)
    clock.now += 10
    with pytest.raises(LLMUnavailable, match="host is left alone after 5 failures") as caught:
        work(circuit)
    assert caught.value.wait_seconds == 20.0


def test_after_a_while_one_may_try_and_the_others_wait(circuit, clock):
    fail(circuit, 5)
    clock.now += 30
    assert (circuit.state(), circuit.wait_seconds()) == ("half-open", 0.0)
    with circuit.guard():
        assert circuit.state() == "half-open"
        with pytest.raises(LLMUnavailable, match="left alone"), circuit.guard():
            raise AssertionError
    assert circuit.state() == "closed"


def test_a_trial_that_fails_opens_it_again(circuit, clock):
    fail(circuit, 5)
    clock.now += 31
    fail(circuit)
    assert (circuit.state(), circuit.wait_seconds()) == ("open", 30.0)


def test_a_trial_that_is_broken_off_leaves_the_next_one_to_try(circuit, clock):
    fail(circuit, 5)
    clock.now += 31
    with pytest.raises(KeyboardInterrupt), circuit.guard():
        raise KeyboardInterrupt
    assert circuit.state() == "half-open"
    work(circuit)
    assert circuit.state() == "closed"


def test_of_many_threads_one_tries(circuit, clock):
    fail(circuit, 5)
    clock.now += 31
    tried, refused = [], []
    together = threading.Barrier(8)

    def call():
        together.wait()
        try:
            with circuit.guard():
                tried.append(1)
                done.wait(60)
        except LLMUnavailable:
            refused.append(1)
            if len(refused) == 7:
                done.set()

    done = threading.Event()
    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(tried), len(refused)) == (1, 7)
