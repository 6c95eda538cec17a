"""scripts/prove-crashes: the process is killed before every write, sync, rename and send of a front and a back."""

import os
import shutil

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof, Violation
from proofs.shim import Shim, told
from proofs.tool import Sandbox

DESCRIPTION = """\
Counts every call that writes, syncs, renames, unlinks or sends while one front and one back go from file to backend
(one at a time, the endpoints in other processes), then does it again for every one of these calls: kills the process
with SIGKILL immediately before it, runs the same command again, and expects exactly one accepted document per side in
the backend's ledger, no refusal, and a clean fsck. All points, no sampling, unless --every or --quick asks for it."""


def options(parser):
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only every K-th point, from a random one")
    parser.add_argument("--compound", action="store_true", help="kill the run that recovers as well, at a random point")


class Point:
    """One crash and the recovery from it."""

    def __init__(self, proof, shim, verifier, backend, pairs, number):
        self.proof, self.shim, self.number = proof, shim, number
        self.business_number = Pairs.business_number(number)
        self.folder = proof.subfolder(f"point-{number}")
        self.photos = os.path.join(self.folder, "photos")
        pairs.make(self.photos, [number])
        self.sandbox = Sandbox(proof.tool, self.folder, verifier.url, backend.url)
        self.report = os.path.join(self.folder, "calls")

    def count(self):
        """The calls of a run to its end."""
        outcome = self.sandbox.take_in(self.photos, self.shim.variables("count", self.report))
        if outcome.status != 0:
            self.proof.violated(f"the run without a fault ended with {outcome.status}: {outcome.tail()}")
        return self.shim.counts(self.report)

    def crash(self, at):
        """Kills a run before call `at`; whether it came that far."""
        outcome = self.sandbox.take_in(self.photos, self.shim.variables("kill", at=at))
        if not outcome.was_killed and outcome.status != 0:
            self.proof.violated(f"point {at}: the run ended with {outcome.status} by itself: {outcome.tail()}")
        return outcome.was_killed

    def recover(self, at):
        """Runs to the end and judges the sandbox."""
        found = len(self.proof.violations)
        outcome = self.sandbox.take_in(self.photos)
        if outcome.status != 0:
            self.proof.violated(f"point {at}: the run after it ended with {outcome.status}: {outcome.tail()}")
        finding = self.sandbox.check()
        if finding is not None:
            self.proof.violated(f"point {at}: {finding}")
        if len(self.proof.violations) == found:
            shutil.rmtree(self.folder)


def prove(proof):
    pairs = Pairs(proof.seed)
    shim = Shim(proof.folder)
    verifier = proof.keep_running(Verifier(proof.folder))
    backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
    tried = []

    def point(number):
        tried.append(Pairs.business_number(number))
        return Point(proof, shim, verifier, backend, pairs, number)

    first = point(0)
    counts = first.count()
    first.recover(0)
    total = sum(counts.values())
    if total == 0:
        raise Violation("no call was counted, so that there is no point to kill at")
    proof.progress(f"{total} points")

    every = min(10 if proof.options.quick else proof.options.every, total)
    offset = proof.random.randrange(every) if every > 1 else 0
    if every > 1:
        proof.progress(f"every {every}th point from number {offset + 1}")
    tries, kills, second_kills, beyond, number = 0, 0, 0, 0, offset + 1
    # Threads make the count differ by a few between runs: go on until runs outlive their point three times in a row.
    while number <= total or (every == 1 and beyond < 3):
        try_out = point(number)
        was_killed = try_out.crash(number)
        tries += number <= total
        kills += was_killed
        beyond = 0 if was_killed or number <= total else beyond + 1
        if proof.options.compound and was_killed:
            second_kills += try_out.crash(proof.random.randint(1, total))
        try_out.recover(number)
        if number % 100 < every:
            proof.progress(f"point {number} of {total}")
        number += every
    proof.expect_injected("kills", kills, tries)
    if proof.options.compound and second_kills == 0:
        proof.violated("no recovery was killed")
    proof.judge_ledger(backend.ledger(), backend.refusals(), tried)
    proof.figure("crash points", told(counts))
    proof.figure("runs killed", kills if every == 1 else f"{kills} (every {every}th point from number {offset + 1})")
    if proof.options.compound:
        proof.figure("recoveries killed", second_kills)
    proof.figure("documents in the ledger", f"{len(backend.ledger())}, of {len(tried)} pairs")
    proof.figure("fsck", "clean")


if __name__ == "__main__":
    Proof("prove-crashes", DESCRIPTION, options).run(prove)
