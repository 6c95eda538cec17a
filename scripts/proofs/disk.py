"""disk: the power is cut under a run, and the disk under the sandbox runs full. Root only, to mount file systems.

What was reported before a cut stands at least there afterwards. A full disk stops intake, in words; what is there is
delivered, erasing works, and a watch goes on by itself when there is room.
"""

import json
import os
import subprocess
import threading
from collections import Counter
from pathlib import Path

from proofs.cut_disk import CutDisk, require
from proofs.leaks import ERASE
from proofs.proof import Skip, Violation
from proofs.stage import Stage
from proofs.tool import HANG_SECONDS, until

REACHED = ["prepared", "verified", "delivering", "delivered"]
MEGABYTE = 1 << 20
# Below 64 MiB free (or what intake needs, if that is less) nothing is verified; the reserve has 32.
SIZE, INTAKE, LITTLE = 320 * MEGABYTE, 96 * MEGABYTE, 80 * MEGABYTE
NOBODY = "http://127.0.0.1:9"


def control(proof, disk):
    """The same cut under two files: what was not synchronised must be gone, else the rig sees nothing; what was must be there."""
    disk.power_on()
    for name in ("synchronised", "not synchronised"):
        with open(os.path.join(disk.mount_point, name), "wb", buffering=0) as file:
            file.write(b"specimen")
            if name == "synchronised":
                os.fsync(file)
    disk.cut(None)
    disk.look()
    found = {path.name: path.read_bytes() for path in Path(disk.mount_point).iterdir() if path.is_file()}
    disk.unmount()
    if found.get("synchronised") != b"specimen" or found.get("not synchronised"):
        raise Violation(f"control: of a file that was synchronised and one that was not {found} survived")


class Witness:
    """Reads what a run reports, and remembers how far each card was said to be."""

    def __init__(self, known):
        self.cards, self.known, self.tail = {}, known, []

    def read(self, process, goal=float("inf")):
        """Until so much news was reported, or the run ended; whether it still runs."""
        while len(self.cards) < goal and (line := process.stdout.readline()):
            try:
                record = json.loads(line)
            except ValueError:
                record = {}
            card, state = record.get("card_id", record.get("card.id")), record.get("state", record.get("card.state"))
            # What was reported before an earlier cut is no news.
            if card and state in REACHED and reached(state) > reached(self.cards.get(card, self.known.get(card))):
                self.cards[card] = state
            elif record.get("level") not in ("debug", "trace", "info"):
                self.tail = (self.tail + [line])[-6:]
        return process.poll() is None


def reached(state):
    return REACHED.index(state) if state in REACHED else -1


def compare(proof, sandbox, where, acknowledged):
    """What the sandbox holds after a cut with what was reported."""
    proof.expect_whole(sandbox, where)
    found = {card["card_id"]: card["state"] for card in sandbox.cards()}
    gone = [card for card in acknowledged if card not in found]
    proof.expect(not gone, f"{where}: {len(gone)} of {len(acknowledged)} acknowledged cards are gone")
    behind = [card for card, state in acknowledged.items() if found.get(card) in REACHED and reached(found[card]) < reached(state)]
    proof.expect(not behind, f"{where}: {len(behind)} cards stand behind what was reported of them")


def power(proof):
    require()
    cuts, per_cut = (3, 2) if proof.quick else (25, 4)
    stage = Stage(proof, "power")
    disk = proof.keep_running(CutDisk(stage.folder))
    control(proof, disk)
    path = os.path.join(disk.mount_point, "sandbox")
    sandbox = stage.new_sandbox(sandbox_path=path, sandbox_intake_free_space="1MiB", log_level="debug", log_format="json")
    acknowledged, done, runs = {}, 0, 0
    while done < cuts:
        photos = stage.photos("photos", range(runs * per_cut, (runs + 1) * per_cut))
        runs += 1
        disk.power_on()
        process = sandbox.start(["run", photos, "--quiet", "--format", "jsonl"], stderr=subprocess.STDOUT)
        hang = threading.Timer(HANG_SECONDS, process.kill)
        hang.start()
        witness = Witness(acknowledged)
        is_cut = witness.read(process, proof.random.randint(0, 2 * per_cut))
        hang.cancel()
        disk.cut(process)
        witness.read(process)
        done += is_cut
        if not is_cut and process.returncode != 0:
            proof.violated(f"run {runs} ended with {process.returncode} before the cut: {''.join(witness.tail)}")
        if runs > 3 * cuts + 10:
            raise Violation(f"only {done} of {runs} runs were at work when the power was cut")
        acknowledged.update(witness.cards)
        disk.look()
        if acknowledged:
            compare(proof, sandbox, f"cut {done}", acknowledged)
        disk.unmount()
    disk.power_on()
    proof.expect_end(sandbox.take_in(photos), "the run after the last cut")
    proof.expect_whole(sandbox, "at the end")
    disk.cut(None)
    stage.judge(range(runs * per_cut))
    proof.expect(acknowledged, "no card was acknowledged before a cut: there was nothing to prove")
    proof.figure("cuts", f"{done} while a run was at work, in {runs} runs")
    proof.figure("cards acknowledged before a cut", len(acknowledged))


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
        self.empty()
        with open(self.filler, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, self.free - free)

    def empty(self):
        if os.path.exists(self.filler):
            os.unlink(self.filler)

    def stop(self):
        subprocess.run(["umount", "-l", self.path], check=False)


class Course(Stage):
    """The one sandbox on the small disk, with other settings each time."""

    def __init__(self, proof):
        super().__init__(proof, "full")
        self.disk = proof.keep_running(SmallDisk(self.folder))

    def sandbox(self, **settings):
        path = os.path.join(self.disk.path, "sandbox")
        return self.new_sandbox(sandbox_path=path, sandbox_intake_free_space=INTAKE, **settings)

    def some(self, *indices):
        return self.photos(f"photos-{indices[0]}", indices)

    def expect_states(self, where, **wanted):
        counts = Counter(self.sandbox().states())
        self.expect(counts == wanted, f"{where}: the cards stand at {dict(counts)}, not {wanted}")
        self.proof.expect_whole(self.sandbox(), where)

    def expect_refusal(self, where, *indices):
        """New photos are refused in words, on a full disk."""
        outcome = self.sandbox(run_patience="1s").take_in(self.some(*indices))
        self.proof.expect_end(outcome, where, 1, 74, 75)
        if "free" not in (outcome.output + outcome.errors).lower():
            self.proof.violated(f"{where}: nobody is told to free some space: {outcome.output[-300:]} {outcome.tail()}")

    def expect_resumption(self, *indices):
        """A watch on a full disk goes on when there is room, without a restart."""
        goal = self.backend.count() + 2 * len(indices)
        process = self.sandbox(watch_quiet_time="200ms").start(["watch", self.some(*indices)], stdout=subprocess.DEVNULL)
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "free some space" in line:
                break
        self.disk.empty()
        until(lambda: self.backend.count() >= goal, process)
        process.terminate()
        _, errors = process.communicate(timeout=HANG_SECONDS)
        if self.backend.count() < goal or process.returncode != 143:
            words = "".join(lines[-5:]) + errors[-600:]
            self.proof.violated(f"a watch that met a full disk did not go on, ended with {process.returncode}: {words}")


def full(proof):
    if os.geteuid() != 0:
        raise Skip("needs root, to mount a tmpfs")
    course = Course(proof)
    disk = course.disk
    # Three cases that wait for the verifier, three that wait for the backend, and one that is erased.
    course.sandbox(verification_url=NOBODY, run_patience="1s").take_in(course.some(0, 1, 2))
    course.expect_states("before", prepared=6)
    disk.leave(LITTLE)
    course.expect_refusal("little room", 3, 4)
    course.expect_states("little room", delivered=6)
    disk.empty()
    course.sandbox(delivery_url=NOBODY, run_patience="1s").take_in(course.some(5, 6, 7))
    disk.leave(0)
    proof.figure("free when the disk was full", f"{disk.free} bytes")
    course.expect_refusal("no room", 8, 9)
    course.expect_states("no room", delivered=12)
    # With room the reserve is made again.
    disk.empty()
    proof.expect_end(course.sandbox().take_in(course.some(5, 6, 7)), "with room again the run")
    card = course.sandbox().cards("--state", "delivered")[0]["card_id"]
    disk.leave(0)
    proof.expect_end(course.sandbox().run([*ERASE, card]), "erasing on a full disk")
    course.expect_states("erased on a full disk", delivered=11, erased=1)
    disk.empty()
    proof.expect_end(course.sandbox().take_in(course.some(5, 6, 7)), "with room again the run")
    disk.leave(LITTLE)
    course.expect_resumption(10, 11)
    proof.expect_end(course.sandbox().take_in(course.some(3, 4), course.some(8, 9)), "the run over the rest")
    course.expect_states("at the end", delivered=23, erased=1)
    course.judge(range(12))
    proof.figure("erasing on a full disk", "works")


PARTS = {"power": power, "full": full}
