"""scripts/prove-power-cut: the power is cut again and again; what was acknowledged before is there afterwards."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

from proofs.cards import Pairs
from proofs.cut_disk import CutDisk, require
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof, Violation
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Keeps the sandbox on a file system (ext4 over loop over nbdfuse over nbdkit) from which the power is taken at random
moments, at least 20 times. After each cut: the database is sound, every card whose intake, verification or delivery was
reported before stands at least there, fsck is clean. At the end: every document exactly once in the backend's ledger.

As a control the same cut is made under two small SQLite programs: with synchronous=NORMAL acknowledged rows must be gone
(else the rig would see nothing), with FULL none may be.

Root only."""

CONTROL = """
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("PRAGMA journal_mode = WAL")
c.execute("PRAGMA synchronous = " + sys.argv[2])
c.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY)")
n = 0
while True:
    n += 1
    c.execute("INSERT INTO t VALUES (?)", (n,))
    print(n, flush=True)
"""
CONTROL_ROWS = 300
REACHED = ["prepared", "verified", "delivering", "delivered"]


def options(parser):
    parser.add_argument("--cuts", type=int, help="how many cuts (default: 25; with --quick 4)")


def control(proof, disk, level):
    """(rows acknowledged, rows found) of a program with that `synchronous`."""
    disk.power_on()
    path = os.path.join(disk.mount_point, f"control-{level}.sqlite3")
    process = subprocess.Popen([sys.executable, "-c", CONTROL, path, level], stdout=subprocess.PIPE, text=True)
    acknowledged = 0
    while acknowledged < CONTROL_ROWS:
        acknowledged = int(process.stdout.readline())
    disk.cut(process)
    process.stdout.close()
    disk.look()
    try:
        with closing(sqlite3.connect(path)) as database:
            found = database.execute("SELECT count(*) FROM t").fetchone()[0]
    except sqlite3.DatabaseError:
        found = 0
    disk.unmount()
    return acknowledged, found


class Witness:
    """Reads what a run reports and remembers how far each card was said to be."""

    def __init__(self, process, goal, known):
        self.cards = {}
        self.known = known
        self.process = process
        self.goal = goal
        self.count = 0
        self.changed = threading.Condition()
        self.tail = []
        self.open = 2
        self.threads = [
            threading.Thread(target=self._read, args=(process.stdout, self._report)),
            threading.Thread(target=self._read, args=(process.stderr, self._log)),
        ]
        for thread in self.threads:
            thread.start()

    def wait(self):
        """Waits until so many things were reported as was asked for, or the run ended. Whether it is still going."""
        with self.changed:
            self.changed.wait_for(lambda: self.count >= self.goal or self.open == 0, timeout=HANG_SECONDS)
        return self.process.poll() is None

    def join(self):
        for thread in self.threads:
            thread.join()

    def _read(self, stream, take):
        for line in stream:
            take(line)
        with self.changed:
            self.open -= 1
            self.changed.notify_all()

    def _note(self, card, state):
        with self.changed:
            before = self.cards.get(card, self.known.get(card))
            if state in REACHED and (before is None or REACHED.index(state) > REACHED.index(before)):
                self.cards[card] = state
                # What was reported before an earlier cut is no news.
                self.count += 1
                self.changed.notify_all()

    def _report(self, line):
        try:
            report = json.loads(line)
        except ValueError:
            return
        if report.get("card_id") and report.get("state") == "delivered":
            self._note(report["card_id"], "delivered")

    def _log(self, line):
        try:
            record = json.loads(line)
        except ValueError:
            self.tail = (self.tail + [line])[-6:]
            return
        if record.get("level") not in ("debug", "trace", "info"):
            self.tail = (self.tail + [line])[-6:]
        if record.get("card.id") and record.get("card.state"):
            self._note(record["card.id"], record["card.state"])


def look_at(proof, disk, where, acknowledged):
    """Compares what the sandbox holds after a cut with what was reported."""
    folder = os.path.join(disk.mount_point, "sandbox")
    copy = os.path.join(proof.folder, "after-cut")
    shutil.rmtree(copy, ignore_errors=True)
    if not os.path.isdir(folder):
        if acknowledged:
            proof.violated(f"{where}: the sandbox is gone with {len(acknowledged)} acknowledged cards")
        return
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*-shm"))
    path = os.path.join(copy, "sandbox.sqlite3")
    if not os.path.exists(path):
        if acknowledged:
            proof.violated(f"{where}: the database is gone with {len(acknowledged)} acknowledged cards")
        return
    with closing(sqlite3.connect(path)) as database:
        sound = [row[0] for row in database.execute("PRAGMA integrity_check")]
        if sound != ["ok"]:
            proof.violated(f"{where}: integrity_check says {sound[:3]}")
        has_cards = database.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'card'").fetchone()[0]
        found = dict(database.execute("SELECT id, state FROM card").fetchall()) if has_cards else {}
    missing = [card for card in acknowledged if card not in found]
    if missing:
        proof.violated(f"{where}: {len(missing)} of {len(acknowledged)} acknowledged cards are gone")
    behind = [
        card
        for card, state in acknowledged.items()
        if found.get(card) in REACHED and REACHED.index(found[card]) < REACHED.index(state)
    ]
    if behind:
        proof.violated(f"{where}: {len(behind)} cards stand behind what was reported of them")


def prove(proof):
    require()
    cuts = proof.options.cuts or (4 if proof.options.quick else 25)
    disk = CutDisk(proof.folder)
    proof.services.append(disk.stop)
    for level in ("NORMAL", "FULL"):
        acknowledged, found = control(proof, disk, level)
        proof.figure(f"control, synchronous={level}", f"{acknowledged} rows acknowledged, {found} found after the cut")
        proof.progress(f"control {level}: {acknowledged} acknowledged, {found} found")
        if level == "NORMAL" and found >= acknowledged:
            proof.violated("the control with synchronous=NORMAL lost nothing: this rig cannot see a lost commit")
        if level == "FULL" and found < acknowledged:
            proof.violated("the control with synchronous=FULL lost rows: this rig loses what was synced")

    per_cut = 6
    pairs = Pairs(proof.seed)
    verifier = proof.keep_running(Verifier(proof.folder))
    backend = proof.keep_running(Backend(proof.tool.binary, proof.folder))
    sandbox = Sandbox(
        proof.tool,
        proof.subfolder("work"),
        verifier.url,
        backend.url,
        sandbox_path=os.path.join(disk.mount_point, "sandbox"),
        log_level="debug",
        log_format="json",
        verification_concurrency=2,
        delivery_concurrency=2,
    )
    photos = proof.subfolder("photos")
    acknowledged, made, runs, missed = {}, 0, 0, 0
    done = 0
    while done < cuts:
        pairs.make(photos, range(made, made + per_cut))
        made += per_cut
        disk.power_on()
        process = sandbox.start(["run", photos, "--quiet", "--format", "jsonl"])
        runs += 1
        # Each card is reported when it is taken in, when it leaves verification and when it is delivered.
        witness = Witness(process, proof.random.randint(0, 6 * per_cut), acknowledged)
        is_going = witness.wait()
        disk.cut(process)
        witness.join()
        process.stdout.close()
        process.stderr.close()
        if is_going:
            done += 1
        else:
            missed += 1
            if missed > 2 * cuts + 10:
                raise Violation(f"{missed} of {runs} runs ended before the cut: there was nothing to prove")
            if process.returncode != 0:
                proof.violated(f"run {runs} ended with {process.returncode} before the cut: {''.join(witness.tail)}")
        for card, state in witness.cards.items():
            before = acknowledged.get(card, REACHED[0])
            acknowledged[card] = max(before, state, key=REACHED.index)
        disk.look()
        look_at(proof, disk, f"cut {done}", acknowledged)
        if os.path.exists(os.path.join(disk.mount_point, "sandbox", "sandbox.sqlite3")):
            finding = sandbox.check()
            if finding is not None and "there is no sandbox" not in finding:
                proof.violated(f"cut {done}: {finding}")
        disk.unmount()
        if done % 5 == 0 and is_going:
            proof.progress(f"{done} cuts, {len(acknowledged)} cards acknowledged")
    disk.power_on()
    outcome = sandbox.take_in(photos)
    if outcome.status != 0:
        proof.violated(f"the run after the last cut ended with {outcome.status}: {outcome.tail()}")
    finding = sandbox.check()
    if finding is not None:
        proof.violated(f"at the end: {finding}")
    disk.cut(None)
    proof.judge_ledger(backend.ledger(), backend.refusals(), [Pairs.business_number(number) for number in range(made)])
    proof.figure("cuts", f"{done} while a run was at work, in {runs} runs")
    if not acknowledged:
        proof.violated("no card was acknowledged before a cut: there was nothing to prove")
    gone = "" if proof.violations else ", all there afterwards"
    proof.figure("cards acknowledged before a cut", f"{len(acknowledged)}{gone}")
    proof.figure("documents in the ledger", f"{len(backend.ledger())}, of {made} pairs")
    proof.figure("fsck", "clean after every cut")


if __name__ == "__main__":
    Proof("prove-power-cut", DESCRIPTION, options).run(prove)
