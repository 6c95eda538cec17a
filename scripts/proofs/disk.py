"""scripts/prove-full-disk: the disk under the sandbox runs full, and has room again."""

import os
import subprocess

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof, Skip
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Keeps the sandbox on a tmpfs of 160 MB and fills that: below sandbox.intake_free_space nothing more is taken in, but what
is there is verified and delivered; below sandbox.work_free_space only delivering and erasing go on, and both still work
on a disk with no byte free (that is what the ballast is for); a run that waits for room goes on by itself when there is
some. At the end every document stands once in the backend's ledger, and fsck is clean.

Root only."""

MEGABYTE = 1 << 20
# The write-ahead log alone may have 64 MiB.
SIZE, INTAKE, WORK, BALLAST = 160 * MEGABYTE, 16 * MEGABYTE, 8 * MEGABYTE, 4 * MEGABYTE
NOBODY = "http://127.0.0.1:9"


class SmallDisk:
    """A tmpfs, and a file that takes up its room."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "small-disk")
        self.filler = os.path.join(self.path, "filler")
        os.makedirs(self.path)
        command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", self.path]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        if result.returncode != 0:
            raise Skip(f"a tmpfs cannot be mounted: {result.stderr.strip()}")

    @property
    def free(self):
        status = os.statvfs(self.path)
        return status.f_bavail * status.f_frsize

    def leave(self, free):
        """Fills the disk until so many bytes are free."""
        self.empty()
        with open(self.filler, "wb", buffering=0) as file:
            block = bytes(4096)
            while self.free > free:
                try:
                    file.write(block * max(1, min(256, (self.free - free) // 4096)))
                except OSError:
                    break

    def empty(self):
        if os.path.exists(self.filler):
            os.unlink(self.filler)

    def stop(self):
        subprocess.run(["umount", "-l", self.path], check=False)


class Course:
    def __init__(self, proof):
        self.proof = proof
        self.disk = SmallDisk(proof.folder)
        proof.services.append(self.disk.stop)
        self.pairs = Pairs(proof.seed)
        self.verifier = proof.keep_running(Verifier(proof.folder))
        self.backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
        self.taken_in = []
        self.erased = 0

    def sandbox(self, **settings):
        """The one sandbox, with other settings."""
        arguments = {
            "sandbox_path": os.path.join(self.disk.path, "sandbox"),
            "sandbox_intake_free_space": INTAKE,
            "sandbox_work_free_space": WORK,
            "sandbox_ballast": BALLAST,
            **settings,
        }
        return Sandbox(
            self.proof.tool, self.proof.subfolder("work"), self.verifier.url, self.backend.url, **arguments
        )

    def photos(self, name, numbers):
        folder = self.proof.subfolder(f"photos-{name}")
        self.pairs.make(folder, numbers)
        return folder

    def states(self):
        """How many cards stand in which state."""
        counts = {}
        for card in self.sandbox().cards():
            counts[card["state"]] = counts.get(card["state"], 0) + 1
        return counts

    def expect(self, wanted, where):
        states = self.states()
        if states != wanted:
            self.proof.violated(f"{where}: the cards stand at {states}, not {wanted}")

    def check(self, where):
        finding = self.sandbox().check()
        if finding is not None:
            self.proof.violated(f"{where}: {finding}")


def nothing_taken_in(course, where, numbers, wanted):
    """A run over new photos on a full disk: they are refused in words, and what is there goes on."""
    outcome = course.sandbox(run_patience="1s").take_in(course.photos(where.replace(" ", "-"), numbers))
    if outcome.crash is not None or outcome.status not in (1, 74, 75):
        course.proof.violated(f"{where}: the run ended with {outcome.status}: {outcome.tail()}")
    if "free" not in (outcome.output + outcome.errors).lower():
        course.proof.violated(f"{where}: nobody is told to free some space: {outcome.output[-300:]} {outcome.tail()}")
    course.expect(wanted, where)
    course.check(where)


def resumes(course, numbers):
    """A run that waits on a full disk goes on when there is room, without a restart."""
    sandbox = course.sandbox(run_patience="5m")
    process = sandbox.start(["run", course.photos("resume", numbers), "--format", "json"], stdout=subprocess.DEVNULL)
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "goes on by itself" in line:
            break
    else:
        course.proof.violated(f"resume: the run ended with {process.wait()} instead of waiting: {''.join(lines[-5:])}")
        return
    course.disk.empty()
    try:
        _, errors = process.communicate(timeout=HANG_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
    if process.returncode != 0:
        course.proof.violated(f"resume: the run ended with {process.returncode} after room was made: {errors[-600:]}")


def prove(proof):
    if os.geteuid() != 0:
        raise Skip("needs root, to mount a tmpfs")
    course = Course(proof)
    # Three cases that wait for the verifier, three that wait for the backend, and one that is done.
    course.sandbox(verification_url=NOBODY, run_patience="1s").take_in(course.photos("unverified", range(0, 3)))
    course.expect({"prepared": 6}, "before")
    course.disk.leave(INTAKE - 2 * MEGABYTE)
    nothing_taken_in(course, "little room", range(3, 5), {"delivered": 6})
    course.disk.empty()
    course.sandbox(delivery_url=NOBODY, run_patience="1s").take_in(course.photos("undelivered", range(5, 8)))
    before = course.states()
    if before.get("delivered") != 6 or sum(before.values()) != 12:
        proof.violated(f"before the full disk: the cards stand at {before}")
    course.disk.leave(0)
    left = course.disk.free
    nothing_taken_in(course, "no room", range(8, 10), {"delivered": 12})
    proof.figure("free when the disk was full", f"{left} bytes, ballast of {BALLAST // MEGABYTE} MiB")
    course.disk.leave(0)
    card = course.sandbox().cards("--state", "delivered")[0]["card_id"]
    outcome = course.sandbox().run(["cards", "erase", card, *proof.tool.erase_options])
    if outcome.status != 0:
        proof.violated(f"erasing on a full disk ended with {outcome.status}: {outcome.tail()}")
    course.expect({"delivered": 11, "erased": 1}, "erased on a full disk")
    proof.figure("erasing on a full disk", "works")
    # With room the ballast is made again, which erasing has used up.
    course.disk.empty()
    course.sandbox().take_in(course.photos("undelivered", range(5, 8)))
    course.disk.leave(0)
    resumes(course, range(10, 12))
    course.disk.empty()
    outcome = course.sandbox().take_in(course.photos("rest", [*range(3, 5), *range(8, 10)]))
    if outcome.status != 0:
        proof.violated(f"with room again the run ended with {outcome.status}: {outcome.tail()}")
    course.check("at the end")
    expected = [Pairs.business_number(number) for number in range(12)]
    proof.judge_ledger(course.backend.ledger(), course.backend.refusals(), expected)
    proof.figure("documents in the ledger", f"{len(course.backend.ledger())}, of {len(expected)} pairs")
    proof.figure("fsck", "clean")


if __name__ == "__main__":
    Proof("prove-full-disk", DESCRIPTION).run(prove)
