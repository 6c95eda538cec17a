"""The processes that may share one sandbox: each brings photos in its own way, and may be killed."""

import hashlib
import json
import os
import queue
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

from proofs.cards import Pairs
from proofs.service_client import Client, free_port, raw_card, send_until
from proofs.tool import HANG_SECONDS, until

BROKEN_SIDECAR = '{"business_no": '
# A photo that is being written takes longer than a file has to stand still, and never stands still for so long.
SLOW_PARTS, SLOW_PAUSE = 5, 0.08
QUIET_TIME = "200ms"


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def digests(folder):
    """The digest of each file below a folder, by its path from there."""
    return {str(path.relative_to(folder)): digest(path) for path in Path(folder).rglob("*") if path.is_file()}


class Worker:
    """A command over the sandbox of a mix, started again whenever it has ended."""

    # How it may end by itself: all done, some card waits, the backend stopped it, work is left to others.
    endings = (0, 1, 69, 75)
    is_service = False
    # Whether photos come by it.
    brings = True

    def __init__(self, mix, place):
        self.mix, self.process = mix, None
        self.folder = os.path.join(mix.folder, f"{place}-{type(self).__name__.lower()}")
        os.makedirs(self.folder)
        self.log = open(f"{self.folder}.log", "a", encoding="utf-8")
        # The fronts that are refused until they are mended.
        self.broken = set()

    def arguments(self):
        return ["run", "--quiet", "--format", "json"]

    def start(self):
        if self.process is not None:
            if self.process.poll() is None:
                return
            self.judge_end(self.process.returncode)
        self.process = self.mix.sandbox.start(
            self.arguments(), self.mix.clock(), stdout=subprocess.DEVNULL, stderr=self.log
        )

    def judge_end(self, status):
        if status not in self.endings:
            self.mix.violated(f"`{self.arguments()[0]}` ended with {status}: see {self.log.name}")

    def kill_within(self, seconds):
        """Kills it after so many seconds, unless it ends before; whether it was killed."""
        try:
            self.judge_end(self.process.wait(timeout=seconds))
            is_killed = False
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            is_killed = True
        self.process = None
        return is_killed

    def end(self):
        if self.process is None:
            return
        if self.is_service and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process = None
        # One that was begun a moment ago may not listen to signals yet.
        if self.is_service and status not in (143, -signal.SIGTERM):
            self.mix.violated(f"`{self.arguments()[0]}` ended with {status}, not by the signal: see {self.log.name}")
        elif not self.is_service:
            self.judge_end(status)

    def bring(self, indices):
        """Brings photos of these cases."""

    def draw(self, folder, indices):
        """Draws photos of these cases; tells them as (business number, side), in any order."""
        self.mix.pairs.make(folder, indices)
        files = [(Pairs.business_number(index), side) for index in indices for side in ("back", "front")]
        self.mix.random.shuffle(files)
        return files

    def mend(self):
        """Mends what was refused."""

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def break_sidecars(self, indices):
        for number in (Pairs.business_number(index) for index in indices if self.mix.is_broken(index)):
            self.write_sidecar(number, BROKEN_SIDECAR)
            self.broken.add(number)

    def write_sidecar(self, number, text):
        folder = os.path.join(self.folder, number)
        os.makedirs(folder, exist_ok=True)
        Path(folder, "front.jpg.json").write_text(text, "utf-8")


class Run(Worker):
    """`run` over a folder that grows."""

    def arguments(self):
        return [*super().arguments(), self.folder]

    def bring(self, indices):
        self.break_sidecars(indices)
        self.draw(self.folder, indices)

    def mend(self):
        for number in self.broken:
            self.write_sidecar(number, json.dumps({"business_no": number}))


class Pathless(Worker):
    """`run` without a path: goes on with what others left."""

    brings = False


class Backup(Worker):
    """`backup` beside the others; each that was made can be restored."""

    endings = (0, 66)
    brings = False

    def arguments(self):
        return ["backup", os.path.join(self.folder, f"{time.monotonic_ns()}.sqlite3")]

    def start(self):
        # Before the first run has made the sandbox there is none to copy.
        if os.path.exists(os.path.join(self.mix.sandbox.path, "sandbox.sqlite3")):
            super().start()

    def kill_within(self, seconds):
        return self.process is not None and super().kill_within(seconds)

    def made(self):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".sqlite3"))

    def mend(self):
        self.end()
        if not self.made():  # After few kills each of them may have been its.
            self.start()
            self.end()
        names = self.made()
        self.mix.expect(names, "no backup was made beside the others")
        if names:
            elsewhere = self.mix.new_sandbox("restored")
            restored = elsewhere.run(["restore", os.path.join(self.folder, names[-1])])
            self.mix.proof.expect_end(restored, f"{self.mix.name}: restoring a backup")
            self.mix.proof.expect_whole(elsewhere, f"{self.mix.name}: the backup made beside others")


class Watch(Worker):
    """`watch` over a folder into which photos come by copy, move, slow writing, and rename."""

    is_service = True

    def __init__(self, mix, place):
        super().__init__(mix, place)
        self.outside = f"{self.folder}-outside"
        # What is to lie below `done`: a path and the digest of its bytes.
        self.expected = {}

    def arguments(self):
        return ["watch", self.folder, "--format", "jsonl"]

    def bring(self, indices):
        self.break_sidecars(indices)
        for number, side in self.draw(self.outside, indices):
            path = os.path.join(number, f"{side}.jpg")
            source, target = os.path.join(self.outside, path), os.path.join(self.folder, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            self.expected[path] = digest(source)
            self.mix.random.choice((shutil.copyfile, os.rename, self.write_slowly, self.rename))(source, target)

    @staticmethod
    def write_slowly(source, target):
        data = Path(source).read_bytes()
        with open(target, "wb", buffering=0) as file:
            for part in range(SLOW_PARTS):
                file.write(data[part * len(data) // SLOW_PARTS : (part + 1) * len(data) // SLOW_PARTS])
                time.sleep(SLOW_PAUSE)

    @staticmethod
    def rename(source, target):
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name}.a1B2c3")
        shutil.copyfile(source, temporary)
        os.rename(temporary, target)

    def waiting(self):
        return [path for path in self.expected if os.path.exists(os.path.join(self.folder, path))]

    def mend(self):
        """Waits until every photo is taken in or refused, then brings those that were refused back."""
        until(lambda: not self.waiting())
        waiting = self.waiting()
        self.mix.expect(not waiting, f"{len(waiting)} photos of the watched folder were not dealt with")
        for number in sorted(self.broken):
            refused = os.path.join(self.folder, "failed", number, "front.jpg")
            if not os.path.exists(refused):
                self.mix.violated(f"{number}: the front with a broken sidecar was not put aside")
                continue
            self.write_sidecar(number, json.dumps({"business_no": number}))
            os.rename(refused, os.path.join(self.folder, number, "front.jpg"))

    def judge_files(self):
        """Every photo lies below `done` with its bytes, and no other one anywhere; it moves after its card is durable."""
        until(lambda: not self.waiting(), seconds=HANG_SECONDS / 3)
        found = {path: digest for path, digest in digests(self.folder).items() if path.endswith(".jpg")}
        wanted = {os.path.join("done", path): digest for path, digest in self.expected.items()}
        for path in sorted(set(wanted.items()) ^ set(found.items()))[:5]:
            self.mix.violated(f"{path[0]} is not where it belongs, or not with the bytes that arrived")


class Serve(Worker):
    """`serve`, to which photos are submitted until each is acknowledged."""

    is_service = True

    def __init__(self, mix, place):
        super().__init__(mix, place)
        self.port, self.waiting, self.token = free_port(), queue.Queue(), mix.new_token()
        threading.Thread(target=self.submit, daemon=True).start()

    def arguments(self):
        return ["serve", "--listen", f"127.0.0.1:{self.port}"]

    def bring(self, indices):
        for file in self.draw(self.folder, indices):
            self.waiting.put(file)

    def submit(self):
        with Client(("127.0.0.1", self.port), self.token) as client:
            while True:
                number, side = self.waiting.get()
                image = Path(self.folder, number, f"{side}.jpg").read_bytes()
                answer = send_until(client, raw_card(image, number, key=f"{number}-{side}"))
                if answer.status != 202:
                    self.mix.violated(f"{number}: the {side} was answered {answer!r}")


KINDS = {kind.__name__.lower(): kind for kind in (Run, Pathless, Backup, Watch, Serve)}
