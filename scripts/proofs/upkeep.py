"""scripts/prove-upkeep: backup, restore, erase and the change of keys are killed before every call that writes."""

import os
import shutil
import sqlite3
from contextlib import closing

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.erasure import Kept
from proofs.proof import Proof
from proofs.shim import Shim, told
from proofs.tool import Sandbox

DESCRIPTION = """\
Makes a sandbox with two delivered pairs, and for each of `backup`, `restore`, `cards erase` and both steps of `keys rotate`
kills the command before every call that writes, syncs or renames. After each kill: fsck is clean, a run over the same photos sends
nothing, the command ends well when it is given again, and what it promises is so."""


def options(parser):
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only every K-th point, from a random one")


class Task:
    """A command, and what must be so after it was given again."""

    name = ""

    def __init__(self, course):
        self.course = course

    def arguments(self, sandbox):
        raise NotImplementedError

    def environment(self):
        return {}

    def finding_after_kill(self, sandbox):
        return None

    def finding(self, sandbox):
        states = sorted(card["state"] for card in sandbox.cards())
        return None if states == ["delivered"] * 4 else f"the cards stand at {states}"


class BackupTask(Task):
    name = "backup"

    def file(self, sandbox):
        return os.path.join(sandbox.folder, "backup.sqlite3")

    def arguments(self, sandbox):
        return ["backup", self.file(sandbox), "--force"]

    def finding_after_kill(self, sandbox):
        """A backup is whole, or not there."""
        if not os.path.exists(self.file(sandbox)):
            return None
        with closing(sqlite3.connect(self.file(sandbox))) as database:
            count = database.execute("SELECT count(*) FROM card").fetchone()[0]
            sound = database.execute("PRAGMA integrity_check").fetchone()[0]
        return None if count == 4 and sound == "ok" else f"half a backup was left: {count} cards, {sound}"

    def finding(self, sandbox):
        if not os.path.exists(self.file(sandbox)):
            return "there is no backup"
        return self.finding_after_kill(sandbox) or Task.finding(self, sandbox)


class RestoreTask(Task):
    name = "restore"

    def arguments(self, sandbox):
        return ["restore", self.course.backup, "--force"]


class EraseTask(Task):
    name = "cards erase"

    def arguments(self, sandbox):
        return ["cards", "erase", self.course.victim, *self.course.proof.tool.erase_options]

    def finding(self, sandbox):
        states = sorted(card["state"] for card in sandbox.cards())
        if states != ["delivered"] * 3 + ["erased"]:
            return f"the cards stand at {states}"
        left = list(self.course.kept.left_in(sandbox.path))
        return f"what was kept before still stands in {left[:3]}" if left else None


class AnnounceTask(Task):
    name = "keys rotate"

    def arguments(self, sandbox):
        return ["keys", "rotate"]

    def environment(self):
        tool = self.course.proof.tool
        return {"IDCARD_VAULT_KEY": f"{tool.other_key},{tool.vault_key}"}

    def finding(self, sandbox):
        """The old key alone still opens the sandbox."""
        sandbox.environment["IDCARD_VAULT_KEY"] = self.course.proof.tool.vault_key
        return sandbox.check() or Task.finding(self, sandbox)


class FinishTask(AnnounceTask):
    name = "keys rotate --finish"

    def arguments(self, sandbox):
        return ["keys", "rotate", "--finish"]

    def finding(self, sandbox):
        """The new key alone opens the sandbox."""
        sandbox.environment["IDCARD_VAULT_KEY"] = self.course.proof.tool.other_key
        return sandbox.check() or Task.finding(self, sandbox)


class Course:
    """The sandbox that every trial begins with."""

    def __init__(self, proof):
        self.proof = proof
        self.shim = Shim(proof.folder)
        self.verifier = proof.keep_running(Verifier(proof.folder))
        self.backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
        self.photos = proof.subfolder("photos")
        Pairs(proof.seed).make(self.photos, range(2))
        self.template = self.sandbox("template")
        outcome = self.template.take_in(self.photos)
        if outcome.status != 0:
            proof.violated(f"the first run ended with {outcome.status}: {outcome.tail()}")
        cards = self.template.cards()
        self.victim = cards[0]["card_id"]
        self.kept = Kept(self.template, [self.victim])
        self.backup = os.path.join(proof.folder, "template.sqlite3")
        outcome = self.template.run(["backup", self.backup])
        if outcome.status != 0:
            proof.violated(f"the backup ended with {outcome.status}: {outcome.tail()}")

    def sandbox(self, name):
        return Sandbox(self.proof.tool, self.proof.subfolder(name), self.verifier.url, self.backend.url)

    def fresh(self, name):
        sandbox = self.sandbox(name)
        shutil.copytree(self.template.path, sandbox.path)
        return sandbox

    def trial(self, task, at):
        """Kills the command before call `at`, gives it again, and judges. Whether it came that far."""
        proof = self.proof
        found = len(proof.violations)
        sandbox = self.fresh(f"{task.name.replace(' ', '-')}-{at}")
        where = f"{task.name}, point {at}"
        outcome = sandbox.run(task.arguments(sandbox), {**task.environment(), **self.shim.variables("kill", at=at)})
        if not outcome.was_killed and outcome.status != 0:
            proof.violated(f"{where}: ended with {outcome.status} by itself: {outcome.tail()}")
        sandbox.environment.update(task.environment())
        for finding in (task.finding_after_kill(sandbox), sandbox.check()):
            if finding is not None:
                proof.violated(f"{where}, killed: {finding}")
        again = sandbox.run(task.arguments(sandbox))
        if again.status != 0:
            proof.violated(f"{where}: given again it ended with {again.status}: {again.tail()}")
        finding = task.finding(sandbox) or sandbox.check()
        if finding is not None:
            proof.violated(f"{where}, given again: {finding}")
        run = sandbox.take_in(self.photos)
        if run.status != 0:
            proof.violated(f"{where}: the run after it ended with {run.status}: {run.tail()}")
        if len(proof.violations) == found:
            shutil.rmtree(sandbox.folder)
        return outcome.was_killed

    def enumerate(self, task, every):
        report = os.path.join(self.proof.folder, f"calls-{task.name.replace(' ', '-')}")
        counting = self.fresh(f"counting-{task.name.replace(' ', '-')}")
        outcome = counting.run(
            task.arguments(counting), {**task.environment(), **self.shim.variables("count", report)}
        )
        if outcome.status != 0:
            self.proof.violated(f"{task.name} without a fault ended with {outcome.status}: {outcome.tail()}")
            return
        counts = self.shim.counts(report)
        total = sum(counts.values())
        if total == 0:
            self.proof.violated(f"{task.name}: no call was counted, so that there is no point to kill at")
            return
        every = min(every, total)
        offset = self.proof.random.randrange(every) if every > 1 else 0
        self.proof.progress(f"{task.name}: {total} points" + (f", every {every}th from {offset + 1}" if every > 1 else ""))
        points = range(offset + 1, total + 1, every)
        kills = sum(self.trial(task, at) for at in points)
        self.proof.expect_injected(task.name, kills, len(points))
        self.proof.figure(f"`{task.name}`", f"{kills} kills at points {told(counts)}")


def prove(proof):
    every = 20 if proof.options.quick else proof.options.every
    course = Course(proof)
    documents = course.backend.count()
    for task in (BackupTask, RestoreTask, EraseTask, AnnounceTask, FinishTask):
        course.enumerate(task(course), every)
    if course.backend.count() != documents or course.backend.refusals():
        proof.violated(f"the backend had {documents} documents and has {course.backend.count()}: something was sent again")


if __name__ == "__main__":
    Proof("prove-upkeep", DESCRIPTION, options).run(prove)
