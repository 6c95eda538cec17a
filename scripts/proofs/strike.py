"""strike: a command is killed before each call that writes or sends, and each call on its files fails in turn.

Afterwards the same command without a fault must bring everything to its end: each document once, fsck clean, and each photo of
a watched folder in its place alone.
"""

import concurrent.futures
import json
import os
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from functools import partial

from proofs.leaks import ERASE, Kept
from proofs.proof import Violation
from proofs.shim import told
from proofs.tool import replace_file
from proofs.trial import Range, Trial, Watched

# What a command may end with that did not do everything.
STATUSES = {1, 66, 74, 75}
# How an error names its cause; SQLite does not tell why it could not open a file. A failed read proves no damage, so nobody
# is sent to restore a backup.
CAUSE = r"(?i)input/output error|no space left|quota|disk I/O error|the disk .*(is full|failed)|(unable to open|readonly) database"
MISLEADING = r"restore it from a backup"
# What fsck may say of an erasing that was killed: that it has to be given again.
CUT_OFF, ONE = "erasure_cut_off", "1 finding"
# The error, whether it stays, and whether the sandbox holds a pair already.
FAILURES = [
    ("EIO", False, False), ("EIO", True, False), ("ENOSPC", False, False), ("ENOSPC", True, False), ("EIO", False, True),
    ("EDQUOT", True, False),
]
WATCH_FAILURES = [("EIO", False, False), ("ENOSPC", False, False)]


def kills(proof, kind=Trial, name="kills"):
    """A command is killed before each call, now and then the one that recovers as well."""
    stage = Range(proof, name)
    first = kind(stage, [stage.case()])
    counts = stage.shim.counts(first.run("count"))
    first.recover("without a fault")
    calls = stage.calls(counts, kind.most)

    def attempt(job):
        index, call, again = job
        trial = kind(stage, [index])
        trial.run("kill", **call)
        if not trial.outcome.was_killed:
            trial.judge(trial.outcome, f"{name}, {call}: what was not reached")
        killed = [trial.outcome.was_killed]
        if again:
            trial.run("kill", **again)
            killed.append(trial.outcome.was_killed)
        trial.recover(f"{name}, {call}")
        return killed

    missed, killed = calls, []
    for _ in range(kind.rounds):
        jobs = [(stage.case(), call, proof.random.random() < 0.3 and proof.random.choice(calls)) for call in missed]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(attempt, jobs))
        missed = [call for call, (is_killed, *_) in zip(missed, results, strict=True) if not is_killed]
        killed += results
    proof.expect_injected(name, sum(first for first, *_ in killed), len(calls))
    stage.end()
    proof.figure(f"{name}: points", f"{len(calls)} of {told(counts)}")
    proof.figure(f"{name}: killed", f"{sum(first for first, *_ in killed)}, and {sum(sum(again) for _, *again in killed)} recoveries")


def failures(proof, kind=Trial, name="failures", errors=FAILURES):
    """Each call on files of the sandbox and the photos fails, once or from then on."""
    stage = Range(proof, name)
    statuses = Counter()
    for error, stays, is_used in errors:
        what = f"{name}: {error} {'from then on' if stays else 'once'}{', in a used sandbox' if is_used else ''}"
        # On a disk that stays full intake waits for room as long as its patience lasts.
        settings = {"run_patience": "2s"} if stays and error in {"ENOSPC", "EDQUOT"} else {}

        def cases(is_used=is_used):
            return [stage.case() for _ in range(1 + is_used)]

        # Made when its turn comes: each keeps a reserve on the disk, and there are hundreds.
        def attempt(job, error=error, stays=stays, what=what, settings=settings):
            call, trial = job[0], kind(stage, job[1], **settings)
            struck = stage.shim.struck(trial.run("fail", **call, errno=error, sticky=int(stays)))
            judge_failure(proof, trial, f"{what}, {call} ({struck})")
            return trial.end, struck

        first = kind(stage, cases(), **settings)
        counts = stage.shim.counts(first.run("fail", -1, errno=error))
        first.recover(f"{what}, no call")
        calls = stage.calls(counts, kind.most)
        missed = calls
        for _ in range(kind.rounds):
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                results = list(pool.map(attempt, [(call, cases()) for call in missed]))
            statuses.update(end for end, _ in results)
            missed = [call for call, (_, struck) in zip(missed, results, strict=True) if struck is None]
        proof.expect_injected(what, len(calls) - len(missed), len(calls))
        proof.figure(what, f"{len(calls)} of {told(counts)}")
        proof.progress(f"{what}: {len(calls)} calls")
    stage.end()
    proof.figure(f"{name}: exit statuses", ", ".join(f"{count} times {end}" for end, count in sorted(statuses.items(), key=str)))


def judge_failure(proof, trial, what):
    """Whether the end was orderly and the recovery complete."""
    outcome = trial.outcome
    if outcome.crash is not None:
        proof.violated(f"{what}: {outcome.crash}: {outcome.tail()}")
    elif outcome.status == trial.orderly:
        trial.judge_orderly(what)
    elif outcome.status not in STATUSES:
        proof.violated(f"{what}: exit status {outcome.status}: {outcome.tail()}")
    elif not re.search(CAUSE, said(outcome)) or re.search(MISLEADING, said(outcome)):
        proof.violated(f"{what}: exit status {outcome.status}, which does not name the cause: {said(outcome)!r}")
    trial.recover(f"{what}, ended {outcome.status}")


def said(outcome):
    """The messages of a run: warnings and error, and those of single inputs."""
    try:
        cards = json.loads(outcome.output)["cards"]
    except (ValueError, KeyError):
        cards = []
    return "\n".join([outcome.errors.strip(), *(card["message"] for card in cards if card.get("message"))])


class Upkeep:
    """A sandbox with two delivered pairs, copied for each trial of a command that tends it."""

    def __init__(self, proof):
        self.proof, self.stage = proof, Range(proof, "upkeep")
        self.photos = self.stage.photos("photos", [self.stage.case(), self.stage.case()])
        self.template = self.sandbox("template")
        proof.expect_end(self.template.take_in(self.photos), "the first run")
        self.victim = self.template.cards()[0]["card_id"]
        self.kept = Kept(self.template, [self.victim])
        self.backup = os.path.join(self.stage.folder, "template.sqlite3")
        proof.expect_end(self.template.run(["backup", self.backup]), "the backup")

    def sandbox(self, name):
        key = os.path.join(self.stage.folder, f"{name}.key")
        replace_file(key, self.proof.tool.vault_key + "\n")
        return self.stage.new_sandbox(name, vault_key=None, vault_key_file=key)

    def fresh(self, name):
        sandbox = self.sandbox(name)
        shutil.copytree(self.template.path, sandbox.path)
        return sandbox

    def trial(self, name, command, at):
        """Kills the command before call `at`, gives it again, and judges; whether it came that far."""
        found, where = len(self.proof.violations), f"`{name}`, point {at}"
        sandbox = self.fresh(f"{name.replace(' ', '-')}-{at}")
        arguments, backup = command(sandbox), os.path.join(sandbox.folder, "backup.sqlite3")
        outcome = sandbox.run(arguments, self.stage.shim.variables("kill", at=at))
        if not outcome.was_killed:
            self.proof.expect_end(outcome, f"{where}: not reached, it")
        checked = sandbox.run(["fsck"])
        if checked.status != 0 and not (name == "cards erase" and CUT_OFF in checked.output and ONE in checked.output):
            self.proof.violated(f"{where}, killed: fsck ended with {checked.status}: {checked.output[-300:]}")
        is_there = os.path.exists(backup)
        self.judge_backup(backup, where)
        # A backup that is there is never replaced.
        self.proof.expect_end(sandbox.run(arguments), f"{where}: given again it", 64 if is_there else 0)
        self.judge_backup(backup, where)
        wanted = ["delivered"] * 4 if name != "cards erase" else ["delivered"] * 3 + ["erased"]
        self.proof.expect(sandbox.states() == wanted, f"{where}: the cards stand at {sandbox.states()}")
        if name == "cards erase":
            left = list(self.kept.left_in(sandbox.path))
            self.proof.expect(not left, f"{where}: what was kept before still stands in {left[:3]}")
        self.proof.expect_end(sandbox.take_in(self.photos), f"{where}: the run after it")
        self.proof.expect_whole(sandbox, f"{where}, given again")
        if len(self.proof.violations) == found:
            shutil.rmtree(sandbox.folder)
        return outcome.was_killed

    def judge_backup(self, path, where):
        if os.path.exists(path):
            with closing(sqlite3.connect(path)) as database:
                count = database.execute("SELECT count(*) FROM card").fetchone()[0]
                sound = database.execute("PRAGMA integrity_check").fetchone()[0]
            self.proof.expect((count, sound) == (4, "ok"), f"{where}: half a backup: {count} cards, {sound}")


def upkeep(proof):
    """backup, restore, cards erase and keys rotate are killed before each call."""
    course = Upkeep(proof)
    documents = course.stage.backend.count()
    commands = {
        "backup": lambda sandbox: ["backup", os.path.join(sandbox.folder, "backup.sqlite3")],
        "restore": lambda sandbox: ["restore", course.backup, "--force"],
        "cards erase": lambda sandbox: [*ERASE, course.victim],
        "keys rotate": lambda sandbox: ["keys", "rotate"],
    }
    for name, command in commands.items():
        counting, report = course.fresh(f"counting-{name.replace(' ', '-')}"), os.path.join(proof.folder, "calls")
        counted = counting.run(command(counting), course.stage.shim.variables("count", report))
        proof.expect_end(counted, f"`{name}` without a fault")
        counts = course.stage.shim.counts(course.stage.shim.lines(report))
        points = course.stage.points(counts)
        killed = sum(course.trial(name, command, at) for at in points)
        proof.expect_injected(name, killed, len(points))
        proof.figure(f"`{name}`", f"{killed} kills at points {told(counts)}")
    if course.stage.backend.count() != documents:
        raise Violation(f"the backend had {documents} documents and has {course.stage.backend.count()}: sent again")
    course.stage.end()


PARTS = {
    "kills": kills,
    "failures": failures,
    "watch-kills": partial(kills, kind=Watched, name="watch-kills"),
    "watch-failures": partial(failures, kind=Watched, name="watch-failures", errors=WATCH_FAILURES),
    "upkeep": upkeep,
}
