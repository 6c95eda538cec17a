"""scripts/prove-several-processes: two runs over one sandbox, beside `cards list` and `backup`."""

import json
import os
import shutil
import subprocess
import threading
from collections import Counter

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Starts two runs at once over one sandbox, each of 500 cards of which 250 are the other's as well, beside `cards list` and
`backup` again and again. Expects that no "database is locked" reaches anyone, that no photo is verified twice, that both
runs leave every card delivered, with one document each, so that a third run finds nothing to do, and that every backup
made meanwhile can be restored and passes fsck."""


def options(parser):
    parser.add_argument("--cards", type=int, help="cards per run (default: 500; with --quick 40)")


class Loop(threading.Thread):
    """A command again and again until the runs are done."""

    def __init__(self, proof, sandbox, name, arguments, after=lambda count: None):
        super().__init__(daemon=True)
        self.proof, self.sandbox, self.name_, self.arguments, self.after = proof, sandbox, name, arguments, after
        self.count = 0
        self.findings = []
        self.ended = threading.Event()

    def run(self):
        while not self.ended.is_set():
            outcome = self.sandbox.run(self.arguments(self.count))
            # Before the first run has made the sandbox there is nothing to look at.
            is_early = self.count == 0 and "there is no sandbox" in outcome.errors
            if outcome.status != 0 and not is_early:
                self.findings.append(f"`{self.name_}` ended with {outcome.status}: {outcome.tail()}")
            if "database is locked" in outcome.errors + outcome.output:
                self.findings.append(f"`{self.name_}` says: database is locked")
            if not is_early:
                self.after(self.count)
                self.count += 1

    def end(self):
        self.ended.set()
        self.join()
        if self.count == 0:
            self.proof.violated(f"`{self.name_}` never ran beside the runs")
        for finding in self.findings[:5]:
            self.proof.violated(finding)


def wait_for(proof, runs, cards):
    """Waits for both runs and judges their ends; returns how many left work to the other."""
    left_to_other = 0
    for index, run in enumerate(runs):
        try:
            output, errors = run.communicate(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            run.kill()
            run.communicate()
            proof.violated(f"run {index + 1} was still going after {HANG_SECONDS} s")
            continue
        # 75: what was left to do is in the hands of the other run.
        if run.returncode == 75:
            left_to_other += 1
        elif run.returncode != 0:
            proof.violated(f"run {index + 1} ended with {run.returncode}: {errors.strip()[-600:]}")
        elif (told := sum(json.loads(output)["counts"].values())) != cards:
            proof.violated(f"run {index + 1} tells of {told} cards, not of {cards}")
        if "database is locked" in errors:
            proof.violated(f"run {index + 1} says: database is locked")
    if left_to_other == len(runs):
        proof.violated("each run left work to the other, so that nobody did it")
    return left_to_other


def check_backups(proof, backups, verifier, backend):
    """Every backup can be restored into a new sandbox, and that is whole."""
    names = sorted(os.listdir(backups))
    for name in names:
        sandbox = Sandbox(proof.tool, proof.subfolder(f"restored-{name}"), verifier.url, backend.url)
        outcome = sandbox.run(["restore", os.path.join(backups, name)])
        if outcome.status != 0:
            proof.violated(f"restoring backup {name} ended with {outcome.status}: {outcome.tail()}")
        finding = sandbox.check()
        if finding is not None:
            proof.violated(f"backup {name}: {finding}")
        shutil.rmtree(sandbox.folder)
    proof.figure("backups restored and checked", len(names))


def prove(proof):
    cards = proof.options.cards or (40 if proof.options.quick else 500)
    overlap = cards // 4
    pairs = Pairs(proof.seed)
    photos = proof.subfolder("photos")
    total = cards - overlap
    pairs.make(photos, range(total))
    verifier = proof.keep_running(Verifier(proof.folder))
    backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
    sandbox = Sandbox(
        proof.tool,
        proof.subfolder("work"),
        verifier.url,
        backend.url,
        verification_concurrency=4,
        delivery_concurrency=4,
        imaging_concurrency=2,
    )
    cases = [os.path.join(photos, Pairs.business_number(number)) for number in range(total)]
    halves = [cases[: cards // 2], cases[total - cards // 2 :]]
    manifests = []
    for index, half in enumerate(halves):
        path = os.path.join(proof.folder, f"run-{index}.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("path,business_no\n")
            for case in half:
                for side in ("front", "back"):
                    file.write(f"{case}/{side}.jpg,{os.path.basename(case)}\n")
        manifests.append(path)
    runs = [
        sandbox.start(["run", "--manifest", path, "--quiet", "--format", "json"], stdout=subprocess.PIPE)
        for path in manifests
    ]
    backups = proof.subfolder("backups")
    loops = [
        Loop(proof, sandbox, "cards list", lambda count: ["cards", "list"]),
        Loop(proof, sandbox, "backup", lambda count: ["backup", os.path.join(backups, f"{count}.sqlite3")]),
    ]
    for loop in loops:
        loop.start()
    left_to_other = wait_for(proof, runs, cards)
    for loop in loops:
        loop.end()
    # Whatever comes after may not do what the two have left undone.
    expected = [Pairs.business_number(number) for number in range(total)]
    proof.judge_ledger(backend.ledger(), backend.refusals(), expected)
    states = Counter(card["state"] for card in sandbox.cards())
    if states != {"delivered": 2 * total}:
        proof.violated(f"after both runs the cards stand at {dict(states)}, not all {2 * total} at delivered")
    before = backend.count(), sum(verifier.requests().values())
    outcome = sandbox.take_in(photos)
    if outcome.status != 0:
        proof.violated(f"the run over everything afterwards ended with {outcome.status}: {outcome.tail()}")
    if (backend.count(), sum(verifier.requests().values())) != before:
        proof.violated("the run over everything afterwards found something left to send or to verify")
    check_backups(proof, backups, verifier, backend)
    twice = [digest for digest, count in verifier.requests().items() if count > 1]
    if twice:
        proof.violated(f"{len(twice)} photos were verified more than once")
    finding = sandbox.check()
    if finding is not None:
        proof.violated(finding)
    proof.figure("cards", f"{cards} per run, {2 * total} in all, {2 * (2 * (cards // 2) - total)} in both")
    proof.figure("verifications", f"{sum(verifier.requests().values())} of {len(verifier.requests())} photos")
    proof.figure("documents in the ledger", len(backend.ledger()))
    proof.figure("runs that ended 75, work left to the other", left_to_other)
    for loop in loops:
        proof.figure(f"`{loop.name_}` beside them", loop.count)
    shutil.rmtree(backups)


if __name__ == "__main__":
    Proof("prove-several-processes", DESCRIPTION, options).run(prove)
