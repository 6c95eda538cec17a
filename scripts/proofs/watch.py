"""scripts/prove-watch: photos arrive in a watched folder in every way while the process is killed and started again."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter

from proofs.cards import Pairs
from proofs.endpoints import Backend, Verifier
from proofs.proof import Proof
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Lets 2,000 photos (1,000 pairs) arrive in a watched folder by copy, move, slow writing, temporary name and rename, tar,
and from 16 writers at once, into nested folders, some with a sidecar that comes after its photo; meanwhile the process is
killed (SIGKILL) and started again, at least three times. Expects exactly one accepted document per side in the backend's ledger, every photo
and sidecar in its place below `done` with its own bytes, nothing else anywhere, and a clean fsck."""

WRITERS = 16
QUIET_SECONDS = 1
# The slow writer takes longer than a file has to stand still, and never stands still for so long.
SLOW_SECONDS, SLOW_PARTS = 1.5 * QUIET_SECONDS, 12
LATE_SECONDS = 2 * QUIET_SECONDS
WAYS = ("copy", "move", "slow", "rename", "tar")


def options(parser):
    parser.add_argument("--cards", type=int, help="how many photos (default: 2000; with --quick 80)")
    parser.add_argument("--kills", type=int, help="how many kills (default: 3; with --quick 3)")
    parser.add_argument("--done-in", help="where `done` is made, such as another file system (default: the watched folder)")


class Arrivals:
    """Brings photos into a folder from several threads, each in its way."""

    def __init__(self, outside, inbox, random):
        self.outside, self.inbox, self.random = outside, inbox, random
        # What is expected below `done`: a path and the digest of its bytes.
        self.expected = {}
        self.lock = threading.Lock()
        self.errors = []

    def plan(self, pairs):
        """The photos as (relative path, bytes of a sidecar or None), in bundles of one way each."""
        bundles = []
        for index in pairs:
            number = Pairs.business_number(index)
            way = WAYS[index % len(WAYS)]
            depth = "/".join(f"level-{index % 7 + step}" for step in range(index % 3))
            # Every seventh pair lies in a folder that says nothing; its number comes from the sidecar.
            has_sidecar = index % 7 == 3
            folder = os.path.join(depth, f"mixed-{index}" if has_sidecar else number)
            sidecar = json.dumps({"business_no": number}).encode() if has_sidecar else None
            bundles.append((way, index, [(os.path.join(folder, side), sidecar) for side in ("front.jpg", "back.jpg")]))
        return bundles

    def source(self, index, path):
        return os.path.join(self.outside, Pairs.business_number(index), os.path.basename(path))

    def expect(self, path, data):
        with self.lock:
            self.expected[path] = hashlib.sha256(data).hexdigest()

    def bring(self, bundle):
        way, index, files = bundle
        for path, sidecar in files:
            with open(self.source(index, path), "rb") as file:
                self.expect(path, file.read())
            if sidecar is not None:
                self.expect(path + ".json", sidecar)
        if way == "tar":
            return self.extract(index, files)
        for path, sidecar in files:
            target = os.path.join(self.inbox, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            getattr(self, way)(self.source(index, path), target)
            # After the image, whose folder's name would be a number, too: the watch has to wait for it.
            if sidecar is not None:
                # For every second pair long after the image is complete.
                time.sleep(LATE_SECONDS * (index % 2))
                self.write(target + ".json", sidecar)

    @staticmethod
    def write(path, data):
        with open(path, "wb") as file:
            file.write(data)

    def copy(self, source, target):
        shutil.copyfile(source, target)

    def move(self, source, target):
        os.rename(source, target)

    def slow(self, source, target):
        with open(source, "rb") as file:
            data = file.read()
        with open(target, "wb", buffering=0) as file:
            for part in range(SLOW_PARTS):
                file.write(data[part * len(data) // SLOW_PARTS : (part + 1) * len(data) // SLOW_PARTS])
                time.sleep(SLOW_SECONDS / SLOW_PARTS)

    def rename(self, source, target):
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name}.a1B2c3")
        shutil.copyfile(source, temporary)
        os.rename(temporary, target)

    def extract(self, index, files):
        stage = os.path.join(self.outside, f"stage-{index}")
        for path, sidecar in files:
            staged = os.path.join(stage, path)
            os.makedirs(os.path.dirname(staged), exist_ok=True)
            shutil.copyfile(self.source(index, path), staged)
            if sidecar is not None:
                self.write(staged + ".json", sidecar)
        archive = stage + ".tar"
        paths = [path for path, _ in files]
        # In this order they are extracted, too.
        members = paths + [path + ".json" for path, sidecar in files if sidecar is not None]
        subprocess.run(["tar", "-C", stage, "-cf", archive, "--", *members], check=True)
        subprocess.run(["tar", "-C", self.inbox, "-xf", archive], check=True)
        shutil.rmtree(stage)
        os.remove(archive)

    def run(self, bundles):
        """Brings all bundles, by as many writers as there are; returns the threads."""
        shares = [bundles[writer::WRITERS] for writer in range(WRITERS)]
        threads = [threading.Thread(target=self.work, args=(share, self.random.random())) for share in shares]
        for thread in threads:
            thread.start()
        return threads

    def work(self, share, pause):
        try:
            for bundle in share:
                self.bring(bundle)
                time.sleep(pause / 20)
        except Exception as error:
            self.errors.append(error)


def files_below(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(path, name), folder)


class Watch:
    """The command under proof, started again after each kill."""

    def __init__(self, proof, sandbox, inbox):
        self.proof, self.sandbox, self.inbox = proof, sandbox, inbox
        self.log = open(os.path.join(proof.folder, "watch.log"), "a", encoding="utf-8")
        self.process = None

    def start(self):
        self.process = self.sandbox.start(
            ["watch", self.inbox, "--format", "jsonl"], stdout=subprocess.DEVNULL, stderr=self.log
        )

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


def prove(proof):
    quick = proof.options.quick
    cards = proof.options.cards or (80 if quick else 2000)
    kills = proof.options.kills if proof.options.kills is not None else 3
    total = cards // 2
    outside, inbox = proof.subfolder("outside"), proof.subfolder("inbox")
    done, settings = os.path.join(inbox, "done"), {}
    if proof.options.done_in is not None:
        done = tempfile.mkdtemp(prefix="idcard-done-", dir=proof.options.done_in)
        settings["watch_done_folder"] = done
        proof.figure("done on another file system", os.stat(done).st_dev != os.stat(inbox).st_dev)
    pairs = Pairs(proof.seed)
    pairs.make(outside, range(total))
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
        watch_quiet_time=f"{QUIET_SECONDS}s",
        watch_rescan_interval="10s",
        # The number is the name of the innermost folder, at three depths.
        intake_business_no_from="pattern:([^/]+)/[^/]+$",
        **settings,
    )
    arrivals = Arrivals(outside, inbox, proof.random)
    bundles = arrivals.plan(range(total))
    watch = Watch(proof, sandbox, inbox)
    # Some are there before anybody looks, sidecars among them; the rest arrives meanwhile.
    for bundle in bundles[: total // 10]:
        arrivals.bring(bundle)
    watch.start()
    threads = arrivals.run(bundles[total // 10 :])
    for kill in range(kills):
        goal = 2 * total * (kill + 1) // (kills + 1)
        wait_for(proof, backend, goal * proof.random.uniform(0.6, 1), watch)
        watch.kill()
        proof.progress(f"kill {kill + 1}: {backend.count()} documents")
        watch.start()
    for thread in threads:
        thread.join()
    for error in arrivals.errors:
        proof.violated(f"a photo could not be brought: {error}")
    started = time.monotonic()
    wait_for(proof, backend, 2 * total, watch)
    wait_until_put_away(done, len(arrivals.expected))
    proof.figure("seconds from the last arrival to the end", f"{time.monotonic() - started:.1f}")
    status = watch.end()
    if status != 143:
        proof.violated(f"the watch ended with {status}, not by the signal: see watch.log")
    judge(proof, arrivals, inbox, done)
    if proof.options.done_in is not None:
        shutil.rmtree(done)
    finding = sandbox.check()
    if finding is not None:
        proof.violated(finding)
    numbers = [Pairs.business_number(index) for index in range(total)]
    proof.judge_ledger(backend.ledger(), backend.refusals(), numbers)
    proof.figure("photos", 2 * total)
    proof.figure("sidecars", len(arrivals.expected) - 2 * total)
    proof.figure("ways", ", ".join(WAYS) + f"; {WRITERS} writers")
    proof.figure("kills", kills)
    proof.figure("documents in the ledger", len(backend.ledger()))
    repeats = sum(count - 1 for count in verifier.requests().values())
    proof.figure("photos verified again after a kill", repeats)


def wait_for(proof, backend, goal, watch):
    """Waits until so many documents have arrived, as long as there is progress."""
    last, since = -1, time.monotonic()
    while (now := backend.count()) < goal:
        if watch.process.poll() is not None:
            proof.violated(f"the watch ended by itself with {watch.process.returncode}: see watch.log")
            return
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() - since > HANG_SECONDS:
            proof.violated(f"no progress at {now} documents of {goal:.0f}")
            return
        time.sleep(0.05)


def wait_until_put_away(done, count):
    """The last files are moved after their cards are durable, maybe after the documents have arrived."""
    end = time.monotonic() + HANG_SECONDS
    while sum(1 for _ in files_below(done)) < count and time.monotonic() < end:
        time.sleep(0.2)


def judge(proof, arrivals, inbox, done):
    """Every file in its place with its bytes, and no other file."""
    found = {}
    for folder in (inbox, done):
        for path in files_below(folder):
            path = os.path.join(folder, path)
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            is_done = path.startswith(done + os.sep)
            found[os.path.join("done", os.path.relpath(path, done)) if is_done else os.path.relpath(path, inbox)] = digest
    wanted = {os.path.join("done", path): digest for path, digest in arrivals.expected.items()}
    for path in sorted(wanted.keys() - found.keys()):
        proof.violated(f"{path} is missing")
    for path in sorted(found.keys() - wanted.keys()):
        proof.violated(f"{path} is where nothing should be")
    for path in sorted(wanted.keys() & found.keys()):
        if wanted[path] != found[path]:
            proof.violated(f"{path} does not hold the bytes that arrived")
    places = Counter(path.split(os.sep)[0] for path in found)
    proof.figure("files by place", ", ".join(f"{place}: {count}" for place, count in sorted(places.items())))


if __name__ == "__main__":
    Proof("prove-watch", DESCRIPTION, options).run(prove)
