"""scripts/prove-clock: a clock that was wrong once does no harm when it is right again."""

import os
import sqlite3
import struct
import time
from contextlib import closing

from proofs.cards import Pairs, jpeg
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof
from proofs.service import Serve, raw_card, send_until
from proofs.shim import Clock
from proofs.stage import Door
from proofs.tool import Sandbox

DESCRIPTION = """\
For each of several clocks, years ahead to years behind: a pair is delivered by the right clock; by the wrong one a pair
meets a verifier that is not there, a run is killed in the middle, and retention looks for what has expired. Then the clock
is right: one run must deliver everything at once, exactly once, and nothing may be erased. A service goes on while its clock
is set ahead and back. A machine that was off for two months erases by itself a day later, and at once when a person says so."""

DAY = 86_400
NOBODY = "http://127.0.0.1:1/verify"
KEEPING = {"IDCARD_RETENTION_DELIVERED": "7d"}


class Course:
    """One sandbox that lives through clocks."""

    def __init__(self, proof, clock, name, has_door=False):
        self.proof, self.clock, self.name = proof, clock, name
        self.folder = proof.subfolder(name)
        self.verifier = proof.keep_running(Verifier(self.folder))
        self.backend = proof.keep_running(Backend(proof.tool.binary, self.folder))
        self.door = proof.keep_running(Door(self.verifier.url)) if has_door else None
        # The waits are those that ship: a wait of a few milliseconds would hide one that is a year too long.
        self.sandbox = Sandbox(proof.tool, self.folder, (self.door or self.verifier).url, self.backend.url)
        for key in ("RETRY_BASE", "RETRY_CAP", "BREAKER_FAILURES", "DELIVERY_MAX_ATTEMPTS"):
            del self.sandbox.environment["IDCARD_" + key]
        self.pairs = Pairs(proof.seed)
        self.taken, self.roots = [], []

    def add(self, index):
        """A pair below a folder of its own."""
        self.roots.append(os.path.join(self.folder, f"photos-{index}"))
        self.pairs.make(self.roots[-1], [index])
        self.taken.append(self.pairs.business_number(index))
        return self.roots[-1]

    def run(self, seconds, *arguments, **settings):
        """A run by a clock that is wrong by so many seconds."""
        extra = {**self.clock.variables(seconds), **settings}
        outcome = self.sandbox.run(["run", *arguments, "--format", "json", "--quiet"], extra)
        if outcome.crash:
            self.proof.violated(f"{self.name}: a run with the clock {seconds} s off {outcome.crash}")
        return outcome

    def expect(self, status, outcome, what):
        if outcome.status != status:
            self.proof.violated(f"{self.name}: {what} ended with {outcome.status}, not {status}: {outcome.tail()}")

    def states(self):
        return sorted(card["state"] for card in self.sandbox.cards())

    def expect_states(self, wanted, what):
        if self.states() != sorted(wanted):
            self.proof.violated(f"{self.name}: {what}, the cards stand at {self.states()}")

    def expect_moved(self, seconds):
        """The shim is at work: what was taken in by the wrong clock bears its time."""
        path = os.path.join(self.sandbox.path, "sandbox.sqlite3")
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            created = [row[0] / 1000 for row in database.execute("SELECT created_at FROM card")]
        if not any(abs(moment - time.time() - seconds) < 600 for moment in created):
            self.proof.violated(f"{self.name}: no card was taken in by the wrong clock; there is nothing to prove")

    def expect_whole(self):
        self.proof.judge_ledger(self.backend.ledger(), self.backend.refusals(), self.taken, f"{self.name}: ")
        finding = self.sandbox.check()
        if finding is not None:
            self.proof.violated(f"{self.name}: {finding}")

    def kill_in_the_middle(self, seconds, folder):
        """Kills a run as soon as one of its cards was verified."""
        before = sum(self.verifier.requests().values())
        process = self.sandbox.start(["run", folder, "--quiet"], self.clock.variables(seconds))
        while process.poll() is None and sum(self.verifier.requests().values()) == before:
            time.sleep(0.005)
        was_running = process.poll() is None
        process.kill()
        process.communicate()
        return was_running


def prove_once_wrong(proof, clock, name, seconds):
    """Right, wrong, and right again."""
    course = Course(proof, clock, name)
    course.expect(0, course.run(0, course.add(0), **KEEPING), "the first run")
    refused = course.run(seconds, course.add(1), IDCARD_VERIFICATION_URL=NOBODY, IDCARD_RUN_PATIENCE="1s", **KEEPING)
    course.expect(75, refused, "the run without a verifier")
    course.expect_moved(seconds)
    killed = course.kill_in_the_middle(seconds, course.add(2))
    course.run(seconds, IDCARD_VERIFICATION_URL=NOBODY, IDCARD_RUN_PATIENCE="1s", **KEEPING)
    if "erased" in course.states():
        proof.violated(f"{name}: cards were erased by a clock that was wrong once")
    begun = time.monotonic()
    course.expect(0, course.run(0, *course.roots, **KEEPING), "the run with the right clock")
    course.expect_states(["delivered"] * 6, "with the right clock")
    took = time.monotonic() - begun
    # Once more: what is delivered stays so, and is not sent again.
    course.expect(0, course.run(0, *course.roots, **KEEPING), "a second run with the right clock")
    course.expect_states(["delivered"] * 6, "after a second run")
    course.expect_whole()
    proof.figure(name, f"delivered {took:.1f} s after the clock was right; run killed midway: {'yes' if killed else 'no'}")
    return killed


def wait_until(condition, seconds):
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def refusals(serve):
    """How often the service found nobody listening."""
    with open(serve.path, encoding="utf-8") as file:
        return file.read().count("connect_refused")


def prove_service(proof, clock):
    """The clock of a service is set ahead and back while it runs."""
    course = Course(proof, clock, "service", has_door=True)
    course.door.open()
    path = os.path.join(course.folder, "offset")

    def set_clock(seconds):
        with open(path, "r+b" if os.path.exists(path) else "wb") as file:
            file.write(struct.pack("=q", seconds))

    set_clock(0)
    serve = proof.keep_running(Serve(proof, course.sandbox))
    token = serve.token("sender")
    serve.start(extra=clock.following(path))
    # The verifier is away while the clock is wrong: what waits for it then must not wait until that time comes.
    with serve.client(token) as client:
        for index, seconds in enumerate((0, 365 * DAY, -365 * DAY, 0)):
            set_clock(seconds)
            before = refusals(serve)
            if seconds:
                course.door.stop()
            number = course.pairs.business_number(index)
            course.taken.append(number)
            for is_back in (False, True):
                image = jpeg(course.pairs.number(index), is_back)
                answer, _ = send_until(client, raw_card(image, number, side="back" if is_back else "front"))
                if answer.status != 202:
                    proof.violated(f"service: a card was answered {answer} with the clock {seconds} s off")
            if seconds:
                wait_until(lambda: refusals(serve) > before, 60)
                set_clock(0)
                course.door.open()
            if not wait_until(lambda: course.backend.count() == 2 * (index + 1), 90):
                proof.violated(
                    f"service: {course.backend.count()} of {2 * (index + 1)} delivered 90 s after the clock was "
                    f"{seconds} s off"
                )
    serve.end()
    course.expect_moved(365 * DAY)
    course.expect_moved(-365 * DAY)
    course.expect_whole()
    proof.figure("service", f"{course.backend.count()} documents while its clock was set 5 times")


def prove_long_rest(proof, clock):
    """Two months off: nothing at first, everything a day later; or at once by a person's word."""
    course = Course(proof, clock, "two months off")
    course.expect(0, course.run(0, course.add(0)), "the first run")
    for days, wanted in ((60, "delivered"), (60.8, "delivered"), (61, "erased")):
        course.expect(0, course.run(int(days * DAY), **KEEPING), f"the run after {days} days")
        course.expect_states([wanted] * 2, f"after {days} days")
    course.expect(0, course.run(61 * DAY, course.add(1)), "another run")
    extra = {**clock.variables(120 * DAY), **KEEPING}
    outcome = course.sandbox.run(["cards", "erase", "--expired", *proof.tool.erase_options], extra)
    course.expect(0, outcome, "cards erase --expired")
    course.expect_states(["erased"] * 4, "after a person said that the clock is right")
    proof.figure("two months off", "kept at 60 and 60.8 days, erased at 61, and at once by a person's word")


def prove(proof):
    clock = Clock(proof.folder)
    clocks = {"a year ahead": 365 * DAY, "a year behind": -365 * DAY}
    if not proof.options.quick:
        clocks |= {
            "an hour ahead": 3600, "8 days ahead": 8 * DAY, "ten years ahead": 3650 * DAY, "an hour behind": -3600,
            "three years behind": -3 * 365 * DAY,
        }
    kills = sum(prove_once_wrong(proof, clock, name, seconds) for name, seconds in clocks.items())
    if kills == 0:
        proof.violated("no run was killed in the middle; there is nothing to prove of leases")
    prove_long_rest(proof, clock)
    prove_service(proof, clock)
    proof.figure("clocks", f"{len(clocks)}, {kills} runs killed midway")


if __name__ == "__main__":
    Proof("prove-clock", DESCRIPTION).run(prove)
