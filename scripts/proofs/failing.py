"""scripts/prove-failing-calls: every call on the sandbox's files fails in turn, once and from then on."""

import concurrent.futures
import json
import os
import re
import shutil

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof
from proofs.shim import Shim, told
from proofs.tool import Sandbox

DESCRIPTION = """\
Counts every call on the files below the sandbox and the photos while one front and one back go from file to backend, then
does it again for every one of these calls and makes it fail: with EIO (reads, opens and mappings as well) and with
ENOSPC, once and from then on, and with EIO once in a sandbox that holds a pair already. Expects an end with 0 only where
both cards are delivered, else an exit status of the table and an error that names the cause; no crash, no hang; and after
a run without the fault every document exactly once, and a clean fsck."""

# What a run may end with that did not do everything.
STATUSES = {1, 66, 74, 75}
# How an error names its cause. A failed read proves no damage, so nobody is sent to restore a backup.
CAUSES = {
    "EIO": r"Input/output error|the disk .*failed|cannot be opened|may not be written",
    "ENOSPC": r"No space left on device|the disk .*(is full|failed)",
}
MISLEADING = r"restore it from a backup"
# The error, whether it stays, and whether the sandbox was there before.
VARIANTS = [
    ("EIO", False, False),
    ("EIO", True, False),
    ("ENOSPC", False, False),
    ("ENOSPC", True, False),
    ("EIO", False, True),
]


def named(error, sticky, is_used):
    return f"{error} {'from then on' if sticky else 'once'}{', in a used sandbox' if is_used else ''}"


def options(parser):
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only every K-th call, from a random one")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many failures at a time (default: 1)")
    parser.add_argument(
        "--only", choices=[named(*variant) for variant in VARIANTS], help="only this kind of failure (default: all)"
    )


class Trial:
    """One failure and the recovery from it; `earlier` is the pair that the sandbox holds before."""

    def __init__(self, proof, shim, verifier, backend, pairs, number, earlier=None, **settings):
        self.proof, self.shim, self.backend = proof, shim, backend
        self.business_number = Pairs.business_number(number)
        self.folder = proof.subfolder(f"trial-{number}")
        self.photos = os.path.join(self.folder, "photos")
        pairs.make(self.photos, [number])
        self.sandbox = Sandbox(proof.tool, self.folder, verifier.url, backend.url, **settings)
        self.report = os.path.join(self.folder, "calls")
        if earlier is not None:
            folder = os.path.join(self.folder, "earlier")
            pairs.make(folder, [earlier])
            outcome = self.sandbox.take_in(folder)
            if outcome.status != 0:
                self.proof.violated(f"the pair before the failure: exit status {outcome.status}: {outcome.tail()}")

    def run(self, error, sticky, at):
        """A run with a failure; its counts."""
        below = f"{self.sandbox.path}:{self.photos}"
        variables = self.shim.variables("fail", self.report, at, errno=error, sticky=int(sticky), below=below)
        self.error = error
        self.outcome = self.sandbox.take_in(self.photos, variables)
        self.struck = self.shim.struck(self.report)
        return self.shim.counts(self.report)

    def missing(self):
        """What a run that ended with 0 has left undone."""
        try:
            states = [card["state"] for card in self.sandbox.cards("--business-no", self.business_number)]
        except RuntimeError as error:
            states = str(error)
        if states != ["delivered"] * 2:
            yield f"the cards stand at {states}"
        documents = sorted(line["doctype"] for line in self.backend.ledger() if line["business_no"] == self.business_number)
        if documents != ["IDCARD_BACK_APP", "IDCARD_FRONT_APP"]:
            yield f"the backend has {documents}"
        finding = self.sandbox.check()
        if finding is not None:
            yield finding

    def said(self):
        """The messages of a run: warnings and error, and those of single inputs."""
        try:
            cards = json.loads(self.outcome.output)["cards"]
        except ValueError:
            cards = []
        return "\n".join([self.outcome.errors.strip(), *(card["message"] for card in cards if card.get("message"))])

    def judge(self, what):
        """Whether the end was orderly and the recovery complete."""
        found = len(self.proof.violations)
        what = f"{what} ({self.struck})"
        outcome = self.outcome
        if outcome.crash is not None:
            self.proof.violated(f"{what}: {outcome.crash}: {outcome.tail()}")
        elif outcome.status == 0:
            for finding in self.missing():
                self.proof.violated(f"{what}: the run ended with 0, but {finding}")
        elif outcome.status not in STATUSES:
            self.proof.violated(f"{what}: exit status {outcome.status}: {outcome.tail()}")
        else:
            said = self.said()
            if re.search(CAUSES[self.error], said) is None or re.search(MISLEADING, said) is not None:
                self.proof.violated(f"{what}: exit status {outcome.status}, which does not name the cause: {said!r}")
        again = self.sandbox.take_in(self.photos)
        if again.status != 0:
            self.proof.violated(
                f"{what}, ended {outcome.status}: the run after it ended with {again.status}: {again.output[-300:]} {again.tail()}"
            )
        finding = self.sandbox.check()
        if finding is not None:
            self.proof.violated(f"{what}: {finding}")
        if len(self.proof.violations) == found:
            shutil.rmtree(self.folder)


def prove(proof):
    every = 80 if proof.options.quick else proof.options.every
    pairs = Pairs(proof.seed)
    shim = Shim(proof.folder)
    verifier = proof.keep_running(Verifier(proof.folder))
    backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
    statuses, number, struck = {}, 0, {}
    tried = []

    def numbers(is_used):
        """The numbers of a trial's pair and of that before it."""
        nonlocal number
        mine, earlier = number, number + 1 if is_used else None
        number += 2 if is_used else 1
        tried.extend(Pairs.business_number(each) for each in (mine, earlier) if each is not None)
        return mine, earlier

    for error, sticky, is_used in VARIANTS:
        name = named(error, sticky, is_used)
        if proof.options.only not in (None, name):
            continue
        # On a disk that stays full intake waits for room as long as its patience lasts.
        settings = {"run_patience": "2s"} if sticky and error == "ENOSPC" else {}
        first = Trial(proof, shim, verifier, backend, pairs, *numbers(is_used))
        counts = first.run(error, False, -1)
        first.judge(f"{name}, no call")
        total = sum(counts.values())
        if total == 0:
            proof.violated(f"{name}: no call was counted, so that there is none to fail")
            continue
        every = min(every, total)
        offset = proof.random.randrange(every) if every > 1 else 0
        proof.progress(f"{name}: {total} calls" + (f", every {every}th from number {offset + 1}" if every > 1 else ""))
        if not sticky:
            proof.figure(f"calls that may fail with {name.replace(' once', '')}", told(counts))

        def attempt(job):
            at, pair = job
            trial = Trial(proof, shim, verifier, backend, pairs, *pair, **settings)
            trial.run(error, sticky, at)
            trial.judge(f"{name}, call {at} of {total}")
            return at, trial

        struck[name] = 0
        jobs = [(at, numbers(is_used)) for at in range(offset + 1, total + 1, every)]
        with concurrent.futures.ThreadPoolExecutor(max(1, proof.options.jobs)) as pool:
            for at, trial in pool.map(attempt, jobs):
                statuses[trial.outcome.status] = statuses.get(trial.outcome.status, 0) + 1
                struck[name] += trial.struck is not None
                if at % 200 < every:
                    proof.progress(f"{name}: call {at} of {total}")
        proof.expect_injected(name, struck[name], len(jobs))
    proof.judge_ledger(backend.ledger(), backend.refusals(), tried)
    proof.figure("failures injected", f"{sum(struck.values())} in {sum(statuses.values())} runs")
    proof.figure("exit statuses", ", ".join(f"{count} times {status}" for status, count in sorted(statuses.items(), key=str)))
    proof.figure("documents in the ledger", f"{len(backend.ledger())}, of {len(tried)} pairs")
    proof.figure("fsck", "clean")


if __name__ == "__main__":
    Proof("prove-failing-calls", DESCRIPTION, options).run(prove)
